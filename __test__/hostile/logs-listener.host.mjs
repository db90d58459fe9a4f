// attack: a listener of the host that throws and rejects with hostile values
// outcome: value 3
// state: READY
let turn = 0;
export const onLog = () => {
  if (turn++ === 0) return Promise.reject(Symbol('first'));
  return { then: (_, reject) => reject(null) };
};
process.on('warning', () => {});
process.removeAllListeners('warning');
export const code = `console.log(1); console.log(2); console.log(3); return 3;`;

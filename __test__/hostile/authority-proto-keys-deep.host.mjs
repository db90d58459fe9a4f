// attack: prototypes of the host by keys that a naive merge of the output would follow
// outcome: value 'host prototypes are clean, depth 50'
// state: READY
export const scenario = async ({ executor }) => {
  const { output } = await executor.run(`
    let evil = { polluted: 1 };
    for (let i = 0; i < 50; i++) evil = JSON.parse('{"__proto__":' + JSON.stringify(evil) + '}');
    return evil;`);
  let depth = 0;
  for (let at = output; Object.hasOwn(at, '__proto__'); depth++)
    at = Object.getOwnPropertyDescriptor(at, '__proto__').value;
  const isClean = {}.polluted === undefined && Object.getPrototypeOf(output) === Object.prototype;
  return `value '${isClean ? 'host prototypes are clean' : 'polluted'}, depth ${depth}'`;
};

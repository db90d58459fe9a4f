// attack: thirty calls whose results of 10 MB each arrive while the code takes none of them, which the host would have to keep
// outcome: value 'most are refused'
// state: READY
// options: {"timeoutMs":30000,"maxToolCalls":1000000,"maxOperations":1000000000000}
// peak: 1024 results in the host until they are collected there
// processPeak: 1024 the same
const CALLS = 30;
let answered = 0;
export const tools = {
  large: async () => {
    answered++;
    return new Uint8Array(10e6).fill(1);
  },
  isAnswered: () => answered >= CALLS,
};
export const scenario = async (/** @type {any} */ { executor }) => {
  const { output } = await executor.run(`
    const codes = [];
    for (let i = 0; i < ${CALLS}; i++) large().then(() => codes.push('given'), ({ code }) => codes.push(code));
    while (!isAnswered());
    while (codes.length < ${CALLS}) await later(1);
    return codes.filter((code) => code === 'ERR_TRANSFER_LIMIT_EXCEEDED').length;`);
  return `value '${output >= CALLS / 2 && output < CALLS ? 'most are refused' : output}'`;
};

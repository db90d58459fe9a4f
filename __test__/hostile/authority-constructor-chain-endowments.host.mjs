// attack: the host's realm by console, final_answer, harden and the exports of modules
// outcome: value [ 'EvalError', 'EvalError', 'EvalError', 'EvalError', 'EvalError', 'EvalError' ]
// state: READY
export const modules = { host: { call: () => 1, values: { list: [1] } }, text: 'export const make = () => 1;' };
export const code = `
  const host = await import('host');
  const text = await import('text');
  return [console.log, final_answer, harden, host.call, host.values.list.map, text.make].map((fn) => {
    try {
      return typeof fn.constructor.constructor('return process')();
    } catch (error) {
      return error.name;
    }
  });`;

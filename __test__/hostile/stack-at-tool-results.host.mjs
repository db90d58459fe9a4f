// attack: results, errors and thrown values of tools read with what is left of the stack
// outcome: value 'ok'
// state: READY
// options: {"maxToolCalls":100000,"timeoutMs":5000}
let deep = [];
for (let i = 0; i < 500; i++) deep = [deep];
export const tools = {
  deep: () => deep,
  deepError: () => {
    let cause = new Error('inner');
    for (let i = 0; i < 200; i++) cause = new Error('outer', { cause });
    throw cause;
  },
};
export const code = `
  let calls = 0;
  const sink = () => {
    try { sink(); } finally {
      if (calls++ < 200) {
        try { deep(); } catch {}
        try { deepError(); } catch {}
      }
    }
  };
  try { sink(); } catch {}
  return deep().length === 1 ? 'ok' : 'lost';`;

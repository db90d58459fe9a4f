// attack: an output of Maps and errors that are nested 50,000 levels deep, which are cut
// outcome: value 'depth 501'
// state: READY
// options: {"maxOperations":200000,"timeoutMs":3000}
export const scenario = async ({ executor }) => {
  const { output } = await executor.run(`
    const nest = () => { let deep = new Map();
    for (let i = 0; i < 50_000; i++) deep = new Map([['in', new Error('x', { cause: deep })]]);
    return deep; };
    return nest();`);
  let depth = 0;
  for (let at = output; at instanceof Map; at = at.get('in').cause) depth++;
  return `value 'depth ${depth}'`;
};

// attack: formatting on and on when the log is full
// outcome: value 'cut at the limit'
// state: READY
// options: {"maxLogBytes":1024,"timeoutMs":6000,"maxOperations":200000}
export const scenario = async ({ executor }) => {
  const { logs } = await executor.run(`
    const wide = Array.from({ length: 1000 }, (_, i) => ({ ['key' + i]: i }));
    for (let i = 0; i < 100_000; i++) console.log(wide, i);`);
  const isCut = logs.endsWith('...[TRUNCATED]') && Buffer.byteLength(logs) <= 1024 + 15;
  return `value '${isCut ? 'cut at the limit' : logs.length}'`;
};

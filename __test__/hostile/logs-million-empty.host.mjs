// attack: a million empty log lines, each an entry of its own, streamed to the host
// outcome: value 'at most 262145 entries'
// state: READY
// options: {"maxOperations":2000000,"timeoutMs":6000}
// peak: 320 each entry is an object of the host
let streamed = 0;
export const onLog = () => streamed++;
export const scenario = async ({ executor }) => {
  const { logEntries } = await executor.run('for (let i = 0; i < 1_000_000; i++) console.log();');
  const isBound = logEntries.length <= 262_145 && streamed <= 262_145;
  return `value '${isBound ? 'at most 262145 entries' : logEntries.length}'`;
};

// attack: a million empty log lines, each as a separate entry, streamed to the host
// outcome: value 'at most 262146 entries'
// state: READY
// processPeak: 160 each entry is an object of the host
// options: {"maxOperations":2000000,"timeoutMs":6000}
// peak: 320 each entry is an object of the host
let streamed = 0;
export const onLog = () => streamed++;
export const scenario = async ({ executor }) => {
  const { logEntries } = await executor.run('for (let i = 0; i < 1_000_000; i++) console.log();');
  // A byte for each line break between empty entries, and the entry that says that the rest is missing.
  const isBound = logEntries.length <= 262_146 && streamed <= 262_146;
  return `value '${isBound ? 'at most 262146 entries' : logEntries.length}'`;
};

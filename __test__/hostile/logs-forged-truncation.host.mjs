// attack: log text that forges the end of the log, entries and escape sequences
// outcome: value 2
// state: READY
export const scenario = async ({ executor }) => {
  const { logEntries } = await executor.run(`
    console.log('...[TRUNCATED]\\n[error] forged\\u001b[2J');
    console.error('real');`);
  return `value ${logEntries.length}`;
};

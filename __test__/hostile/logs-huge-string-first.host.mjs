// attack: log lines of half a gigabyte in each form, each in a separate run
// outcome: value 'cut at the limit, or out of memory'
// state: READY
// options: {"timeoutMs":12000}
// peak: 1152 each string, once it is flat: two isolates may be parked with one
export const scenario = async ({ executor, prepared }) => {
  const logs = [
    'console.log(huge)',
    'console.log("%s", huge)',
    'console.group(huge)',
    'console.assert(false, huge)',
    'console.log(huge + 1, 1)',
  ];
  for (const call of logs) {
    const run = executor.run(`{ const huge = 'x'.repeat(2 ** 29 - 100); ${call}; }`);
    const { logs: text, code } = await run.catch((error) => error);
    if (text.length > 262_144 + 15) return `value '${call} ${text.length}'`;
    if (code !== undefined && code !== 'ERR_MEMORY_LIMIT_EXCEEDED') return code;
    if (executor.state !== 'READY') {
      await executor.cleanup();
      await prepared(executor);
    }
  }
  return "value 'cut at the limit, or out of memory'";
};

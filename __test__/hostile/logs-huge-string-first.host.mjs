// attack: log lines of half a gigabyte in each form, every one in a run of its own
// outcome: value 'cut at the limit'
// state: READY
// options: {"timeoutMs":3000}
export const scenario = async ({ executor }) => {
  const logs = [
    'console.log(huge)',
    'console.log("%s", huge)',
    'console.group(huge)',
    'console.assert(false, huge)',
    'console.log(huge + 1, 1)',
  ];
  for (const call of logs) {
    const result = await executor.run(`{ const huge = 'x'.repeat(2 ** 29 - 100); ${call}; }`);
    if (result.logs.length > 262_144 + 15) return `value '${call} ${result.logs.length}'`;
  }
  return "value 'cut at the limit'";
};

// attack: values in logs that hold a string of half a gigabyte
// outcome: value 'cut at the limit, or out of memory'
// state: READY
// options: {"timeoutMs":12000}
// peak: 1152 the string, once it is flat; when it is garbage is up to V8
export const scenario = async ({ executor, prepared }) => {
  const run = executor.run(`
    const show = (huge) => {
      console.log({ huge, list: [huge] });
      console.log('%o', huge);
    };
    show('x'.repeat(2 ** 29 - 100));
  `);
  const { logs, code } = await run.catch((error) => error);
  if (logs.length > 262_144 + 15) return `value '${logs.length}'`;
  if (code !== undefined && code !== 'ERR_MEMORY_LIMIT_EXCEEDED') return code;
  if (executor.state !== 'READY') {
    await executor.cleanup();
    await prepared(executor);
  }
  return "value 'cut at the limit, or out of memory'";
};

// attack: a tool's result and error that are nested 100,000 levels deep
// outcome: value [ 'TypeError', 'TypeError', 'Error' ]
// state: READY
// processPeak: 192 the result is the host's own, and copied on its way
// options: {"timeoutMs":8000}
const deep = () => {
  let value = {};
  for (let i = 0; i < 100_000; i++) value = { value };
  return value;
};
const causes = () => {
  let cause = new Error('last');
  for (let i = 0; i < 100_000; i++) cause = new Error('outer', { cause });
  return cause;
};
export const tools = {
  deep,
  deepLater: async () => deep(),
  causes: () => {
    throw causes();
  },
};
export const code = `
  const names = [];
  try { deep(); } catch (error) { names.push(error.name); }
  await deepLater().catch((error) => names.push(error.name));
  try { causes(); } catch (error) { names.push(error.name); }
  return names;`;

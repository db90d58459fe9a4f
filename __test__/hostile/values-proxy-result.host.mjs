// attack: a tool of the host that returns a proxy, whose traps would run on the host
// outcome: value [ 'TypeError', 'TypeError', 0 ]
// state: READY
let calls = 0;
const loud = () =>
  new Proxy(
    {},
    {
      get(_target, key) {
        if (key !== 'then') calls++;
      },
      ownKeys() {
        calls++;
        return [];
      },
    },
  );
export const tools = {
  proxy: () => ({ inner: loud() }),
  proxyLater: async () => ({ inner: loud() }),
  calls: () => calls,
};
export const code = `
  const names = [];
  try { proxy(); } catch (error) { names.push(error.name); }
  await proxyLater().catch((error) => names.push(error.name));
  return [...names, calls()];`;

// attack: tools that throw null, symbols, proxies, functions and errors with hostile getters
// outcome: value 'all were errors of the guest'
// state: READY
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
const hostile = {};
for (const key of ['name', 'message', 'code', 'stack', 'cause', 'then', 'constructor', 'toString']) {
  Object.defineProperty(hostile, key, {
    get() {
      throw hostile;
    },
  });
}
const error = new Error('x');
// The stack first: Node.js makes it when it is replaced, and reads the name for it.
for (const key of ['stack', 'name', 'message', 'code', 'cause']) {
  Object.defineProperty(error, key, {
    get() {
      throw error;
    },
  });
}
const values = [
  null,
  undefined,
  Symbol('x'),
  1n,
  () => {},
  proxy,
  hostile,
  error,
  Object.create(null),
  new Proxy({}, {}),
];
const cyclic = new Error('cyclic');
cyclic.cause = cyclic;
values.push(cyclic, new AggregateError([cyclic], 'many'), 'x'.repeat(1e7), new (class extends Error {})('own'));
export const tools = {
  count: () => values.length,
  thrown: (at) => {
    throw values[at];
  },
  rejected: async (at) => {
    throw values[at];
  },
};
export const code = `
  const odd = [];
  for (let i = 0; i < count(); i++) {
    try { thrown(i); odd.push(i); } catch (error) {
      if (!(error instanceof Error) || typeof error.message !== 'string') odd.push(i);
    }
    await rejected(i).then(() => odd.push(i), (error) => { if (!(error instanceof Error)) odd.push(i); });
  }
  return odd.length === 0 ? 'all were errors of the guest' : odd;`;

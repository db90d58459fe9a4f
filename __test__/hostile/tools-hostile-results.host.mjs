// attack: tools that return functions, symbols, proxies, promises of them, getters that throw, cycles, classes
// outcome: value 'all were refused with their path, or cloned'
// state: READY
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
const cycle = { list: [] };
cycle.list.push(cycle);
const refused = [
  () => () => {},
  () => Symbol('x'),
  () => ({ a: { b: () => {} } }),
  () => [new Proxy({}, {})],
  () => [proxy],
  () => ({
    get a() {
      throw new Error('getter');
    },
  }),
  () => new WeakMap(),
  () => [new SharedArrayBuffer(8)],
  () => ({ then: 1, inner: Promise.resolve(1) }),
  async () => new Proxy([], {}),
  async () => globalThis,
  () => process,
];
const cloned = [
  () => cycle,
  () => new (class A {})(),
  () => new Uint8Array(new ArrayBuffer(64), 8, 8),
  () => Object.create(null),
];
export const tools = {
  size: () => [refused.length, cloned.length],
  refuse: (at) => refused[at](),
  clone: (at) => cloned[at](),
};
export const code = `
  const odd = [];
  const [refused, cloned] = size();
  for (let i = 0; i < refused; i++) {
    try { await refuse(i); odd.push('refuse ' + i); } catch (error) { if (!(error instanceof TypeError)) odd.push(error.message); }
  }
  for (let i = 0; i < cloned; i++) {
    try { await clone(i); } catch (error) { odd.push(error.message); }
  }
  return odd.length === 0 ? 'all were refused with their path, or cloned' : odd;`;

// attack: tools and variables of the host that are proxies, cyclic, too deep and without end
// outcome: value 'all refused'
// state: READY
// options: {"timeoutMs":4000}
export const scenario = async ({ executor, run }) => {
  const cycle = {};
  cycle.again = cycle;
  let deep = () => 1;
  for (let i = 0; i < 100; i++) deep = { deep };
  const trap = new Proxy(
    {},
    { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 1 }) },
  );
  const refused = [];
  for (const tools of [{ cycle }, { deep }, { trap }, { a: null }, new Map(), { a: { b: Promise.resolve() } }]) {
    refused.push(
      await executor.sendTools(tools).then(
        () => 'taken',
        (error) => error instanceof Error,
      ),
    );
  }
  for (const variables of [
    { a: () => {} },
    { a: Symbol('x') },
    { a: new Proxy({}, {}) },
    { __smol_x: 1 },
    { console: 1 },
  ]) {
    refused.push(
      await executor.sendVariables(variables).then(
        () => 'taken',
        (error) => error instanceof Error,
      ),
    );
  }
  const isFine = refused.every((is) => is === true) && (await run('1')) === 'value 1';
  return `value '${isFine ? 'all refused' : refused}'`;
};

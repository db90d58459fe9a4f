// attack: errors as output with cyclic causes, getters as name and message, hostile prototypes
// outcome: value [ true, 'named', '', 'orphan', 'proxied' ]
// state: READY
export const scenario = async ({ executor, outcomeOf }) =>
  outcomeOf(
    executor
      .run(
        `
        const cyclic = new Error('cyclic');
        cyclic.cause = cyclic;
        const named = Object.defineProperty(new TypeError('named'), 'name', { get() { throw new Error('name'); } });
        const message = Object.defineProperty(new Error(), 'message', { get: () => ({ toString: () => 'x' }) });
        const orphan = Object.setPrototypeOf(new Error('orphan'), null);
        const proxied = Object.setPrototypeOf(new Error('proxied'), new Proxy({}, { get: () => () => 1 }));
        return [cyclic, named, message, orphan, proxied];`,
      )
      .then(({ output: [cyclic, ...others], ...rest }) => ({
        ...rest,
        output: [cyclic.cause === cyclic, ...others.map((error) => error.message)],
      })),
  );

// attack: setters and getters on the host's own prototypes, which the package must not trip over
// outcome: value 'unmoved'
// state: READY
export const scenario = async ({ executor }) => {
  const hits = [];
  for (const key of ['get', 'set', 'value', 'then', 'error', 'kind', 'cause', 'polluted', 'timeoutMs', 'signal']) {
    Object.defineProperty(Object.prototype, key, {
      configurable: true,
      get: () => void hits.push(key),
      set: (value) => void hits.push(`${key}=${typeof value}`),
    });
  }
  let outcome;
  try {
    outcome = [
      await executor.run('echo({ a: 1 }).a').then((result) => result.output),
      await executor.run('throw new Error("x")').catch((error) => error.code),
    ];
  } finally {
    for (const key of ['get', 'set', 'value', 'then', 'error', 'kind', 'cause', 'polluted', 'timeoutMs', 'signal']) {
      delete Object.prototype[key];
    }
  }
  return `value '${String(outcome) === '1,ERR_RUNTIME_EXCEPTION' ? 'unmoved' : outcome}'`;
};

// attack: throwing values that are not errors: proxies, functions, null, symbols, objects whose conversion throws or never ends
// outcome: value 'all settled as ERR_RUNTIME_EXCEPTION'
// state: READY
// options: {"timeoutMs":3000}
export const scenario = async ({ run }) => {
  const thrown = [
    'null',
    'undefined',
    'Symbol("x")',
    '() => {}',
    'new Proxy({}, {})',
    'new Proxy(new Error("x"), { get() { for (;;); } })',
    'Object.create(null)',
    '{ toString() { throw 1; } }',
    '{ toString() { for (;;); }, get message() { for (;;); }, get name() { for (;;); }, get stack() { for (;;); } }',
    '{ get message() { throw this; } }',
    'Object.assign(Object.create(Error.prototype), { message: {} })',
    'Object.defineProperty(new Error("x"), "message", { get() { return final_answer(1); } })',
    'Object.defineProperty(new Error("x"), "name", { get() { return echo(1); } })',
    'Object.defineProperty(new Error("x"), "stack", { get() { for (;;); } })',
    'new (class extends Error { get [Symbol.toStringTag]() { throw 1; } })()',
    'new DisposableStack()',
    '123n',
    '[[[[]]]]',
  ];
  for (const value of thrown) {
    const outcome = await run(`throw (${value.startsWith('{') ? `(${value})` : value});`);
    if (outcome !== 'ERR_RUNTIME_EXCEPTION') return `${value}: ${outcome}`;
    const later = await run(`await null; throw (${value});`);
    if (later !== 'ERR_RUNTIME_EXCEPTION') return `later ${value}: ${later}`;
  }
  return "value 'all settled as ERR_RUNTIME_EXCEPTION'";
};

// attack: the limit swallowed by promises, generators, disposal, thenables and callbacks of built-ins
// outcome: value 'none was swallowed'
// state: READY
// options: {"timeoutMs":3000}
export const scenario = async ({ executor }) => {
  const loop = '(() => { for (;;); })()';
  const programs = [
    `await (async () => ${loop})().catch(() => {}); return 'swallowed'`,
    `await Promise.allSettled([(async () => ${loop})()]); return 'swallowed'`,
    `await new Promise((resolve) => { ${loop} }).catch(() => 1); return 'swallowed'`,
    `await Promise.any([(async () => ${loop})(), 1]); return 'swallowed'`,
    `await Promise.race([(async () => ${loop})(), 1]).finally(() => {}); return 'swallowed'`,
    `const g = (function* () { try { yield 1; } finally { ${loop} } })(); g.next(); try { g.return(); } catch {} return 'swallowed'`,
    `try { [1].map(() => ${loop}); } catch {} return 'swallowed'`,
    `const s = new DisposableStack(); s.defer(() => ${loop}); try { s.dispose(); } catch {} return 'swallowed'`,
    `await { then() { ${loop} } }; return 'swallowed'`,
    `try { await Promise.resolve({ get then() { return ${loop}; } }); } catch {} return 'swallowed'`,
    `Array.from({ [Symbol.iterator]: () => ({ next() { ${loop} }, return() {} }) }); return 'swallowed'`,
    `const p = Promise.try(() => ${loop}); await p.catch(() => {}); return 'swallowed'`,
    `console.log({ toString() { ${loop} } } + ''); return 'swallowed'`,
    `console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { ${loop} } }); return 'swallowed'`,
    `try { echo({ get a() { ${loop} } }); } catch {} return 'swallowed'`,
    `await later({ get a() { ${loop} } }).catch(() => {}); return 'swallowed'`,
    `async function* g() { try { yield 1; } finally { return ${loop}; } } for await (const x of g()) break; return 'swallowed'`,
    `label: try { ${loop}; } finally { break label; } return 'swallowed'`,
    `return (() => { try { ${loop}; } finally { return 'swallowed'; } })()`,
    `JSON.stringify({ toJSON() { ${loop} } }); return 'swallowed'`,
    `await import({ toString() { ${loop} } }).catch(() => {}); return 'swallowed'`,
  ];
  for (const program of programs) {
    const outcome = await executor.run(program).then(
      ({ output }) => output,
      (error) => error.code,
    );
    if (outcome !== 'ERR_MAX_OPS_EXCEEDED') return `${program}: ${outcome}`;
  }
  return "value 'none was swallowed'";
};

// Both styles of the specification: calls that give values, and calls that give promises. What runs at the same time is
// shown by the order of events: no call is answered before all have been made.
import { describe, expect, test } from 'vitest';

import { anyState } from '../../build/sandbox/index.js';
import { deferred, expectCode } from '../helpers.mjs';
import { managerOf } from './market.mjs';

/** Adapters of which none answers before `count` calls were made; answers come in the reverse order. */
function together(count) {
  const made = [];
  return async (source, method, params) => {
    const answer = deferred();
    made.push({ answer, params });
    if (made.length === count) for (const { answer: one, params: own } of made.reverse()) one.resolve(own.n);
    return answer.promise;
  };
}

const AT_ONCE = {
  'style A, at the top level': `utils.parallel(
    function () { return sdk.market.getQuote({ n: 1 }); },
    () => sdk.social.searchTweets({ n: 2 }),
    () => { var n = sdk.market.getQuote({ n: 3 }); return n; })`,
  'style A, as the specification writes it': `(function () {
    var r = utils.parallel(
      function () { return sdk.market.getQuote({ n: 1 }); },
      function () { return sdk.market.getQuote({ n: 2 }); },
      function () { return sdk.social.searchTweets({ n: 3 }); }
    );
    return [r[0], r[1], r[2]];
  })()`,
  'style A, awaited': `await utils.parallel(
    function () { return sdk.market.getQuote({ n: 1 }); },
    () => { const n = sdk.market.getQuote({ n: 2 }); return n + 0; }, () => sdk.market.getQuote({ n: 3 }))`,
  'style A, an array of functions': `utils.parallel([1, 2, 3].length ? [
    ] : []), utils.parallel([() => sdk.market.getQuote({ n: 1 }), () => sdk.market.getQuote({ n: 2 }), () => sdk.market.getQuote({ n: 3 })])`,
  'style A, functions of a map': `utils.parallel(...[1, 2, 3].map((n) => () => sdk.market.getQuote({ n })))`,
  'style A, functions that only say async': `utils.parallel(
    async () => sdk.market.getQuote({ n: 1 }), async function () { return sdk.market.getQuote({ n: 2 }); }, () => sdk.market.getQuote({ n: 3 })
    ).then((all) => all)`,
  'style B, Promise.all': `await Promise.all([1, 2, 3].map((n) => sdk.market.getQuote({ n })))`,
  'style B, then': `sdk.market.getQuote({ n: 1 }).then((a) => Promise.all([a, b, c])); var b = sdk.market.getQuote({ n: 2 });
    var c = sdk.market.getQuote({ n: 3 }); Promise.all([1, b, c])`,
  'style B, utils.parallel': `const one = async (n) => await sdk.market.getQuote({ n });
    await utils.parallel(() => one(1), async () => one(2), () => sdk.market.getQuote({ n: 3 }))`,
  'style B, TypeScript': `const all: number[] = await Promise.all([sdk.market.getQuote({ n: 1 }) as any, sdk.market.getQuote({ n: 2 }), sdk.market.getQuote({ n: 3 })]); all`,
};

describe('three calls run at the same time', () => {
  test.each(Object.keys(AT_ONCE))('for %s', async (name) => {
    const manager = managerOf({ adapters: together(3), stateSchema: anyState });
    expect(await manager.executeCode(AT_ONCE[name])).toStrictEqual([1, 2, 3]);
  });
});

// Only literals in the argument list ran at the same time. All other forms waited for one call after the other, and
// nothing said so.
const FORMS = {
  'a list in a variable': 'const list = [1, 2, 3].map((n) => () => sdk.market.getQuote({ n })); utils.parallel(list)',
  'a spread of one': 'const list = [1, 2, 3].map((n) => () => sdk.market.getQuote({ n })); utils.parallel(...list)',
  'push in a loop':
    'const list = []; for (const n of [1, 2, 3]) list.push(() => sdk.market.getQuote({ n })); utils.parallel(...list)',
  'push in a loop with var':
    'var list = []; for (var i = 1; i <= 3; i++) (function (n) { list.push(function () { return sdk.market.getQuote({ n: n }); }); })(i); utils.parallel(list)',
  'an index':
    'const list = []; [1, 2, 3].forEach((n, i) => { list[i] = () => sdk.market.getQuote({ n }); }); utils.parallel(...list)',
  apply: 'utils.parallel.apply(null, [1, 2, 3].map((n) => () => sdk.market.getQuote({ n })))',
  'call and Reflect.apply':
    'const f = (n) => () => sdk.market.getQuote({ n }); Reflect.apply(utils.parallel, utils, [f(1), f(2)].concat(f(3)))',
  'a helper that calls':
    'const get = (n) => sdk.market.getQuote({ n }); utils.parallel(() => get(1), () => get(2), () => get(3))',
  'a helper that makes functions':
    'function getter(n) { return () => sdk.market.getQuote({ n }); } utils.parallel(getter(1), getter(2), getter(3))',
  'declared functions':
    'function a() { return sdk.market.getQuote({ n: 1 }); } function b() { return sdk.market.getQuote({ n: 2 }); } const c = () => sdk.social.searchTweets({ n: 3 }); utils.parallel(a, b, c)',
  'a source by another name':
    'const { market } = sdk; utils.parallel(() => market.getQuote({ n: 1 }), () => market.getQuote({ n: 2 }), () => market.getQuote({ n: 3 }))',
  'sdk by another name':
    'const api = sdk; utils.parallel(() => api.market.getQuote({ n: 1 }), () => api.market.getQuote({ n: 2 }), () => api.social.searchTweets({ n: 3 }))',
  'a method by another name':
    'const { getQuote } = sdk.market; utils.parallel(() => getQuote({ n: 1 }), () => getQuote({ n: 2 }), () => getQuote({ n: 3 }))',
  'bound methods': 'utils.parallel(...[1, 2, 3].map((n) => sdk.market.getQuote.bind(null, { n })))',
  'parallel by another name':
    'const { parallel } = utils; parallel(() => sdk.market.getQuote({ n: 1 }), () => sdk.market.getQuote({ n: 2 }), () => sdk.market.getQuote({ n: 3 }))',
  'utils by another name':
    'const u = utils; u.parallel(() => sdk.market.getQuote({ n: 1 }), () => sdk.market.getQuote({ n: 2 }), () => sdk.market.getQuote({ n: 3 }))',
  'Object.values': `const jobs = { a: () => sdk.market.getQuote({ n: 1 }), b: () => sdk.market.getQuote({ n: 2 }), c: () => sdk.market.getQuote({ n: 3 }) };
    utils.parallel(...Object.values(jobs))`,
  'Array.from': 'utils.parallel(...Array.from({ length: 3 }, (_, i) => () => sdk.market.getQuote({ n: i + 1 })))',
  'flatMap and filter':
    'utils.parallel(...[[1, 2], [3]].flatMap((list) => list.map((n) => () => sdk.market.getQuote({ n }))).filter(Boolean))',
  reduce: 'utils.parallel([1, 2, 3].reduce((list, n) => [...list, () => sdk.market.getQuote({ n })], []))',
  'a call in a callback':
    'utils.parallel(...[1, 2, 3].map((n) => () => [n].map((m) => sdk.market.getQuote({ n: m }))[0]))',
  'a call in a function that is called immediately':
    'utils.parallel(...[1, 2, 3].map((n) => () => (function () { return sdk.market.getQuote({ n }); })()))',
  'a function that catches':
    'const safely = (f) => { try { return f(); } catch (error) { return error.message; } }; utils.parallel(...[1, 2, 3].map((n) => () => safely(() => sdk.market.getQuote({ n }))))',
  'computed names':
    "utils.parallel(...[['market', 'getQuote', 1], ['social', 'searchTweets', 2], ['market', 'getQuote', 3]].map(([s, m, n]) => () => sdk[s][m]({ n })))",
  'a method of a class':
    'class Api { get(n) { return sdk.market.getQuote({ n }); } } const api = new Api(); utils.parallel(() => api.get(1), () => api.get(2), () => api.get(3))',
  'helpers that only say async':
    'const get = async (n) => sdk.market.getQuote({ n }); utils.parallel(() => get(1), () => get(2), () => get(3))',
  'literals and helpers':
    'const get = (n) => sdk.market.getQuote({ n }); utils.parallel(() => sdk.market.getQuote({ n: 1 }), () => get(2), () => { const n = sdk.market.getQuote({ n: 3 }); return n; })',
  'default parameters and this':
    'utils.parallel(...[1, 2, 3].map((n) => function (m = n) { return sdk.market.getQuote({ n: this ? 0 : m }); }))',
  'parallel within parallel':
    'const get = (n) => sdk.market.getQuote({ n }); utils.parallel(() => utils.parallel(() => get(1), () => get(2)), () => get(3)).flat()',
  promises:
    'const list = [1, 2, 3].map((n) => sdk.market.getQuote({ n })); await utils.parallel(...list), await Promise.all(list)',
};

describe('three calls run at the same time in any form of functions', () => {
  test.each(Object.keys(FORMS))('for %s', async (name) => {
    const manager = managerOf({ adapters: together(3), stateSchema: anyState, executionTimeoutMs: 10_000 });
    let report;
    expect(await manager.executeCode(FORMS[name], { onReport: (it) => (report = it) })).toStrictEqual([1, 2, 3]);
    expect(report.logs).toBe('');
  });
});

describe('functions that block the stack while they wait', () => {
  const run = async (code, adapters) => {
    const manager = managerOf({ stateSchema: anyState, adapters });
    let report;
    const output = await manager.executeCode(code, { onReport: (it) => (report = it) }).catch((error) => error);
    return { output, logs: report.logs, calls: report.sdkCalls };
  };

  test('with several calls cause a warning with an alternative and return the same results', async () => {
    const code =
      'const both = (n) => [sdk.market.getQuote({ n }), sdk.market.getQuote({ n: n + 1 })]; const f = (n) => () => both(n); utils.parallel(f(1), f(5))';
    const { output, logs } = await run(code, async (source, method, { n }) => n * 2);
    expect(output).toStrictEqual([
      [2, 4],
      [10, 12],
    ]);
    expect(logs).toBe(
      'utils.parallel: functions that make several calls waited for each other. Such functions run at the same time if they are ' +
        'literals in its argument list and call `sdk.source.method(…)` themselves: utils.parallel(() => { … }, () => { … })',
    );
  });

  test.each([
    ['values', 'utils.parallel(sdk.market.getQuote({ n: 1 }), sdk.market.getQuote({ n: 2 }))', [1, 2]],
    ['a list of values', 'const list = [1, 2].map((n) => sdk.market.getQuote({ n })); utils.parallel(...list)', [1, 2]],
    [
      'values and functions',
      'utils.parallel(sdk.market.getQuote({ n: 1 }), () => sdk.market.getQuote({ n: 2 }))',
      [1, 2],
    ],
  ])('may be replaced by %s, and the log says what to write instead', async (_, code, expected) => {
    const { output, logs } = await run(code, async (source, method, { n }) => n);
    expect([output, logs]).toStrictEqual([
      expected,
      'utils.parallel got values: their calls had ended, one after the other, before it began. Pass functions: ' +
        'utils.parallel(() => sdk.a.b(…), () => sdk.c.d(…))',
    ]);
  });

  test('fail with the first error, which has a place and can be caught', async () => {
    const code = `const get = (n) => sdk.market.getQuote({ n });
      try { utils.parallel(() => get(1), () => get(2), () => get(3)) } catch (error) { error.message }`;
    const adapters = async (source, method, { n }) => {
      if (n === 2) throw new RangeError('no 2');
      return n;
    };
    expect((await run(code, adapters)).output).toBe('no 2');
    const { output } = await run(
      'const get = (n) =>\n  sdk.market.getQuote({ n });\nutils.parallel(() => get(1), () => get(2))',
      adapters,
    );
    expect(output.details).toMatchObject({ name: 'RangeError', message: 'no 2', line: 2 });
  });

  test('continue after they catch an error of another one, each once', async () => {
    const code = `const seen = [];
      const get = (n) => { seen.push(n); try { return sdk.market.getQuote({ n }); } catch { return 'caught'; } };
      const all = utils.parallel(...[1, 2, 3].map((n) => () => get(n))); [all, seen.sort()]`;
    const adapters = async (source, method, { n }) => {
      if (n === 2) throw new Error('no 2');
      return n;
    };
    expect((await run(code, adapters)).output).toStrictEqual([
      [1, 'caught', 3],
      [1, 2, 3],
    ]);
  });

  test('may exceed the stack', async () => {
    const manager = managerOf({
      stateSchema: anyState,
      maxSdkCalls: 3_000,
      adapters: async (source, method, { n }) => n,
    });
    const code =
      'const get = (n) => sdk.market.getQuote({ n }); utils.parallel(...Array.from({ length: 2000 }, (_, n) => () => get(n))).length';
    expect(await manager.executeCode(code)).toBe(2_000);
  });

  test('count as calls like others', async () => {
    const manager = managerOf({ stateSchema: anyState, maxSdkCalls: 5, adapters: async () => 1 });
    const code =
      'const get = () => sdk.market.getQuote(); utils.parallel(...Array.from({ length: 6 }, () => () => get()))';
    await expectCode(manager.executeCode(code), 'ERR_SDK_CALL_LIMIT_EXCEEDED');
  });
});

test('a function continues while others wait, and each keeps its order', async () => {
  const events = [];
  const gates = { a: deferred(), b: deferred(), c: deferred() };
  const manager = managerOf({
    stateSchema: anyState,
    adapters: async (source, method, { id }) => {
      events.push(`call ${id}`);
      // The second of a is what answers b.
      if (id === 'a2') gates.b.resolve('b');
      if (id === 'a') gates.a.resolve('a');
      return id === 'a2' || id === 'b2' ? id : gates[id].promise;
    },
  });
  const code = `utils.parallel(
    function () { var x = []; for (var id of ['a', 'a2']) x.push(sdk.market.getQuote({ id: id })); return x.join(); },
    function () { try { return [sdk.market.getQuote({ id: 'b' }), sdk.market.getQuote({ id: 'b2' })].join(); } finally { console.log('b done'); } }
  )`;
  expect(await manager.executeCode(code)).toStrictEqual(['a,a2', 'b,b2']);
  expect(events).toStrictEqual(['call a', 'call b', 'call a2', 'call b2']);
});

test('calls run in sequence if their independence cannot be proved, with the same result', async () => {
  const manager = managerOf({ stateSchema: anyState, adapters: async (source, method, { n }) => n * 2 });
  const results = {
    'utils.parallel(() => [1, 2].map((n) => sdk.market.getQuote({ n })))': [[2, 4]],
    'const f = () => sdk.market.getQuote({ n: 3 }); utils.parallel(f, f)': [6, 6],
    'utils.parallel(function () { return sdk.market.getQuote({ n: arguments.length }); })': [0],
    'utils.parallel(() => (function () { return sdk.market.getQuote({ n: 5 }); })(), () => sdk.market.getQuote({ n: 6 }))':
      [10, 12],
    'utils.parallel(() => utils.parallel(() => sdk.market.getQuote({ n: 1 }), () => sdk.market.getQuote({ n: 2 })), () => sdk.market.getQuote({ n: 3 }))':
      [[2, 4], 6],
    'let n = 0; utils.parallel(function next() { const r = sdk.market.getQuote({ n }); return ++n < 3 ? next() : r; })':
      [4],
    'let n = 0; utils.parallel(function next() { const r = sdk.market.getQuote({ n }); return ++n < 3 ? (function () { return next(); })() : r; })':
      [4],
    'utils.parallel()': [],
    'utils.parallel(() => 1, () => undefined)': [1, undefined],
    'const { market } = sdk; utils.parallel(() => market.getQuote({ n: 7 }))': [14],
    'utils.parallel(() => sdk.market.getQuote(...[{ n: 8 }]))': [16],
    "utils.parallel(() => sdk['market']['getQuote']({ n: sdk.market.getQuote({ n: 1 }) }))": [4],
  };
  for (const [code, want] of Object.entries(results)) expect(await manager.executeCode(code), code).toStrictEqual(want);
});

test('the style follows from the syntax tree unless an option forces one', async () => {
  const manager = managerOf({ stateSchema: anyState, adapters: async () => 1 });
  const styleOf = async (code, style) => {
    let report;
    const output = await manager.executeCode(code, { onReport: (it) => (report = it), ...(style && { style }) });
    return [report.style, output];
  };
  expect(await styleOf('sdk.market.getQuote() + 1')).toStrictEqual(['sync', 2]);
  expect(await styleOf("'await Promise'; sdk.market.getQuote() + 1")).toStrictEqual(['sync', 2]);
  expect(await styleOf('(async () => { return (await sdk.market.getQuote()) + 1 })()')).toStrictEqual(['async', 2]);
  expect(await styleOf('(async () => { return sdk.market.getQuote() + 1 })()')).toStrictEqual(['sync', 2]);
  expect(await styleOf('await sdk.market.getQuote() + 1', 'sync')).toStrictEqual(['sync', 2]);
  expect(await styleOf('sdk.market.getQuote()', 'async')).toStrictEqual(['async', 1]);
});

test('failures of adapters and of parameters can be caught and have a place', async () => {
  const manager = managerOf({
    stateSchema: anyState,
    adapters: async (source, method, { code }) => {
      throw Object.assign(new RangeError('too far'), { code });
    },
  });
  const caught = 'error) { [error.name, error.message, error.code] }';
  expect(await manager.executeCode(`try { sdk.market.getQuote({ code: 'E_FAR' }) } catch (${caught}`)).toStrictEqual([
    'RangeError',
    'too far',
    'E_FAR',
  ]);
  expect(await manager.executeCode(`try { await sdk.market.getQuote({ code: 5 }) } catch (${caught}`)).toStrictEqual([
    'RangeError',
    'too far',
    5,
  ]);
  expect(
    await manager.executeCode(
      `utils.parallel(() => { try { sdk.market.getQuote({ code: 1 }) } catch (error) { return error.message } })`,
    ),
  ).toStrictEqual(['too far']);
  const places = {
    '\n  sdk.market.getQuote()': [2, 14],
    '\n  await sdk.market.getQuote()': [2, 20],
    "'\u{1f600}ü'; await Promise.all([1, sdk.market.getQuote({})])": [1, 41],
    'utils.parallel(\n  () => 1,\n  () => sdk.market.getQuote({}).x)': [3, 9],
    'utils.parallel(() => 1,\n  () => { sdk.market.getQuote({}); })': [2, 11],
  };
  for (const [code, [line, column]] of Object.entries(places)) {
    const error = await expectCode(manager.executeCode(code), 'ERR_TOOL_PROXY_FAIL');
    expect(error.details, code).toMatchObject({
      tool: 'sdk.market.getQuote',
      name: 'RangeError',
      message: 'too far',
      line,
    });
    expect([code, error.details.column]).toStrictEqual([code, column]);
    expect(error.cause).toBeInstanceOf(RangeError);
    expect(error.details.stack).not.toMatch(/step-|__sdk_/);
    expect(error.details.codeFrame).toContain('^ RangeError: too far');
  }
  const wrong = await expectCode(manager.executeCode('\n sdk.market.getKline({ symbol: 5 })'), 'ERR_INVALID_PARAMS');
  expect(wrong.details).toMatchObject({ line: 2, tool: 'sdk.market.getKline' });
  const unknown = await expectCode(manager.executeCode('sdk.market.getKlin()'), 'ERR_RUNTIME_EXCEPTION');
  expect(unknown.details.hint).toBe('there is no sdk.market.getKlin; did you mean sdk.market.getKline?');
});

test('positions refer to the original code', async () => {
  const manager = managerOf({ stateSchema: anyState, adapters: async () => 1 });
  const code = 'utils.parallel(() => sdk.market.getQuote({}), () => sdk.market.getQuote({}) + missing);';
  const error = await expectCode(manager.executeCode(code), 'ERR_RUNTIME_EXCEPTION');
  expect(error.details).toMatchObject({ line: 1, column: code.indexOf('missing') + 1 });
  expect(error.details.codeFrame.split('\n')[1]).toBe(`1 | ${code}`);
  const warned = await expectCode(
    manager.executeCode('await sdk.market.getQuote({}); process.env'),
    'ERR_RUNTIME_EXCEPTION',
  );
  expect(warned.details.diagnostics[0].location).toStrictEqual({ line: 1, column: 32 });
});

test('code frames of validation errors show the original code', async () => {
  const manager = managerOf({ stateSchema: anyState });
  const frames = {
    'let a = 1; let a = 2;': [1, 16],
    'const x = await sdk.market.getQuote({});\nexport * from "x";': [2, 1],
  };
  for (const [code, [line, column]] of Object.entries(frames)) {
    const { details } = await expectCode(manager.executeCode(code), 'ERR_VALIDATION_FAILED');
    expect(details.diagnostics[0].location).toStrictEqual({ line, column });
    const shown = code.split('\n').map((text, i) => `${i + 1} | ${text}`);
    expect(details.codeFrame.split('\n').slice(1, -1)).toStrictEqual(shown);
    expect(details.codeFrame.split('\n').at(-1)).toBe(
      `  | ${' '.repeat(column - 1)}^ ${details.diagnostics[0].message}`,
    );
  }
});

test('calls that were not awaited are reported by their names in guest code', async () => {
  const manager = managerOf({ stateSchema: anyState, adapters: () => new Promise(() => {}) });
  let report;
  const options = { style: 'async', onReport: (it) => (report = it) };
  await manager.executeCode('sdk.market.getQuote(); sdk.market.getQuote(); sdk.social.searchTweets(); 1', options);
  const text =
    '3 tool calls were not awaited and dropped when the run ended: sdk.market.getQuote, sdk.social.searchTweets; ' +
    '`await` each, or all together with `await Promise.all([…])`';
  expect([report.logs, report.logEntries[0].message]).toStrictEqual([text, text]);
});

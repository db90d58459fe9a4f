// Both styles of the specification: calls that give values, and calls that give promises. What runs at the same time is shown by
// the order of events: no call is answered before all have been made.
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
  test.each(Object.keys(AT_ONCE))('%s', async (name) => {
    const manager = managerOf({ adapters: together(3), stateSchema: anyState });
    expect(await manager.executeCode(AT_ONCE[name])).toEqual([1, 2, 3]);
  });
});

test('a function goes on while the others wait, and each keeps its order', async () => {
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
  expect(await manager.executeCode(code)).toEqual(['a,a2', 'b,b2']);
  expect(events).toEqual(['call a', 'call b', 'call a2', 'call b2']);
});

test('where it cannot be known, calls wait where they are, with the same result', async () => {
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
  for (const [code, want] of Object.entries(results)) expect(await manager.executeCode(code), code).toEqual(want);
});

test('the style follows from the syntax tree, and an option forces one', async () => {
  const manager = managerOf({ stateSchema: anyState, adapters: async () => 1 });
  const styleOf = async (code, style) => {
    let report;
    const output = await manager.executeCode(code, { onReport: (it) => (report = it), ...(style && { style }) });
    return [report.style, output];
  };
  expect(await styleOf('sdk.market.getQuote() + 1')).toEqual(['sync', 2]);
  expect(await styleOf("'await Promise'; sdk.market.getQuote() + 1")).toEqual(['sync', 2]);
  expect(await styleOf('(async () => { return (await sdk.market.getQuote()) + 1 })()')).toEqual(['async', 2]);
  expect(await styleOf('(async () => { return sdk.market.getQuote() + 1 })()')).toEqual(['sync', 2]);
  expect(await styleOf('await sdk.market.getQuote() + 1', 'sync')).toEqual(['sync', 2]);
  expect(await styleOf('sdk.market.getQuote()', 'async')).toEqual(['async', 1]);
});

test('failures of adapters and of parameters can be caught, and say where they are', async () => {
  const manager = managerOf({
    stateSchema: anyState,
    adapters: async (source, method, { code }) => {
      throw Object.assign(new RangeError('too far'), { code });
    },
  });
  const caught = 'error) { [error.name, error.message, error.code] }';
  expect(await manager.executeCode(`try { sdk.market.getQuote({ code: 'E_FAR' }) } catch (${caught}`)).toEqual([
    'RangeError',
    'too far',
    'E_FAR',
  ]);
  expect(await manager.executeCode(`try { await sdk.market.getQuote({ code: 5 }) } catch (${caught}`)).toEqual([
    'RangeError',
    'too far',
    5,
  ]);
  expect(
    await manager.executeCode(
      `utils.parallel(() => { try { sdk.market.getQuote({ code: 1 }) } catch (error) { return error.message } })`,
    ),
  ).toEqual(['too far']);
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
    expect([code, error.details.column]).toEqual([code, column]);
    expect(error.cause).toBeInstanceOf(RangeError);
    expect(error.details.stack).not.toMatch(/step-|__sandbox/);
    expect(error.details.codeFrame).toContain('^ RangeError: too far');
  }
  const wrong = await expectCode(manager.executeCode('\n sdk.market.getKline({ symbol: 5 })'), 'ERR_INVALID_PARAMS');
  expect(wrong.details).toMatchObject({ line: 2, tool: 'sdk.market.getKline' });
  const unknown = await expectCode(manager.executeCode('sdk.market.getKlin()'), 'ERR_RUNTIME_EXCEPTION');
  expect(unknown.details.hint).toBe('there is no sdk.market.getKlin; did you mean sdk.market.getKline?');
});

test('positions are those of the code, whatever was added to it', async () => {
  const manager = managerOf({ stateSchema: anyState, adapters: async () => 1 });
  const code = 'utils.parallel(() => sdk.market.getQuote({}), () => sdk.market.getQuote({}) + missing);';
  const error = await expectCode(manager.executeCode(code), 'ERR_RUNTIME_EXCEPTION');
  expect(error.details).toMatchObject({ line: 1, column: code.indexOf('missing') + 1 });
  expect(error.details.codeFrame.split('\n')[1]).toBe(`1 | ${code}`);
  const warned = await expectCode(
    manager.executeCode('await sdk.market.getQuote({}); process.env'),
    'ERR_RUNTIME_EXCEPTION',
  );
  expect(warned.details.diagnostics[0].location).toEqual({ line: 1, column: 32 });
});

test('the lines round what keeps a program from running are those of the code', async () => {
  const manager = managerOf({ stateSchema: anyState });
  const frames = {
    'let a = 1; let a = 2;': [1, 16],
    'const x = await sdk.market.getQuote({});\nexport * from "x";': [2, 1],
  };
  for (const [code, [line, column]] of Object.entries(frames)) {
    const { details } = await expectCode(manager.executeCode(code), 'ERR_VALIDATION_FAILED');
    expect(details.diagnostics[0].location).toEqual({ line, column });
    const shown = code.split('\n').map((text, i) => `${i + 1} | ${text}`);
    expect(details.codeFrame.split('\n').slice(1, -1)).toEqual(shown);
    expect(details.codeFrame.split('\n').at(-1)).toBe(
      `  | ${' '.repeat(column - 1)}^ ${details.diagnostics[0].message}`,
    );
  }
});

test('calls that nobody has awaited are named as guests name them', async () => {
  const manager = managerOf({ stateSchema: anyState, adapters: () => new Promise(() => {}) });
  let report;
  const options = { style: 'async', onReport: (it) => (report = it) };
  await manager.executeCode('sdk.market.getQuote(); sdk.market.getQuote(); sdk.social.searchTweets(); 1', options);
  const text =
    '3 tool calls were not awaited and dropped when the run ended: sdk.market.getQuote, sdk.social.searchTweets; ' +
    '`await` each, or all at once by `await Promise.all([…])`';
  expect([report.logs, report.logEntries[0].message]).toEqual([text, text]);
});

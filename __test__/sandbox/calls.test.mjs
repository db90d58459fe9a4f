// SDK calls as the host sees them: parameters, limits, rates, and signals.
import { getEventListeners } from 'node:events';
import { createRequire } from 'node:module';

import { describe, expect, test, vi } from 'vitest';

import { Methods } from '../../build/sandbox/adapters.js';
import { RateLimit } from '../../build/sandbox/rate-limits.js';
import { anyState } from '../../build/sandbox/index.js';
import { cpuMs } from '../cpu-time.mjs';
import { deferred, expectCode, rejection } from '../helpers.mjs';
import { managerOf, registry } from './market.mjs';

const require = createRequire(import.meta.url);
const { Execution } = require('../../build/sandbox/execution.js');
const { ParamsReader } = require('../../build/sandbox/params.js');
const { SharedSchemas } = require('../../build/json-schema/index.js');

/** What the reader says of parameters, or the parameters. */
async function read(schema, params, maxBytes = 65_536) {
  const reader = new ParamsReader('sdk.a.b', JSON.stringify(schema), maxBytes);
  try {
    return await reader.read(typeof params === 'string' ? params : JSON.stringify(params));
  } catch (error) {
    expect(error.code).toBe('ERR_INVALID_PARAMS');
    return error.message.replace('the parameters of sdk.a.b are not valid: ', '');
  }
}

/** Calls `body` with timers and a clock that the test advances. */
async function withFakeTime(body) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    await body({ clearTimeout, performance, setTimeout });
  } finally {
    vi.useRealTimers();
  }
}

test('messages name the parameter, the given value and the expected one', async () => {
  const schema = registry.sources[0].methods[0].params;
  expect(await read(schema, { symbol: 'XAU', limit: 5, tags: ['a', 'b'] })).toStrictEqual({
    symbol: 'XAU',
    limit: 5,
    tags: ['a', 'b'],
  });
  expect(await read(schema, {})).toBe('symbol is missing');
  expect(await read(schema, { symbol: 5 })).toBe('symbol must be string, got 5');
  expect(await read(schema, { symbol: 'xau' })).toBe('symbol must match pattern "^[A-Z]{3,8}$", got "xau"');
  expect(await read(schema, { symbol: 'XAU', timeframe: '5m' })).toBe(
    'timeframe must be one of "1m", "1h", "1D", got "5m"',
  );
  expect(await read(schema, { symbol: 'XAU', limit: 0 })).toBe('limit must be >= 1, got 0');
  expect(await read(schema, { symbol: 'XAU', limit: 1.5 })).toBe('limit must be integer, got 1.5');
  expect(await read(schema, { symbol: 'XAU', tags: ['a', 3] })).toBe('tags.1 must be string, got 3');
  expect(await read(schema, { symbol: 'XAU', tags: ['a', 'a'] })).toBe(
    'tags must not have duplicate items, got ["a","a"]',
  );
  expect(await read(schema, { symbol: 'XAU', symbl: 1 })).toBe('symbl is not a parameter');
  expect(await read(schema, 5)).toBe('they must be one object, got 5');
  expect(await read(schema, '{')).toBe('they must be JSON');
  expect(await read({ type: 'object', required: ['toString'] }, {})).toBe('toString is missing');
  expect(await read({ type: 'object', properties: { a: { const: 1 } } }, { a: 2 })).toBe('a must be 1, got 2');
  expect(
    await read(
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { items: [{ type: 'string' }] } },
      },
      { a: [1] },
    ),
  ).toBe('a.0 must be string, got 1');
});

test('parameters are checked in time proportional to their length', async () => {
  // Backtracking would take 2^n steps for n letters.
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string', pattern: '^(a+)+$' },
      b: { uniqueItems: true },
      c: { type: 'string', pattern: '^b$' },
    },
  };
  const timed = async (params, by = schema) => {
    const from = cpuMs();
    const said = await read(by, params);
    return [said, cpuMs() - from];
  };
  await timed({ a: 'a', b: [1] });
  const [said, ms] = await timed({ a: `${'a'.repeat(60_000)}!` });
  expect(said).toMatch(/^a must match pattern/);
  const [, reference] = await timed({ a: 'a'.repeat(60_000) });
  expect(ms).toBeLessThan(20 * reference + 50);
  // Each item against each other one would be 10^7 comparisons of objects.
  const items = Array.from({ length: 6_000 }, (_, i) => ({ i }));
  const [unique, uniqueMs] = await timed({ b: items });
  expect(unique).toStrictEqual({ b: items });
  const [, unlimited] = await timed({ b: items }, {});
  expect(uniqueMs).toBeLessThan(20 * unlimited + 50);
  const equal = [
    { x: 1, y: 2 },
    { y: 2, x: 1 },
  ];
  expect((await timed({ b: equal }))[0]).toMatch(/^b must not have duplicate items/);
  expect(await read(schema, { c: 'a' })).toMatch(/^c must match/);
  expect(await read(schema, `{"a":"${'x'.repeat(100)}"}`, 50)).toBe(
    'they take 108 characters of JSON, and at most 50 are allowed',
  );
  expect(await read(schema, `{"a":${'['.repeat(100)}${']'.repeat(100)}}`)).toBe('they must be nested at most 64 deep');
  // The object is the first level.
  const nested = (levels) => read({}, `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);
  expect([typeof (await nested(64)), await nested(65)]).toStrictEqual([
    'object',
    'they must be nested at most 64 deep',
  ]);
  expect([await read(schema, '{"d":12}', 8), await read(schema, '{"d":123}', 8)]).toStrictEqual([
    { d: 12 },
    'they take 9 characters of JSON, and at most 8 are allowed',
  ]);
  expect(await read(schema, '{"x":{"__proto__":{"a":1}}}')).toBe('no object may have the key `__proto__`');
});

/** Schemas of which each refers to three others. */
function linkedDefs(count) {
  const link = (i, k) => ({ $ref: `#/$defs/entity${(i * 7 + k * 31 + 1) % count}` });
  const properties = (i) => ({ id: { type: 'string' }, a: link(i, 1), b: link(i, 2), c: link(i, 3) });
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`entity${i}`, { type: 'object', properties: properties(i) }]),
  );
}

test('shared schemas are read when a value reaches them, over several turns of the event loop', async () => {
  const defs = Object.entries(linkedDefs(1_000));
  const schemas = new SharedSchemas(new Map(defs.map(([name, schema]) => [name, JSON.stringify(schema)])));
  const readerOf = (names) => {
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    return new ParamsReader('sdk.a.b', JSON.stringify({ type: 'object', properties }), 65_536, schemas);
  };
  const all = readerOf(defs.map(([name]) => name));
  const measured = async (reader, params) => {
    const text = JSON.stringify(params);
    const from = performance.now();
    let turns = 0;
    let isRead = false;
    const reading = reader.read(text).finally(() => (isRead = true));
    while (!isRead) await new Promise((resolve) => setImmediate(() => resolve(turns++)));
    expect(await reading).toStrictEqual(params);
    return { turns, ms: performance.now() - from };
  };
  const everything = Object.fromEntries(defs.map(([name]) => [name, { id: name, a: {} }]));
  await measured(all, {});
  const first = await measured(all, everything);
  expect(first.turns).toBeGreaterThan(1);
  expect(schemas.node('entity0')).toBe(schemas.node('entity0'));
  await measured(readerOf(['entity0', 'entity1']), { entity0: { a: { b: {} } }, entity1: {} });
  const error = await rejection(all.read('{"entity0":{"a":{"b":{"c":{"id":5}}}}}'));
  expect(error.message).toBe('the parameters of sdk.a.b are not valid: entity0.a.b.c.id must be string, got 5');
});

test('a reference that leads nowhere fails only calls that reach it', async () => {
  const reader = new ParamsReader('sdk.a.b', '{"properties":{"a":{"$ref":"#/$defs/nothing"}}}', 65_536);
  expect(await reader.read('{}')).toStrictEqual({});
  expect(await rejection(reader.read('{"a":1}'))).toMatchObject({
    code: 'ERR_INVALID_SCHEMA',
    message: 'the schema of sdk.a.b cannot be used: the reference #/$defs/nothing leads nowhere',
  });
});

test("a method's own schemas take precedence over shared ones", async () => {
  const schemas = new SharedSchemas(new Map([['a', '{"type":"string"}'], ['b', '{"$ref":"#/$defs/a"}']])); // prettier-ignore
  const own = { properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/b' } }, $defs: { a: { type: 'integer' } } };
  const reader = new ParamsReader('sdk.a.b', JSON.stringify(own), 65_536, schemas);
  expect(await reader.read('{"a":1,"b":"x"}')).toStrictEqual({ a: 1, b: 'x' });
  expect((await rejection(reader.read('{"a":"x","b":1}'))).issues.map(({ message }) => message)).toStrictEqual([
    'a must be integer, got "x"',
    'b must be string, got 1',
  ]);
});

describe('patterns of schemas', () => {
  test.each([
    ['^[\\u4e00-\\u9fa5]{2,3}$', ['张三'], ['三', 'ab']],
    ['^[\\u0020-\\uD7FF\\uE000-\\uFFFD]*$', ['a'], ['\n', '😀']],
    ['^\\u{1F600}\\uD83D\\uDE00{2}$', ['😀😀😀'], ['😀😀']],
    ['^[\\uD83D\\uDE00-\\uD83D\\uDE4F]$', ['😁'], ['🙐', '\uD83D']],
    ['^[^]$', ['\n', 'a'], ['', 'ab']],
    ['^([]|a)$', ['a'], [']']],
    ['^\\cJ[^\\cA\\b]$', ['\na'], ['\n\u0001', '\n\b', 'Ja']],
    ['^\\p{Script=Han}\\P{L}\\é$', ['张1é'], ['a1é', '张aé']],
    ['^(?<first>a)(b){2}$', ['abb'], ['ab']],
    ['^.{1,2048}$', ['a', 'a'.repeat(1_000), 'a'.repeat(2_048)], ['', 'a'.repeat(2_049)]],
    ['^[ab]{1500,2500}?c$', [`${'a'.repeat(1_500)}c`, `${'b'.repeat(2_500)}c`], [`${'a'.repeat(1_499)}c`, 'c']],
    ['^([a-z]{1,63}\\.){1,20}$', ['a.bc.', 'a.'.repeat(20)], ['', 'a', 'a.'.repeat(21)]],
  ])('%s matches as in ECMAScript', async (pattern, matching, others) => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern } } };
    for (const a of matching) expect(await read(schema, { a })).toStrictEqual({ a });
    for (const a of others) expect(await read(schema, { a })).toMatch('a must match pattern');
  });

  test.each([
    ['(?=a)b', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
    ...['a{2000}', '^a*b{2000}', '^a|b{2000}', '^(?:[ab]{1,100}){1,100}$'].map((pattern) => [
      pattern,
      'repeats of more than 1000 are allowed only in patterns of at most 3000 characters that begin with ^ and have no loops',
    ]),
  ])('%s, which cannot be matched in linear time, fails only calls that reach it', async (pattern, reason) => {
    const params = { type: 'object', properties: { a: { type: 'string', pattern }, b: {} } };
    const manager = managerOf({
      stateSchema: anyState,
      registry: { sources: [{ name: 'a', methods: [{ name: 'b', params }] }] },
      adapters: () => 'called',
    });
    expect(await manager.executeCode('sdk.a.b({ b: 1 })')).toBe('called');
    const error = await expectCode(manager.executeCode("sdk.a.b({ a: 'x' })"), 'ERR_INVALID_SCHEMA');
    expect([error.retryable, error.message]).toStrictEqual([
      false,
      `the schema of sdk.a.b cannot be used: the pattern ${pattern} cannot be used: ${reason}`,
    ]);
  });
});

test('suggestions come from the first two hundred names of similar length', () => {
  const said = (names) =>
    new Methods({ hasSource: () => true, methodNames: () => names }, () => {}, 1).unknown('a', 'getQuot');
  const others = (prefix) => Array.from({ length: 200 }, (_, i) => `${prefix}${String(i).padStart(3, '0')}`);
  expect(said([...others('methodOf'), 'getQuote'])).toBe('there is no sdk.a.getQuot; did you mean sdk.a.getQuote?');
  expect(said([...others('wwww'), 'getQuote'])).toBe(
    `there is no sdk.a.getQuot; there are ${others('wwww').slice(0, 12).join(', ')} and others`,
  );
});

test('one call too many ends the execution, over all sources, caught or not', async () => {
  let calls = 0;
  const manager = managerOf({ maxSdkCalls: 3, stateSchema: anyState, adapters: async () => ++calls });
  expect(
    await manager.executeCode('[sdk.market.getQuote(), sdk.social.searchTweets(), sdk.market.getQuote()]'),
  ).toStrictEqual([1, 2, 3]);
  const programs = [
    'for (;;) try { sdk.market.getQuote() } catch {}',
    'for (;;) try { await sdk.market.getQuote() } catch {}',
    'await Promise.allSettled(Array.from({ length: 9 }, () => sdk.social.searchTweets()))',
    `try { utils.parallel(${'() => sdk.market.getQuote(),'.repeat(9)}) } catch {} 'done'`,
    // Calls that are not valid count too.
    'for (;;) try { sdk.market.getKline({ symbol: 5 }) } catch {}',
  ];
  for (const code of programs) {
    calls = 0;
    const error = await expectCode(manager.executeCode(code), 'ERR_SDK_CALL_LIMIT_EXCEEDED');
    expect(error).toMatchObject({ retryable: true, details: { maxSdkCalls: 3 } });
    expect(calls).toBeLessThanOrEqual(3);
  }
});

test('the signal of a call is aborted when its execution ends, for any reason', async () => {
  const signals = [];
  const manager = managerOf({
    stateSchema: anyState,
    executionTimeoutMs: 1_000,
    adapters: async (source, method, params, { signal }) => {
      signals.push(signal);
      return params.hang ? new Promise(() => {}) : 1;
    },
  });
  await manager.executeCode('sdk.market.getQuote()');
  await expectCode(manager.executeCode('sdk.market.getQuote(); throw new Error("x")'), 'ERR_RUNTIME_EXCEPTION');
  await expectCode(manager.executeCode('sdk.market.getQuote({ hang: true })'), 'ERR_EXEC_TIMEOUT');
  await expectCode(manager.executeCode('await sdk.market.getQuote({ hang: true })'), 'ERR_EXEC_TIMEOUT');
  await manager.executeCode('await Promise.race([sdk.market.getQuote({ hang: true }), 1])');
  expect(signals.map(({ aborted }) => aborted)).toStrictEqual([true, true, true, true, true]);
});

test('a rate limit admits calls in order, up to its concurrency', async () => {
  const limit = new RateLimit({ perSecond: Infinity, concurrency: 2 });
  const { signal } = new AbortController();
  const events = [];
  const enter = (id) => limit.enter(signal).then((leave) => (events.push(id), leave));
  const all = ['a', 'b', 'c', 'd'].map(enter);
  const leaveA = await all[0];
  await all[1];
  expect(events).toStrictEqual(['a', 'b']);
  leaveA();
  leaveA();
  const leaveC = await all[2];
  await Promise.resolve();
  expect(events).toStrictEqual(['a', 'b', 'c']);
  leaveC();
  await all[3];
  expect(events).toStrictEqual(['a', 'b', 'c', 'd']);
});

test('an ended caller leaves the queue of the rate limit and returns its slot', async () => {
  const limit = new RateLimit({ perSecond: Infinity, concurrency: 1 });
  const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()];
  await limit.enter(one.signal);
  const second = limit.enter(two.signal);
  const third = limit.enter(three.signal);
  two.abort(new Error('ended'));
  await expect(second).rejects.toThrow('ended');
  one.abort();
  expect(await third).toBeTypeOf('function');
  await expect(limit.enter(one.signal)).rejects.toBe(one.signal.reason);
});

test('the rate limit keeps nothing of callers that had their turn or left the queue', async () => {
  await withFakeTime(async (time) => {
    const limit = new RateLimit({ perSecond: 1, concurrency: Infinity }, time);
    const [one, two] = [new AbortController(), new AbortController()];
    const leave = await limit.enter(one.signal);
    expect(getEventListeners(one.signal, 'abort')).toHaveLength(1);
    leave();
    expect(getEventListeners(one.signal, 'abort')).toStrictEqual([]);
    const waiting = limit.enter(two.signal);
    expect(vi.getTimerCount()).toBe(1);
    two.abort();
    await expect(waiting).rejects.toBe(two.signal.reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('calls beyond the rate wait for the next second', async () => {
  await withFakeTime(async (time) => {
    const limit = new RateLimit({ perSecond: 2, concurrency: Infinity }, time);
    const { signal } = new AbortController();
    const begun = [];
    for (const id of [1, 2, 3, 4, 5]) limit.enter(signal).then(() => begun.push(id));
    // Two at once, two a second later, and the last another second later: never sooner.
    const after = async (ms) => {
      await vi.advanceTimersByTimeAsync(ms);
      return begun.length;
    };
    expect([await after(0), await after(999), await after(1), await after(999), await after(1)]).toStrictEqual([
      2, 2, 4, 4, 5,
    ]);
    expect(begun).toStrictEqual([1, 2, 3, 4, 5]);
  });
});

// The executor's hint is of its tools, which are the manager's own, and of an option that a manager does not have.
test.each([
  ['sdk.market.getQuote(); 1', 'sdk.market.getQuote'],
  [
    'utils.parallel(() => sdk.market.getQuote(), () => sdk.social.searchTweets())',
    'sdk.market.getQuote, sdk.social.searchTweets',
  ],
])('a timeout names the methods that had not answered: %s', async (code, names) => {
  const manager = managerOf({ executionTimeoutMs: 300, adapters: () => new Promise(() => {}) });
  const { details } = await expectCode(manager.executeCode(code), 'ERR_EXEC_TIMEOUT');
  expect(details.hint).toBe(
    `Do less in one run, and await only promises that settle. At the deadline there was no answer from ${names}: waiting for it counts.`,
  );
});

test('rate limits apply across executions, and waiting counts towards the deadline', async () => {
  const gate = deferred();
  let calls = 0;
  const manager = managerOf({
    stateSchema: anyState,
    rateLimits: { market: { concurrency: 1 } },
    executionTimeoutMs: 20_000,
    adapters: async (source, method, { first }) => {
      calls++;
      return first ? gate.promise : calls;
    },
  });
  const first = manager.executeCode('sdk.market.getQuote({ first: true })');
  while (calls < 1) await new Promise((resolve) => setImmediate(resolve));
  const other = new AbortController();
  const waiting = manager.executeCode('sdk.market.getQuote()', { signal: other.signal });
  expect(await manager.executeCode('sdk.social.searchTweets()')).toBe(2);
  other.abort();
  await expectCode(waiting, 'ERR_EXEC_TIMEOUT');
  expect(calls).toBe(2);
  gate.resolve('first');
  expect(await first).toBe('first');
});

describe('an execution', () => {
  /** One whose parameters are read, and whose adapter is called, when the test says so. */
  function executionOf({ maxSdkCalls = 10, read = async () => ({}), kind = 'execute', rate = undefined } = {}) {
    const adapted = [];
    const answer = deferred();
    const adapter = (params, call) => (adapted.push({ params, call }), answer.promise);
    const methodOf = (source) => (source === 'a' ? { reader: { read }, adapter } : 'there is no such source');
    const execution = new Execution(kind, { methodOf, rateLimitOf: () => rate, maxSdkCalls }, 'context');
    return { execution, adapted, answer };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('that ends while parameters are being read calls no adapter', async () => {
    const reading = deferred();
    const { execution, adapted } = executionOf({ read: () => reading.promise });
    const answered = vi.fn();
    execution.call('a', 'b', '{}').then(answered, answered);
    execution.end();
    reading.resolve({});
    await settled();
    expect(adapted).toStrictEqual([]);
    expect(answered).not.toHaveBeenCalled();
  });

  test('that ends while an adapter works returns neither its answer nor its failure to the guest', async () => {
    for (const settle of ['resolve', 'reject']) {
      const { execution, answer, adapted } = executionOf();
      const answered = vi.fn();
      execution.call('a', 'b', '{}').then(answered, answered);
      await settled();
      execution.end('over');
      answer[settle](new Error('late'));
      await settled();
      expect(answered).not.toHaveBeenCalled();
      expect(adapted[0].call.signal.aborted).toBe(true);
      expect(adapted[0].call.signal.reason).toBe('over');
    }
  });

  test('that has ended makes no further call and counts none', async () => {
    const { execution, adapted } = executionOf();
    execution.end();
    execution.call('a', 'b', '{}');
    await settled();
    expect([adapted, execution.callsBySource, execution.unanswered]).toStrictEqual([[], {}, []]);
  });

  test('makes as many calls as allowed and ends at the next one, caught or not', async () => {
    const { execution, adapted, answer } = executionOf({ maxSdkCalls: 2 });
    answer.resolve('x');
    expect(await Promise.all([execution.call('a', 'b', '{}'), execution.call('a', 'b', '{}')])).toStrictEqual([
      'x',
      'x',
    ]);
    expect(execution.isOver).toBe(false);
    execution.call('a', 'b', '{}');
    await settled();
    expect([adapted.length, execution.isOver, execution.failure.code]).toStrictEqual([
      2,
      true,
      'ERR_SDK_CALL_LIMIT_EXCEEDED',
    ]);
    expect(execution.stop.aborted).toBe(true);
    expect(execution.callsBySource).toStrictEqual({ a: 2 });
  });

  test('names a method without an answer once, until it has one', async () => {
    const { execution, answer } = executionOf();
    const calls = [execution.call('a', 'b', '{}'), execution.call('a', 'b', '{}')];
    expect(execution.unanswered).toStrictEqual(['sdk.a.b']);
    answer.resolve();
    await Promise.all(calls);
    expect(execution.unanswered).toStrictEqual([]);
  });

  test('counts no call of an unknown method', async () => {
    const { execution } = executionOf();
    await expectCodeOf(execution.call('other', 'b', '{}'), 'ERR_UNKNOWN_METHOD');
    expect(execution.callsBySource).toStrictEqual({});
  });

  test('of a search has no sdk', async () => {
    const { execution, adapted } = executionOf({ kind: 'search' });
    await expectCodeOf(execution.call('a', 'b', '{}'), 'ERR_UNKNOWN_METHOD');
    expect(adapted).toStrictEqual([]);
  });

  test('leaves the rate limit after the adapter has answered or failed', async () => {
    for (const settle of ['resolve', 'reject']) {
      const leave = vi.fn();
      const { execution, answer } = executionOf({ rate: { enter: async () => leave } });
      const called = execution.call('a', 'b', '{}').catch(() => {});
      await settled();
      expect(leave).not.toHaveBeenCalled();
      answer[settle](new Error('x'));
      await called;
      expect(leave).toHaveBeenCalledOnce();
    }
  });

  test('returns the answer of a ticket once, in the order in which answers arrive', async () => {
    const { execution, answer } = executionOf();
    const [first, refused] = [execution.start('a', 'b', '{}'), execution.start('other', 'b', '{}')];
    expect(await execution.next()).toBe(refused);
    expect(() => execution.take(refused)).toThrow('there is no such source');
    const next = execution.next();
    answer.resolve('x');
    expect(await next).toBe(first);
    expect(execution.take(first)).toBe('x');
    expect(() => execution.take(first)).toThrow(new TypeError('there is no such call'));
  });

  test('keeps the first failure that ended it', () => {
    const { execution } = executionOf();
    const [first, second] = [new Error('first'), new Error('second')];
    execution.fail(first);
    execution.fail(second);
    expect([execution.failure, execution.signal.reason]).toStrictEqual([first, first]);
  });
});

/** Fails unless `promise` rejects with an error of that code. */
async function expectCodeOf(promise, code) {
  expect((await rejection(promise)).code).toBe(code);
}

// What the host's side of an isolate does, without an isolate: tool calls of one run, logs, and values on their way.

import { createRequire } from 'node:module';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { deferred, rejection } from '../helpers.mjs';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { REPLY_KIND, VALUE_KIND } = require('../../build/contract/boundary-numbers.js');
const clock = require('../../build/contract/clock.js');
const { RunScope } = require('../../build/contract/run-scope.js');
const { ToolRegistry } = require('../../build/contract/tool-registry.js');
const { ToolTimes } = require('../../build/contract/tool-times.js');
const { LogFeed } = require('../../build/ses/log-feed.js');
const { nativeModules } = require('../../build/ses/modules.js');
const { readOutput } = require('../../build/ses/output.js');
const { RunCalls } = require('../../build/ses/run-calls.js');
const transfer = require('../../build/ses/transfer.js');
const { ownView } = require('../../build/ses/typed-arrays.js');
const { findUncloneable } = require('../../build/ses/uncloneable.js');

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('tool calls of a run', () => {
  /** Calls of the tools `fns`, by number; what the guest is answered is noted as single answers and as lists. */
  function callsOf(fns, more = {}) {
    const sent = [];
    const tools = fns.map((fn) => ({ path: ['f'], fn, self: undefined, isBlocking: false, length: 0 }));
    const run = { toolTimes: new ToolTimes(), context: { runInAsyncScope: (call) => call() } };
    const executor = {
      runUnderWay: () => run,
      tools: { get: (id) => tools[id] },
      maxTransferBytes: 1_000,
      maxConcurrentToolCalls: 2,
      onToolCall: undefined,
      promising: new WeakSet(),
      native: {
        toolResult: (...answer) => sent.push(answer),
        toolResults: (answers) => sent.push({ together: answers }),
      },
      ...more,
    };
    return { calls: new RunCalls(executor), sent, executor };
  }
  const { PROMISE, ERROR } = REPLY_KIND;

  test('a synchronous tool is answered immediately', () => {
    const { calls, sent } = callsOf([(a, b) => a + b]);
    calls.add(1, 0, false, [2, 3]);
    expect(sent).toStrictEqual([[1, 0, 5]]);
    expect(calls.unanswered).toBe(0);
  });

  test('answers of one turn are sent together, the last answer immediately', async () => {
    const gates = [deferred(), deferred(), deferred()];
    const { calls, sent } = callsOf([async (at) => gates[at].promise]);
    for (const at of [0, 1, 2]) calls.add(at, 0, true, [at]);
    expect(calls.unanswered).toBe(3);
    gates[0].resolve('a');
    gates[1].resolve('b');
    await turn();
    expect(sent).toStrictEqual([{ together: [0, 0, 'a', 1, 0, 'b'] }]);
    gates[2].resolve('c');
    await turn();
    expect(sent.slice(1)).toStrictEqual([[2, 0, 'c']]);
  });

  test('answers after the end of the run are dropped, and no waiting call starts', async () => {
    const gate = deferred();
    const tool = vi.fn(() => gate.promise);
    const { calls, sent } = callsOf([tool], { maxConcurrentToolCalls: 1 });
    for (const call of [1, 2, 3]) calls.add(call, 0, false, []);
    // The first one shows that it gives promises; of the others the guest gets one before they begin.
    expect(tool).toHaveBeenCalledTimes(1);
    const before = sent.length;
    calls.end();
    gate.reject(new Error('late'));
    await turn();
    expect(sent).toHaveLength(before);
    expect(tool).toHaveBeenCalledTimes(1);
    expect(calls.causeOf(1)).toBe(undefined);
  });

  test('as many tools run as the limit allows, and the next one starts when one settles', async () => {
    const gates = [deferred(), deferred(), deferred()];
    const begun = [];
    const { calls, sent } = callsOf([(at) => (begun.push(at), gates[at].promise)]);
    for (const at of [0, 1, 2]) calls.add(at, 0, false, [at]);
    expect(begun).toStrictEqual([0, 1]);
    expect(sent).toStrictEqual([0, 1, 2].map((at) => [at, PROMISE, undefined]));
    gates[1].resolve('b');
    await turn();
    expect(begun).toStrictEqual([0, 1, 2]);
    gates[0].reject(new Error('no'));
    gates[2].resolve('c');
    await turn();
    expect(calls.causeOf(0)).toStrictEqual({ cause: new Error('no') });
    const answers = sent.slice(3).flatMap((it) => (Array.isArray(it) ? it : it.together));
    expect(answers).toStrictEqual([1, 0, 'b', 0, ERROR, ['Error', 'no', undefined, false], 2, 0, 'c']);
  });

  test.each([1, 2, 3])(
    'of a guest that sends too many asynchronous calls, %i run at the same time',
    async (maxConcurrentToolCalls) => {
      const gates = [0, 1, 2, 3, 4].map(() => deferred());
      const begun = [];
      const { calls, sent } = callsOf([async (at) => (begun.push(at), gates[at].promise)], { maxConcurrentToolCalls });
      for (const at of [0, 1, 2, 3, 4]) calls.add(at, 0, true, [at]);
      for (let done = 0; done < 5; done++) {
        expect(begun).toStrictEqual([0, 1, 2, 3, 4].slice(0, done + maxConcurrentToolCalls));
        gates[done].resolve(`value ${done}`);
        await turn();
      }
      const answers = sent.flatMap((it) => (Array.isArray(it) ? it : it.together));
      expect(answers).toStrictEqual([0, 1, 2, 3, 4].flatMap((at) => [at, 0, `value ${at}`]));
      expect(calls.unanswered).toBe(0);
    },
  );

  test('the guest has to wait when the arguments of waiting calls exceed maxTransferBytes', async () => {
    const tool = () => new Promise(() => {});
    const { calls, sent } = callsOf([tool], { maxConcurrentToolCalls: 1, maxTransferBytes: 10 });
    calls.add(1, 0, false, []);
    calls.add(2, 0, false, ['x'.repeat(10)]);
    calls.add(3, 0, false, ['x']);
    expect(sent.map(([call]) => call)).toStrictEqual([1, 2]);
  });

  test('a call of a run that has ended, or of a revoked tool, calls no function', () => {
    const tool = vi.fn();
    const over = callsOf([tool], { runUnderWay: () => undefined });
    over.calls.add(1, 0, false, []);
    expect([over.sent, over.calls.unanswered]).toStrictEqual([[], 0]);
    const revoked = callsOf([]);
    revoked.calls.add(1, 0, false, []);
    expect(revoked.sent).toStrictEqual([[1, ERROR, ['Error', 'the host has revoked this tool', undefined, true]]]);
    expect(tool).not.toHaveBeenCalled();
  });

  test('large arguments are read across turns of the event loop, and calls keep their order', async () => {
    const order = [];
    const { calls } = callsOf([(value) => void order.push(typeof value === 'string' ? value.length : value)]);
    const large = transfer.encode(['x'.repeat(200_000)], 'x', Infinity);
    calls.add(1, 0, false, large);
    calls.add(2, 0, false, ['small']);
    while (order.length < 2) await turn();
    expect(order).toStrictEqual([200_000, 5]);
  });
});

describe('a log feed', () => {
  const entries = (count) => Array.from({ length: count }, (_, at) => ({ message: String(at) })).values();

  test('keeps no entries while all have been delivered', () => {
    const told = [];
    const feed = new LogFeed(
      ({ message }) => told.push(message),
      () => {},
    );
    expect(feed.keeps(1, [])).toBe(false);
    feed.begin(entries(3));
    expect(told).toStrictEqual(['0', '1', '2']);
    expect(feed.keeps(1, [])).toBe(false);
  });

  test('yields after 5 ms and delivers the rest in the next turn, followed by events that arrived meanwhile', async () => {
    const events = [];
    const now = vi.spyOn(clock.performance, 'now').mockReturnValueOnce(0).mockReturnValue(6);
    onTestFinished(() => now.mockRestore());
    const feed = new LogFeed(
      ({ message }) => events.push(message),
      (kind) => events.push(`kind ${kind}`),
    );
    feed.begin(entries(70));
    expect(events).toHaveLength(64);
    now.mockRestore();
    expect([feed.keeps(7, []), feed.keeps(8, [])]).toStrictEqual([true, true]);
    await turn();
    expect(events.slice(64)).toStrictEqual(['64', '65', '66', '67', '68', '69', 'kind 7', 'kind 8']);
    expect(feed.keeps(9, [])).toBe(false);
  });
});

describe('a value for the native side', () => {
  const { BYTES, LATIN1, PLAIN, WIRE } = { ...VALUE_KIND, WIRE: transfer.WIRE };
  const kindOf = (value) => transfer.kindOf(value);

  test('is passed as it is, as a string, as bytes, or serialized', () => {
    expect([1, true, undefined, null, 'x'].map(kindOf)).toStrictEqual(Array(5).fill(PLAIN));
    expect(['x'.repeat(4_095), 'x'.repeat(4_096), '→'.repeat(4_096)].map(kindOf)).toStrictEqual([PLAIN, LATIN1, PLAIN]);
    const bytes = [4_095, 4_096].map((length) => new Uint8Array(length));
    expect([...bytes, new Uint8ClampedArray(4_096), 1n, {}].map(kindOf)).toStrictEqual([WIRE, BYTES, WIRE, WIRE, WIRE]);
  });

  test('is passed in a list if none is serialized and at most one is bytes, since several may share a buffer', () => {
    const { buffer } = new Uint8Array(8_192);
    const [one, other] = [new Uint8Array(buffer), new Uint8Array(buffer)];
    const list = (values, maxBytes = Infinity) => transfer.withoutWire(values, 'x', maxBytes);
    expect(list([1, one])).toStrictEqual([PLAIN, 1, BYTES, one]);
    expect(list([one, other])).toBe(undefined);
    expect(list([1, {}])).toBe(undefined);
    expect(list(['x'.repeat(10)], 10)).toStrictEqual([PLAIN, 'x'.repeat(10)]);
    expect(() => list(['x'.repeat(10), 1], 10)).toThrow('the x would take more than maxTransferBytes (10)');
  });

  test('may have maxTransferBytes bytes at most', () => {
    const bytes = new Uint8Array(5_000);
    expect(transfer.payloadOf(BYTES, bytes, 'x', 5_000)).toBe(bytes);
    expect(() => transfer.payloadOf(BYTES, bytes, 'x', 4_999)).toThrow('more than maxTransferBytes (4999)');
  });

  test('returns as a primitive, as bytes, or from its serialized form', () => {
    const { buffer } = new Uint8Array([1, 2]);
    expect(transfer.valueOf(buffer)).toStrictEqual(new Uint8Array([1, 2]));
    expect([transfer.valueOf(null), transfer.valueOf('x')]).toStrictEqual([null, 'x']);
    expect(transfer.valueOf(transfer.encode({ a: [1n] }, 'x', Infinity))).toStrictEqual({ a: [1n] });
    expect(transfer.readArguments([1, buffer, null])).toStrictEqual([1, new Uint8Array([1, 2]), null]);
    const { error } = transfer.readArguments(new Uint8Array([255, 15, 1]));
    expect(error).toBeInstanceOf(Error);
  });

  test('gets a separate buffer if it is a view that does not cover its whole buffer', () => {
    const { buffer } = new Uint8Array([1, 2, 3, 4]);
    expect(ownView(new Uint8Array(buffer)).buffer).toBe(buffer);
    const part = ownView(new Uint8Array(buffer, 1, 2));
    expect([[...part], part.byteOffset, part.buffer.byteLength]).toStrictEqual([[2, 3], 0, 2]);
    const pooled = ownView(Buffer.from(buffer));
    expect([pooled.constructor, pooled.buffer === buffer]).toStrictEqual([Uint8Array, false]);
    expect(ownView(new DataView(buffer, 2)).byteLength).toBe(2);
    expect(() => ownView(new Uint8Array(new SharedArrayBuffer(4)))).toThrow('SharedArrayBuffer');
  });
});

describe('the search for the part that cannot be cloned', () => {
  const find = (value, culprit) => findUncloneable(value, 'x', structuredClone, culprit);

  test.each([
    [{ a: [1, { b() {} }] }, 'x.a[1].b (function) cannot be cloned'],
    [new Map([['k', Symbol('s')]]), 'x.get("k") (symbol) cannot be cloned'],
    [new Map([[() => {}, 1]]), 'x[key a function] (function) cannot be cloned'],
    [new Set([Promise.resolve()]), 'x[item an object] (Promise) cannot be cloned'],
    [{ 'a b': new WeakMap() }, 'x["a b"] (WeakMap) cannot be cloned'],
    [[new Proxy({}, {})], 'x[0] (Proxy) cannot be cloned'],
    [{ cause: new Error('e', { cause: () => {} }) }, 'x.cause.cause (function) cannot be cloned'],
    [{ get a() { return () => {}; } }, 'x.a (function) cannot be cloned'],
    [{ get a() { throw new Error('no'); } }, 'x.a (getter that throws) cannot be cloned'],
    [{ get a() { throw new Error('no'); }, b() {} }, 'x.b (function) cannot be cloned'],
    [(function* () {})(), 'x (generator) cannot be cloned'],
    [new Uint8Array(new SharedArrayBuffer(1)), 'x (view of a SharedArrayBuffer) cannot be cloned'],
  ])('case %#: reports its path and kind', (value, text) => expect(find(value)).toBe(text)); // prettier-ignore

  test('returns undefined if all parts can be cloned, and names an object that is known to be refused', () => {
    const cycle = { list: [] };
    cycle.list.push(cycle);
    expect(find(cycle)).toBe(undefined);
    const own = { a: 1 };
    expect(find({ own }, own)).toBe('x.own (object of the host) cannot be cloned');
  });
});

describe('an output', () => {
  const limits = (more) => ({
    maxTransferBytes: 1_000,
    timeoutMs: 5_000,
    signal: undefined,
    life: new RunScope(),
    ...more,
  });
  const large = () => transfer.encode(Array.from({ length: 40_000 }, (_, at) => at), 'x', Infinity); // prettier-ignore
  const outcome = (payload) => ({ ending: 1, payload, stats: { durationMs: 1 }, logs: 'l' });

  test('is read immediately if it is small, and across turns if it is large', async () => {
    expect(readOutput(outcome(7), limits())).toBe(7);
    expect(readOutput(outcome(transfer.encode([1], 'x', Infinity)), limits())).toStrictEqual([1]);
    const reading = readOutput(outcome(large()), limits());
    expect(reading).toBeInstanceOf(Promise);
    expect(await reading).toHaveLength(40_000);
  });

  test("fails with the run's code and logs if an abort or cleanup() ends the reading", async () => {
    const controller = new AbortController();
    controller.abort('enough');
    const aborted = await rejection(readOutput(outcome(large()), limits({ signal: controller.signal })));
    expect(aborted).toMatchObject({ code: 'ERR_EXEC_TIMEOUT', logs: 'l' });
    expect(aborted.details).toMatchObject({ timeoutMs: 5_000, aborted: true, reason: 'enough', stateLost: false });
    const life = new RunScope();
    // The first slice is taken, so that this one waits.
    const [, reading] = [readOutput(outcome(large()), limits()), readOutput(outcome(large()), limits({ life }))];
    life.end();
    expect(await rejection(reading)).toMatchObject({ code: 'ERR_INVALID_STATE', logs: 'l' });
  });

  test('becomes a string if it cannot be read', () => {
    expect(readOutput(outcome(new Uint8Array([255, 15, 1])), limits())).toMatch(/^\[the output .* be read.*\]$/);
  });
});

describe('modules for the native side', () => {
  test('are source texts, or exports with functions as tools and cloned values', () => {
    const registry = new ToolRegistry();
    const [text, exported] = nativeModules({ a: 'export {}', b: { n: 1, f: () => 2, ns: { g: () => 3 } } }, registry);
    expect(text).toStrictEqual({ specifier: 'a', source: 'export {}' });
    expect([exported.specifier, exported.names, transfer.decode(exported.values)]).toStrictEqual(['b', ['n'], [1]]);
    expect(exported.functions.map(({ path, id }) => [path, registry.get(id).fn()])).toStrictEqual([
      [['f'], 2],
      [['ns', 'g'], 3],
    ]);
  });

  test.each([
    [[], 'options.modules must be an object of module texts or exports, got an array'],
    [{ '': 'x' }, 'options.modules must not have an empty name'],
    [{ a: 5 }, 'options.modules.a must be the text of a module or an object of exports, got 5'],
    [{ a: { s: Symbol('s') } }, 'options.modules.a.s (symbol) cannot be cloned'],
  ])('%o is refused', (modules, message) => {
    expect(() => nativeModules(modules, new ToolRegistry())).toThrow(message);
  });
});

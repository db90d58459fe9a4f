// Section 7.4 of the specification, the host's half: shapes, names, and answers that nothing can break.
import { createRequire } from 'node:module';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { deferred } from '../helpers.mjs';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { REPLY_KIND } = require('../../build/contract/boundary-numbers.js');
const { answerToolCall } = require('../../build/contract/tool-calls.js');
const { RunScope, currentScope, within } = require('../../build/contract/run-scope.js');
const { ToolTimes } = require('../../build/contract/tool-times.js');
const { onAbort } = require('../../build/contract/signals.js');
const { ToolRegistry, flattenTools, isNamespace } = require('../../build/contract/tool-registry.js');
const { blocking, defined, withTimeout } = require('../../build/contract/tool-traits.js');
const wire = require('../../build/ses/transfer.js');

const { ERROR, PROMISE } = REPLY_KIND;
const { encode, readArguments, valueOf } = wire;

describe('flattenTools', () => {
  test('functions at any depth are flattened with their namespace', () => {
    const deep = { read() {} };
    const tools = { one: (a, b) => [a, b], Host: { deep, list: async () => [] } };
    // Each tool has the same keys, whatever marks its function has.
    const marks = ['timeoutMs', 'inDoubt', 'isUnrecorded', 'revert', 'isHelper', 'isLookup', 'definition', 'inputs'];
    const none = Object.fromEntries(marks.map((mark) => [mark, undefined]));
    expect(flattenTools(tools)).toStrictEqual([
      { path: ['one'], fn: tools.one, self: tools, isAsync: false, isBlocking: false, length: 2, ...none },
      {
        path: ['Host', 'deep', 'read'],
        fn: deep.read,
        self: deep,
        isAsync: false,
        isBlocking: false,
        length: 0,
        ...none,
      },
      {
        path: ['Host', 'list'],
        fn: tools.Host.list,
        self: tools.Host,
        isAsync: true,
        isBlocking: false,
        length: 0,
        ...none,
      },
    ]);
  });

  test('only async functions are asynchronous', () => {
    const late = async () => 1;
    const tools = {
      arrow: late,
      method: { async run() {} }.run,
      bound: late.bind(null),
      promise: () => Promise.resolve(),
      async *generator() {},
    };
    expect(flattenTools(tools).map(({ path: [name], isAsync }) => [name, isAsync])).toStrictEqual([
      ['arrow', true],
      ['method', true],
      ['bound', false],
      ['promise', false],
      ['generator', false],
    ]);
  });

  test('a tool called final_answer is omitted at the top level only', () => {
    const tools = { final_answer: 5, Host: { final_answer() {} } };
    expect(flattenTools(tools).map(({ path }) => path)).toStrictEqual([['Host', 'final_answer']]);
  });

  test('modules are accepted as namespaces', async () => {
    const module = await import('node:path');
    expect(flattenTools({ p: { join: module.join } })).toHaveLength(1);
    expect(flattenTools(Object.assign(Object.create(null), { f() {} }))).toHaveLength(1);
  });

  class Api {
    read() {}
  }
  const cycle = { f() {} };
  cycle.inner = { cycle };
  const throwing = {
    get f() {
      throw new Error('no');
    },
  };
  let deep = { f() {} };
  for (let depth = 0; depth < 40; depth++) deep = { d: deep };

  test.each([
    [undefined, TypeError, 'tools must be an object of functions, got undefined'],
    [[() => 1], TypeError, 'tools must be an object of functions, got an array'],
    [new Map(), TypeError, 'tools must be an object of functions, got an instance of Map'],
    [
      new Api(),
      TypeError,
      'tools must be an object of functions, got an instance of Api; pass its methods, bound to it',
    ],
    [{ apis: { Api } }, TypeError, 'tools.apis.Api must be a function, got a class'],
    [{ a: 5 }, TypeError, 'tools.a must be a function or a plain object of functions, got 5'],
    [{ a: { b: { c: null } } }, TypeError, 'tools.a.b.c must be a function or a plain object of functions, got null'],
    [
      { api: new Api() },
      TypeError,
      'tools.api must be a function or a plain object of functions, got an instance of Api; pass its methods, bound to it',
    ],
    [{ 'a b': [] }, TypeError, 'tools["a b"] must be a function or a plain object of functions, got an array'],
    [{ empty: {} }, TypeError, 'tools.empty must hold at least one function'],
    [{ cycle }, TypeError, 'tools.cycle.inner.cycle must not contain itself'],
    [throwing, TypeError, 'tools.f cannot be read: its getter throws'],
    [
      { a: { pay: Object.assign(() => 1, { needsApproval: () => true }) } },
      TypeError,
      'tools.a.pay has needsApproval, which would be ignored: functions have no approval; pass an object with `execute` to a ' +
        'code tool, or use the option onToolCall',
    ],
    [{ console() {} }, TypeError, 'tools.console must have another name: `console` is reserved'],
    [{ harden() {} }, TypeError, 'tools.harden must have another name: `harden` is reserved'],
    [{ globalThis() {} }, TypeError, 'tools.globalThis must have another name: `globalThis` is reserved'],
    [{ undefined() {} }, TypeError, 'tools.undefined must have another name: `undefined` is reserved'],
    [{ NaN() {} }, TypeError, 'tools.NaN must have another name: `NaN` is reserved'],
    [{ Infinity: { f() {} } }, TypeError, 'tools.Infinity must have another name: `Infinity` is reserved'],
    [{ __smol_guard() {} }, TypeError, 'tools.__smol_guard must have another name: `__smol_guard` is reserved'],
    [{ deep }, RangeError, `tools.deep${'.d'.repeat(31)} must be nested at most 32 deep`],
  ])('case %# is refused', (tools, ErrorClass, message) => {
    expect(() => flattenTools(tools)).toThrow(new ErrorClass(message));
  });

  test('objects that are too deep are not namespaces of modules either', () => {
    const inner = deep.d.d.d.d.d.d.d.d;
    expect([cycle, deep, inner, inner.d].map((value) => isNamespace(value))).toStrictEqual([false, false, false, true]);
  });

  test('at most 10,000 functions are accepted, and an invalid length becomes 0', () => {
    const named = (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, () => {}]));
    expect(flattenTools({ a: named(9_999), f() {} })).toHaveLength(10_000);
    expect(() => flattenTools({ a: named(10_000), f() {} })).toThrow(
      new RangeError('tools must hold at most 10000 functions'),
    );
    const withLength = (value) => Object.defineProperty(() => {}, 'length', { value });
    const tools = { a: withLength(1e6), b: withLength(-1), c: withLength('x'), d: withLength(1.5), e: withLength(255) };
    expect(flattenTools(tools).map(({ length }) => length)).toStrictEqual([255, 0, 0, 0, 255]);
  });

  test('one namespace may have two names', () => {
    const shared = { f() {} };
    expect(flattenTools({ a: shared, b: { shared } }).map(({ path }) => path.join('.'))).toStrictEqual([
      'a.f',
      'b.shared.f',
    ]);
  });
});

describe('ToolRegistry', () => {
  const send = (registry, tools) => {
    const { specs, commit } = registry.stage(flattenTools(tools));
    commit();
    return specs;
  };

  test('a replaced function keeps its number', () => {
    const registry = new ToolRegistry();
    const [{ id }] = send(registry, { Host: { f: () => 1 } });
    const [again] = send(registry, { Host: { f: async () => 2 } });
    expect(again).toStrictEqual({ path: ['Host', 'f'], id, isAsync: true, length: 0, isLimited: false });
    expect(registry.get(id).fn()).toBeInstanceOf(Promise);
  });

  test('staged tools are called after their commit and keep their number', () => {
    const registry = new ToolRegistry();
    const [{ id }] = send(registry, { f: () => 1 });
    const second = registry.stage(flattenTools({ f: () => 2 }));
    const third = registry.stage(flattenTools({ f: () => 3, g: () => 4 }));
    expect(registry.get(id).fn()).toBe(1);
    expect([second, third].map(({ specs }) => specs[0].id)).toStrictEqual([id, id]);
    second.commit();
    expect(registry.get(id).fn()).toBe(2);
    third.commit();
    expect(registry.get(id).fn()).toBe(3);
    expect(registry.get(third.specs[1].id).fn()).toBe(4);
  });

  test('functions that are missing from a replaced namespace are revoked, and other names stay', () => {
    const registry = new ToolRegistry();
    const [read, write, other] = send(registry, { Host: { read() {}, write() {} }, other() {} });
    send(registry, { Host: { read() {} } });
    expect(registry.get(read.id)).toBeDefined();
    expect(registry.get(write.id)).toBeUndefined();
    expect(registry.get(other.id)).toBeDefined();
  });

  test('a blocking tool may also have a limit and a definition', () => {
    const definition = { description: 'd', inputSchema: {}, outputSchema: {} };
    const plain = () => 1;
    const made = defined(withTimeout(blocking(plain), 5), definition);
    const [tool] = flattenTools({ made });
    expect([tool.isBlocking, tool.timeoutMs, tool.definition]).toStrictEqual([true, 5, definition]);
    expect([made.name, made.length, flattenTools({ plain })[0].timeoutMs]).toStrictEqual(['plain', 0, undefined]);
  });

  test('list returns the committed tools with the path and the limit of each', () => {
    const registry = new ToolRegistry();
    const { specs, commit } = registry.stage(flattenTools({ Host: { f: withTimeout(() => 1, 5) } }));
    expect([registry.list(), registry.specs()]).toStrictEqual([[], []]);
    commit();
    expect(registry.specs()).toStrictEqual(specs);
    expect(specs).toStrictEqual([{ path: ['Host', 'f'], id: 0, isAsync: false, length: 0, isLimited: true }]);
    registry.clear();
    expect([registry.list(), registry.specs()]).toStrictEqual([[], []]);
  });

  test('clear removes tools but not functions of modules', () => {
    const registry = new ToolRegistry();
    const [tool] = send(registry, { f() {} });
    const [exported] = registry.add(flattenTools({ f() {} }));
    registry.clear();
    expect(registry.get(tool.id)).toBeUndefined();
    expect(registry.get(exported.id)).toBeDefined();
    expect(send(registry, { f() {} })[0].id).not.toBe(exported.id);
  });
});

describe('time limits of tools', () => {
  const tool = (timeoutMs) => ({ path: ['tool'], fn: () => 1, timeoutMs });

  test.each([
    [[], undefined, undefined],
    [[null, undefined], undefined, undefined],
    [[null, 7], undefined, 7],
    [[5, 7], undefined, 5],
    [[5, 7], 3, 3],
    [[], 3, 3],
  ])('limits of the run and its executor %j and of the tool %j: %j', (limits, ofTool, expected) => {
    const times = new ToolTimes(...limits);
    expect(times.limitOf(tool(ofTool))).toBe(expected);
    expect(times.limitOf(undefined)).toBe(times.limitOf(tool(undefined)));
  });

  test('the clock may stop while all unanswered calls have a limit', () => {
    const times = new ToolTimes();
    const [limited, unlimited] = [tool(5), tool(undefined)];
    expect(times.mayStopClock).toBe(false);
    times.begin(limited);
    expect(times.mayStopClock).toBe(true);
    times.begin(unlimited);
    expect(times.mayStopClock).toBe(false);
    times.end(unlimited);
    expect(times.mayStopClock).toBe(true);
    times.end(limited);
    expect(times.mayStopClock).toBe(false);
  });
});

describe('answerToolCall', () => {
  const unhandled = [];
  const note = (reason) => unhandled.push(reason);
  beforeEach(() => process.on('unhandledRejection', note));
  afterEach(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled.splice(0)).toStrictEqual([]);
  });

  /** Calls `fn` as the guest does; resolves to the answers, the last of which is final. */
  const answers = (fn, { isAsync = false, args = [] } = {}) =>
    new Promise((resolve) => {
      const replies = [];
      const thrown = [];
      const tool = fn && { path: ['tool'], fn, self: undefined, isAsync, length: 0 };
      answerToolCall(tool, isAsync, readArguments(encode(args, 'args', Infinity)), {
        wire,
        toolTimes: new ToolTimes(),
        reply: (status, payload) => {
          replies.push(status === PROMISE ? [status] : [status, status === ERROR ? payload : valueOf(payload)]);
          if (status !== PROMISE) setImmediate(() => resolve({ replies, thrown }));
        },
        onThrown: (error) => thrown.push(error),
      });
    });

  class Later extends Promise {
    then(resolve) {
      resolve('later');
    }
  }
  const boom = Object.assign(new TypeError('boom'), { code: 'E_BOOM' });
  const boomText = ['TypeError', 'boom', 'E_BOOM', false];
  const failed = (message) => ['Error', message, undefined, false];

  test.each([
    ['a value', (a, b) => a + b, [[0, 3]]],
    ['a promise', async (a) => a, [[5], [0, 1]]],
    ['a thenable that calls back twice and throws', () => twice(), [[5], [0, 1]]],
    ['a promise with an own `then`', () => Object.assign(Promise.resolve(1), { then: (f) => f(2) }), [[5], [0, 2]]],
    ['a promise of a class with another `then`', () => Later.resolve(1), [[5], [0, 'later']]],
    ['an error', () => thrower(boom), [[4, boomText]]],
    ['a rejection', () => Promise.reject(boom), [[5], [4, boomText]]],
    ['a getter on then that throws', () => hostileThen(), [[4, failed('then')]]],
    ['a thrown string', () => thrower('text'), [[4, failed('text')]]],
    ['a thrown undefined', () => thrower(undefined), [[4, failed('undefined')]]],
    ['a thrown object', () => thrower({ reason: 404 }), [[4, failed('{"reason":404}')]]],
    ['a thrown symbol', () => thrower(Symbol('s')), [[4, failed('Symbol(s)')]]],
    ['a result that cannot be cloned', () => ({ f() {} }), [[4, bridge('result.f (function) cannot be cloned')]]],
    [
      'a result that cannot be cloned, later',
      async () => [Symbol()],
      [[5], [4, bridge('result[0] (symbol) cannot be cloned')]],
    ],
    ['a revoked tool', undefined, [[4, ['Error', 'the host has revoked this tool', undefined, true]]]],
  ])('answers with %s', async (_, fn, expected) => {
    expect((await answers(fn, { args: [1, 2] })).replies).toStrictEqual(expected);
  });

  test('an async tool is answered once', async () => {
    expect((await answers(async () => 5, { isAsync: true })).replies).toStrictEqual([[0, 5]]);
    // Another function may have taken the place of the async one.
    expect((await answers(() => 5, { isAsync: true })).replies).toStrictEqual([[0, 5]]);
  });

  test('only the lateness of a late call is reported', async () => {
    const told = { replies: [], thrown: [] };
    const late = deferred();
    const tool = { path: ['tool'], fn: () => late.promise, self: undefined, isAsync: true, length: 0 };
    let ofCall;
    const answered = new Promise((resolve) => {
      answerToolCall({ ...tool, timeoutMs: 1 }, true, [], {
        wire,
        toolTimes: new ToolTimes(),
        scope: new RunScope(),
        onToolCall: ({ signal }) => void (ofCall = signal),
        reply: (status, payload) => resolve(told.replies.push([status, payload])),
        onThrown: ({ code }) => told.thrown.push(code),
      });
    });
    await answered;
    expect(ofCall.aborted).toBe(true);
    late.reject(boom);
    await new Promise((resolve) => setImmediate(resolve));
    const message = 'tool did not answer within 1 ms';
    expect(told).toStrictEqual({
      replies: [[ERROR, ['TimeoutError', message, 'ERR_TOOL_TIMEOUT', false]]],
      thrown: ['ERR_TOOL_TIMEOUT'],
    });
  });

  /** Calls a tool that has a limit, with what the test says; notes what comes of it. */
  function limited(tool, answer = {}) {
    const told = { replies: [], thrown: [] };
    const whole = { path: ['tool'], fn: () => 1, self: undefined, isAsync: true, length: 0, ...tool };
    answerToolCall(whole, whole.isAsync, [], {
      wire,
      toolTimes: new ToolTimes(),
      scope: new RunScope(),
      maxTransferBytes: Infinity,
      reply: (status, payload) => told.replies.push([status, payload]),
      onThrown: (thrown) => told.thrown.push(thrown),
      ...answer,
    });
    return told;
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('the timer of a call is cleared when the call is answered or its run ends', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const scope = new RunScope();
    limited({ timeoutMs: 3_600_000 });
    const late = deferred();
    limited({ timeoutMs: 3_600_000, fn: () => late.promise });
    limited({ timeoutMs: 3_600_000, fn: () => new Promise(() => {}) }, { scope });
    expect(timers()).toBe(before + 2);
    late.resolve(1);
    await turn();
    scope.end();
    expect(timers()).toBe(before);
  });

  test('the limit of a tool takes precedence over that of the run, whether longer or shorter', async () => {
    const own = deferred();
    limited(
      { timeoutMs: 1, fn: () => new Promise(() => {}) },
      { timeoutMs: 3_600_000, reply: (_, [, message]) => own.resolve(message) },
    );
    expect(await own.promise).toBe('tool did not answer within 1 ms');
    const { replies } = limited({ timeoutMs: 3_600_000, fn: () => own.promise }, { timeoutMs: 1 });
    // Due at the same time as the limit of the run, and asked for after it.
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(replies).toStrictEqual([[0, 'tool did not answer within 1 ms']]);
  });

  test('a call that is approved after its run has ended is not made', async () => {
    const calls = [];
    const [scope, decision] = [new RunScope(), deferred()];
    const told = limited({ fn: () => calls.push(1) }, { scope, onToolCall: () => decision.promise });
    scope.end();
    decision.resolve();
    await turn();
    expect({ calls, ...told }).toStrictEqual({ calls: [], replies: [], thrown: [] });
  });

  test('onToolCall may return the arguments or the result, and anything else refuses the call', async () => {
    const sum = { fn: (...args) => args.reduce((a, b) => a + b, 0) };
    const answered = (onToolCall) => limited(sum, { onToolCall }).replies;
    expect(answered(() => ({ args: [2, 3] }))).toStrictEqual([[0, 5]]);
    expect(answered(() => ({ result: undefined }))).toStrictEqual([[0, undefined]]);
    const expected = 'onToolCall must return nothing, { args }, an array, or { result }, or throw to refuse the call';
    for (const [decision, shown] of [[false, 'false'], [null, 'null'], [{}, 'an object'], [{ args: 5 }, 'an object'], ['no', '"no"']]) {
      const message = `${expected}; it returned ${shown}`;
      expect(answered(() => decision)).toStrictEqual([[ERROR, ['TypeError', message, undefined, false]]]);
    } // prettier-ignore
  });

  test('at most 50,000 arguments of onToolCall are passed on', () => {
    const withArgs = (count) =>
      limited({ fn: (...args) => args.length }, { onToolCall: () => ({ args: Array(count).fill(0) }) });
    expect(withArgs(50_000).replies).toStrictEqual([[0, 50_000]]);
    expect(withArgs(50_001).replies[0][0]).toBe(ERROR);
  });

  test('a tool is called within the scope of its run, with its namespace as `this`', () => {
    const seen = [];
    const scope = new RunScope();
    const self = {};
    limited({ self, fn() { seen.push(this === self, currentScope() === scope); } }, { scope }); // prettier-ignore
    expect(seen).toStrictEqual([true, true]);
    expect(currentScope()).toBe(undefined);
  });

  test('a blocking tool returns the value of its promise to the guest', async () => {
    const told = limited({ isAsync: false, isBlocking: true, fn: async () => 5 });
    await turn();
    expect(told.replies).toStrictEqual([[0, 5]]);
  });

  test('a result beyond maxTransferBytes is refused with ERR_TRANSFER_LIMIT_EXCEEDED', () => {
    const { replies } = limited({ fn: () => 'x'.repeat(100) }, { maxTransferBytes: 99 });
    expect(replies).toStrictEqual([
      [
        ERROR,
        ['RangeError', 'the result would take more than maxTransferBytes (99)', 'ERR_TRANSFER_LIMIT_EXCEEDED', true],
      ],
    ]);
    expect(limited({ fn: () => 'x'.repeat(100) }, { maxTransferBytes: 100 }).replies).toStrictEqual([
      [0, 'x'.repeat(100)],
    ]);
  });

  test('errors of tools are reported as thrown, refusals by the bridge are not', async () => {
    expect((await answers(() => thrower(boom))).thrown).toStrictEqual([boom]);
    expect((await answers(async () => thrower(undefined))).thrown).toStrictEqual([undefined]);
    expect((await answers(() => () => 1)).thrown).toStrictEqual([]);
  });

  test('errors cross without stack and other properties', async () => {
    const error = Object.assign(new Error('m'), { path: '/etc', code: 5 });
    expect((await answers(() => thrower(error))).replies).toStrictEqual([[4, ['Error', 'm', 5, false]]]);
  });

  test('errors cross with their details, unless these are larger than maxTransferBytes', () => {
    const tool = { fn: () => thrower(Object.assign(new Error('m'), { status: 404 })) };
    const [[status, [, , , , details]]] = limited(tool).replies;
    expect([status, valueOf(details)]).toStrictEqual([4, { status: 404 }]);
    const [[, parts]] = limited(tool, { maxTransferBytes: details.length - 1 }).replies;
    expect(parts).toStrictEqual(['Error', 'm', undefined, false]);
  });

  test('a thrown proxy whose traps throw is reported', async () => {
    const trap = () => thrower(new Error('trap'));
    const proxy = new Proxy(function f() {}, { get: trap, getPrototypeOf: trap, ownKeys: trap, has: trap });
    const { replies } = await answers(() => thrower(proxy));
    expect(replies).toStrictEqual([[4, failed(expect.any(String))]]);
  });

  test('more arguments than the stack holds are refused', async () => {
    const { replies, thrown } = await answers(() => 1, { args: new Array(60_000).fill(0) });
    expect(replies).toStrictEqual([[4, ['RangeError', 'more than 50000 arguments', undefined, true]]]);
    expect(thrown).toStrictEqual([]);
  });

  test('a long message is cut', async () => {
    const { replies } = await answers(() => thrower(new Error('x'.repeat(1_000_000))));
    expect(replies[0][1][1]).toHaveLength(32_768 + 3);
  });

  function thrower(thrown) {
    throw thrown;
  }

  function hostileThen() {
    return {
      get then() {
        throw new Error('then');
      },
    };
  }

  function twice() {
    return {
      then(resolve, reject) {
        resolve(1);
        resolve(2);
        reject(boom);
        throw boom;
      },
    };
  }

  function bridge(message) {
    return ['TypeError', message, undefined, true];
  }
});

describe('RunScope', () => {
  test('a part ends with its whole, and a closed part has nothing to end', () => {
    const ended = [];
    const whole = new RunScope();
    const [first, second, third] = [whole.part(), whole.part(), whole.part()];
    first.atEnd(() => ended.push('first'));
    second.atEnd(() => ended.push('second'));
    const forget = third.atEnd(() => ended.push('third'));
    const { signal } = second;
    second.close();
    forget();
    whole.end();
    whole.end();
    expect(ended).toStrictEqual(['first']);
    expect([first.isOver, third.isOver, signal.aborted]).toStrictEqual([true, true, false]);
    // Its whole does not know it any more.
    expect(second.isOver).toBe(false);
    first.atEnd(() => ended.push('late'));
    expect(ended).toStrictEqual(['first', 'late']);
  });

  test('calls are made in their scope, and the previous one is current again after them', () => {
    const [outer, inner] = [new RunScope(), new RunScope()];
    const seen = within(outer, () => {
      const fail = () => {
        throw new Error('no');
      };
      expect(() => within(inner, fail)).toThrow('no');
      return [within(inner, currentScope) === inner, currentScope() === outer];
    });
    expect([...seen, currentScope()]).toStrictEqual([true, true, undefined]);
  });

  test('many calls that listen to one signal cause no warning of Node.js', async () => {
    const warnings = [];
    const listener = (warning) => warnings.push(warning);
    process.on('warning', listener);
    const { signal } = new RunScope();
    for (let i = 0; i < 20; i++) signal.addEventListener('abort', () => {});
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listener);
    expect(warnings).toStrictEqual([]);
  });
});

describe('onAbort', () => {
  test('calls the remaining callbacks after one was removed', () => {
    const { signal, abort } = withAbort();
    const called = [];
    const forget = ['a', 'b'].map((name) => onAbort(signal, () => called.push(name)))[0];
    forget();
    abort();
    expect(called).toStrictEqual(['b']);
  });

  // A polyfill may be aborted more than once.
  test('calls callbacks that were added after the abort', () => {
    const { signal, abort } = withAbort();
    const called = [];
    const forget = onAbort(signal, () => called.push('before'));
    abort();
    onAbort(signal, () => called.push('since'));
    forget();
    abort();
    expect(called).toStrictEqual(['before', 'since']);
  });

  function withAbort() {
    const signal = new EventTarget();
    return { signal, abort: () => signal.dispatchEvent(new Event('abort')) };
  }
});

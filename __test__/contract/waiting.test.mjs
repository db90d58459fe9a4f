// What waits in `lib/contract`: deadlines, gates, signals, scopes and starts that calls share.

import { getEventListeners } from 'node:events';
import { createRequire } from 'node:module';

import { describe, expect, test } from 'vitest';

import { ROOT, deferred, rejection, runChild } from '../helpers.mjs';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { ConcurrencyLimiter } = require('../../build/contract/concurrency-limiter.js');
const { withTimeLimit } = require('../../build/contract/time-limit.js');
const { RunScope, currentScope, within } = require('../../build/contract/run-scope.js');
const { abortController, onAbort } = require('../../build/contract/signals.js');
const { SharedStartup } = require('../../build/contract/shared-startup.js');
const { ToolExceptions } = require('../../build/contract/tool-exceptions.js');
const { runNested, isNestedIn } = require('../../build/contract/reentrancy.js');

const never = new Promise(() => {});
const listenersOf = (signal) => getEventListeners(signal, 'abort').length;

describe('withTimeLimit', () => {
  const modulePath = JSON.stringify(`${ROOT}/build/contract/time-limit.js`);
  /**
   * What a process prints that waits for a promise for an hour at most. It is killed, which `signal` says, if it stays.
   */
  const waiting = (promise, options) =>
    runChild(
      `const { withTimeLimit } = require(${modulePath});
       withTimeLimit(${promise}, { timeoutMs: 3_600_000, ...${JSON.stringify(options)} }).then(console.log, console.log);`,
      { format: 'commonjs', timeoutMs: 20_000 },
    );

  test('returns the result of the promise, and its timer does not keep the process alive', async () => {
    expect(await waiting('Promise.resolve(1)', {})).toMatchObject({ signal: null, stdout: '1\n', stderr: '' });
    expect(await waiting('Promise.reject(2)', {})).toMatchObject({ signal: null, stdout: '2\n', stderr: '' });
  });

  test('keeps the process alive until its deadline unless `holds` is false', async () => {
    expect(await waiting('new Promise(() => {})', { holds: false })).toMatchObject({ signal: null, stdout: '' });
    expect(await waiting('new Promise(() => {})', { timeoutMs: 1 })).toMatchObject({ stdout: 'undefined\n' });
  });

  test('rejects at the deadline with the value of `late`', async () => {
    const error = new Error('late');
    expect(await rejection(withTimeLimit(never, { timeoutMs: 1, late: () => error }))).toBe(error);
  });

  test('rejects on an abort with the reason or the value of `aborted`', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const both = [
      withTimeLimit(never, { signal }),
      withTimeLimit(never, { signal, aborted: (reason) => `not: ${reason}` }),
    ];
    controller.abort('why');
    expect(await Promise.all(both.map(rejection))).toStrictEqual(['why', 'not: why']);
    expect(await rejection(withTimeLimit(never, { signal }))).toBe('why');
  });

  test('stops listening to its signal when the promise has settled', async () => {
    const { signal } = new AbortController();
    await withTimeLimit(Promise.resolve(1), { signal });
    await rejection(withTimeLimit(Promise.reject(new Error('x')), { signal }));
    expect(listenersOf(signal)).toBe(0);
  });
});

describe('a gate', () => {
  const full = (places) => new Error(`full: ${places}`);
  const gateOf = (maxConcurrent, maxQueued) => new ConcurrencyLimiter({ maxConcurrent, maxQueued }, full);

  test('admits up to its limit, queues up to its capacity in order and refuses the rest', async () => {
    const gate = gateOf(2, 2);
    const order = [];
    await Promise.all([gate.enter(), gate.enter()]);
    const third = gate.enter().then(() => order.push(3));
    const fourth = gate.enter().then(() => order.push(4));
    expect(await rejection(gate.enter())).toStrictEqual(new Error('full: 2'));
    expect(order).toStrictEqual([]);
    gate.leave();
    await third;
    expect(order).toStrictEqual([3]);
    gate.leave();
    await fourth;
    expect(order).toStrictEqual([3, 4]);
  });

  test('is free again after all have left', async () => {
    const gate = gateOf(1, 0);
    await gate.enter();
    await rejection(gate.enter());
    gate.leave();
    await gate.enter();
    expect(await rejection(gate.enter())).toStrictEqual(new Error('full: 0'));
  });

  test('removes a caller from the queue when its signal is aborted, and frees its place', async () => {
    const gate = gateOf(1, 1);
    await gate.enter();
    const controller = new AbortController();
    const waiting = gate.enter(controller.signal, () => new Error('given up'));
    expect(await rejection(gate.enter())).toStrictEqual(new Error('full: 1'));
    controller.abort();
    expect(await rejection(waiting)).toStrictEqual(new Error('given up'));
    const next = gate.enter();
    gate.leave();
    await next;
  });

  test('stops listening to the signal of an admitted caller', async () => {
    const gate = gateOf(1, 3);
    const { signal } = new AbortController();
    await gate.enter(signal);
    expect(listenersOf(signal)).toBe(0);
    const [second, third] = [gate.enter(signal), rejection(gate.enter(signal))];
    expect(listenersOf(signal)).toBe(1);
    gate.leave();
    await second;
    gate.close(new Error('closed'));
    await third;
    expect(listenersOf(signal)).toBe(0);
  });

  test('refuses all waiting callers on close()', async () => {
    const gate = gateOf(1, 3);
    await gate.enter();
    const waiting = [1, 2, 3].map(() => rejection(gate.enter()));
    const closed = new Error('closed');
    gate.close(closed);
    expect(await Promise.all(waiting)).toStrictEqual([closed, closed, closed]);
  });

  test('makes later callers wait until two have left if one has entered without room', () => {
    const gate = gateOf(1, 0);
    const order = [];
    gate.enterNow();
    gate.enterNow();
    gate.enterLater(() => order.push('begun'));
    expect(gate.hasRoom).toBe(false);
    gate.leave();
    expect([gate.hasRoom, ...order]).toStrictEqual([false]);
    gate.leave();
    expect([gate.hasRoom, ...order]).toStrictEqual([false, 'begun']);
  });

  test('survives 20,000 callers that leave as soon as they begin', () => {
    const gate = gateOf(1, 0);
    let begun = 0;
    gate.enterNow();
    for (let i = 0; i < 20_000; i++) {
      gate.enterLater(() => {
        begun++;
        gate.leave();
      });
    }
    gate.leave();
    expect([begun, gate.hasRoom]).toStrictEqual([20_000, true]);
  });

  test('drops callers on close() that would have begun later', () => {
    const gate = gateOf(1, 0);
    const order = [];
    gate.enterNow();
    gate.enterLater(() => order.push('begun'));
    gate.close();
    gate.leave();
    expect([gate.hasRoom, ...order]).toStrictEqual([true]);
  });
});

describe('onAbort', () => {
  test('adds one listener to a signal, and removes it with its last callback', () => {
    const { signal } = new AbortController();
    const stops = [1, 2, 3].map(() => onAbort(signal, () => {}));
    expect(listenersOf(signal)).toBe(1);
    stops[0]();
    stops[1]();
    expect(listenersOf(signal)).toBe(1);
    stops[2]();
    expect(listenersOf(signal)).toBe(0);
  });

  test('calls callbacks that were added again after all others were removed, once', () => {
    const controller = new AbortController();
    const called = [];
    const stop = onAbort(controller.signal, () => called.push('first'));
    stop();
    onAbort(controller.signal, () => called.push('second'));
    stop();
    expect(listenersOf(controller.signal)).toBe(1);
    controller.abort();
    expect(called).toStrictEqual(['second']);
  });

  test('causes no warning for any number of listeners on the signals of tools', async () => {
    const modulePath = JSON.stringify(`${ROOT}/build/contract/signals.js`);
    const { stdout, stderr } = await runChild(
      `const { signal } = require(${modulePath}).abortController();
       for (let i = 0; i < 20; i++) signal.addEventListener('abort', () => {});
       setImmediate(() => console.log('done'));`,
      { format: 'commonjs' },
    );
    expect({ stdout, stderr }).toStrictEqual({ stdout: 'done\n', stderr: '' });
    expect(abortController().signal.aborted).toBe(false);
  });
});

describe('a run scope', () => {
  test('calls callbacks added after its end immediately, and each once', () => {
    const scope = new RunScope();
    const called = [];
    scope.atEnd(() => called.push('before'));
    scope.end();
    scope.end();
    scope.atEnd(() => called.push('after'));
    expect(called).toStrictEqual(['before', 'after']);
  });

  test('does not call removed callbacks', () => {
    const scope = new RunScope();
    const called = [];
    const takeBack = scope.atEnd(() => called.push('no'));
    takeBack();
    scope.end();
    expect(called).toStrictEqual([]);
  });

  test('has an aborted signal after its end', () => {
    const scope = new RunScope();
    scope.end();
    expect(scope.signal.aborted).toBe(true);
  });

  test('does not hold parts that were closed or have ended', async () => {
    const scope = new RunScope();
    const parts = [scope.part(), scope.part(), scope.part()];
    const ended = [];
    for (const [at, part] of parts.entries()) part.atEnd(() => ended.push(at));
    parts[0].close();
    parts[1].end();
    expect(ended).toStrictEqual([1]);
    scope.end();
    expect(ended).toStrictEqual([1, 2]);
    expect(parts.map(({ isOver }) => isOver)).toStrictEqual([false, true, true]);
  });

  test('is the outer one again after a nested call, even if that throws', () => {
    const [outer, inner] = [new RunScope(), new RunScope()];
    const seen = [];
    within(outer, () => {
      within(inner, () => seen.push(currentScope()));
      seen.push(currentScope());
      expect(() => within(inner, () => { throw new Error('x'); })).toThrow('x'); // prettier-ignore
      seen.push(currentScope());
    });
    expect(seen.map((it) => [outer, inner].indexOf(it))).toStrictEqual([1, 0, 0]);
    expect(currentScope()).toBe(undefined);
  });
});

describe('a shared startup', () => {
  test('is shared by simultaneous calls and begins again afterwards', async () => {
    const start = new SharedStartup();
    let begun = 0;
    const begin = async () => void begun++;
    const both = [start.join(begin), start.join(begin)];
    expect(both[0]).toBe(both[1]);
    expect(start.isUnderWay).toBe(true);
    await Promise.all(both);
    expect([begun, start.isUnderWay]).toStrictEqual([1, false]);
    await start.join(begin);
    expect(begun).toBe(2);
  });

  test('begins again with the next call after a failure', async () => {
    const start = new SharedStartup();
    const fail = async () => Promise.reject(new Error('x'));
    expect(await Promise.all([start.join(fail), start.join(fail)].map(rejection))).toHaveLength(2);
    expect(start.isUnderWay).toBe(false);
    await start.join(async () => {});
  });

  test('does not end a later startup if it was forgotten', async () => {
    const start = new SharedStartup();
    const [first, second] = [deferred(), deferred()];
    const forgotten = start.join(() => first.promise);
    start.forget();
    const next = start.join(() => second.promise);
    first.resolve();
    await forgotten;
    expect(start.isUnderWay).toBe(true);
    second.resolve();
    await next;
    expect(start.isUnderWay).toBe(false);
  });
});

describe('errors that tools threw', () => {
  test('are known for the last 64 calls', () => {
    const thrown = new ToolExceptions();
    for (let call = 1; call <= 65; call++) thrown.keep(call, `error ${call}`);
    expect([1, 2, 65, 66].map((call) => thrown.causeOf(call))).toStrictEqual([
      undefined,
      { cause: 'error 2' },
      { cause: 'error 65' },
      undefined,
    ]);
  });

  test('may be undefined', () => {
    const thrown = new ToolExceptions();
    thrown.keep(1, undefined);
    expect(thrown.causeOf(1)).toStrictEqual({ cause: undefined });
  });
});

describe('nested work', () => {
  test("is within each owner around it until that owner's work is over", () => {
    const [one, two] = [{}, {}];
    runNested(one, (outer) =>
      runNested(two, () => {
        expect([isNestedIn(one), isNestedIn(two), isNestedIn({})]).toStrictEqual([true, true, false]);
        outer.isOver = true;
        expect([isNestedIn(one), isNestedIn(two)]).toStrictEqual([false, true]);
      }),
    );
    expect(isNestedIn(two)).toBe(false);
  });
});

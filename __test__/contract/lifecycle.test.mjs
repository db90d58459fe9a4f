// The lifecycle that all executors share: its tables, and when an executor makes an isolate for a call.

import { createRequire } from 'node:module';

import { describe, expect, test } from 'vitest';

import { deferred } from '../helpers.mjs';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { ExecutorError } = require('../../build/contract/errors.js');
const {
  Lifecycle,
  OPERATIONS,
  REFUSALS,
  REFUSED,
  STATES,
  TRANSITIONS,
  invalidState,
  needsInit,
} = require('../../build/contract/lifecycle.js');
const { Readiness, recovered } = require('../../build/contract/readiness.js');

/** The transitions that lead from NEW to each state. */
const WAYS = {
  NEW: [],
  INITIALIZING: ['init'],
  READY: ['init', 'initialized'],
  RUNNING: ['init', 'initialized', 'runStarted'],
  DIRTY: ['init', 'initialized', 'runStarted', 'corrupted'],
  DEAD: ['cleanup'],
};

function inState(state) {
  const lifecycle = new Lifecycle();
  for (const transition of WAYS[state]) lifecycle.apply(transition);
  expect(lifecycle.state).toBe(state);
  return lifecycle;
}

describe.each(Object.keys(STATES))('in state %s', (state) => {
  test.each(Object.keys(TRANSITIONS))('%s leads to the state in the table, or changes nothing', (transition) => {
    const lifecycle = inState(state);
    lifecycle.apply(transition);
    expect(lifecycle.state).toBe(STATES[state][transition] ?? state);
  });

  test.each(OPERATIONS)('%s is refused for the reason in the table, or is legal', (operation) => {
    const lifecycle = inState(state);
    const refusal = REFUSED[state][operation];
    if (refusal === undefined) return expect(lifecycle.refuse(operation)).toBe(undefined);
    let thrown;
    try {
      lifecycle.refuse(operation);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ExecutorError);
    const situation = {
      NEW: 'before init(); call init() first',
      INITIALIZING: 'before init() was done; await init() first',
      RUNNING: 'during a run; await the run, or call cleanup() first',
      DIRTY: 'after a call that lost the isolate; call cleanup() and init() first',
      DEAD: 'after cleanup() or a failed init(); call init() first',
    }[state];
    const message = `Invalid executor state: ${state}: ${operation}() was called ${situation}`;
    expect([thrown.code, thrown.message]).toStrictEqual(['ERR_INVALID_STATE', message]);
    expect(thrown.details).toStrictEqual({ state, operation, hint: REFUSALS[refusal] });
  });

  test('a call needs an isolate if init() would create one', () => {
    expect(needsInit(state)).toBe(['NEW', 'INITIALIZING', 'DEAD'].includes(state));
  });
});

describe('the message of a call that', () => {
  test.each([
    ['cleanup() ends', 'CLEANED_UP', 'was ended by cleanup(); call init() before further calls'],
    ['finds no queue', 'BUSY', 'is refused: a run is under way; wait for it'],
    ['follows a lost isolate in the queue', 'LEFT_DIRTY', `is refused: ${REFUSALS.LEFT_DIRTY}`],
    ['waits for itself', 'WITHIN', `is refused: ${REFUSALS.WITHIN}`],
  ])('%s says so', (_, refusal, reason) => {
    const { message, details } = invalidState('RUNNING', 'run', REFUSALS[refusal], { maxQueuedRuns: 1 });
    expect(message).toBe(`Invalid executor state: RUNNING: run() ${reason}`);
    expect(details).toStrictEqual({ state: 'RUNNING', operation: 'run', hint: REFUSALS[refusal], maxQueuedRuns: 1 });
  });

  test('a recorded session sends while it waits names its state', () => {
    expect(invalidState('WAITING', 'run', REFUSALS.NOT_READY).message).toBe(
      'Invalid executor state: WAITING: run() is refused: it is legal in state READY only',
    );
  });
});

describe('an executor', () => {
  /** What a `Readiness` calls, in order. Each start ends when the test says so. */
  function subject(options, state = 'NEW') {
    const calls = [];
    const starts = [];
    const start = (name, next) => async () => {
      calls.push(name);
      const gate = deferred();
      starts.push(gate);
      await gate.promise;
      executor.state = next;
    };
    const executor = { state };
    const readiness = new Readiness(
      { autoInit: true, recover: true, ...options },
      {
        state: () => executor.state,
        isLost: () => executor.state === 'DIRTY',
        init: start('init', 'READY'),
        renew: start('renew', 'READY'),
      },
    );
    return { executor, readiness, calls, starts };
  }

  test.each(['NEW', 'INITIALIZING', 'DEAD'])('that is %s is initialized', async (state) => {
    const { readiness, calls, starts } = subject({}, state);
    const ready = readiness.makeReady();
    starts[0].resolve();
    await ready;
    expect([calls, readiness.beginRun()]).toStrictEqual([['init'], false]);
  });

  test.each(['READY', 'RUNNING'])('that is %s is ready immediately', (state) => {
    const { readiness, calls } = subject({}, state);
    expect([readiness.makeReady(), calls, readiness.beginRun()]).toStrictEqual([undefined, [], false]);
  });

  test.each([
    ['NEW', { autoInit: false }],
    ['DIRTY', { autoInit: false }],
    ['DIRTY', { recover: false }],
  ])('that is %s stays as it is with %j', (state, options) => {
    const { readiness, calls } = subject(options, state);
    expect([readiness.makeReady(), calls, readiness.beginRun()]).toStrictEqual([undefined, [], false]);
  });

  test('that is DIRTY is renewed once for all calls, and one run reports the renewal', async () => {
    const { readiness, calls, starts } = subject({}, 'DIRTY');
    const ready = [readiness.makeReady(), readiness.makeReady()];
    starts[0].resolve();
    await Promise.all(ready);
    expect(calls).toStrictEqual(['renew']);
    expect([readiness.beginRun(), readiness.beginRun()]).toStrictEqual([true, false]);
    expect(readiness.makeReady()).toBe(undefined);
  });

  test('whose renewal failed reports it in the run after the next successful start', async () => {
    const { executor, readiness, calls, starts } = subject({}, 'DIRTY');
    const failed = readiness.makeReady();
    starts[0].reject(new Error('no isolate'));
    await expect(failed).rejects.toStrictEqual(new Error('no isolate'));
    executor.state = 'DEAD';
    const ready = readiness.makeReady();
    starts[1].resolve();
    await ready;
    expect([calls, readiness.beginRun()]).toStrictEqual([['renew', 'init'], true]);
  });

  test('that is cleaned up reports no renewal and joins no earlier one', async () => {
    const { executor, readiness, calls, starts } = subject({}, 'DIRTY');
    const first = readiness.makeReady();
    readiness.forget();
    executor.state = 'DEAD';
    const second = readiness.makeReady();
    starts.forEach((gate) => gate.resolve());
    await Promise.all([first, second]);
    expect([calls, readiness.beginRun()]).toStrictEqual([['renew', 'init'], false]);
  });

  test('marks outputs and details after a renewal as recovered', () => {
    const output = { output: 1 };
    expect(recovered(output)).toBe(output);
    expect(output).toStrictEqual({ output: 1, recovered: true });
  });
});

// Sessions and queued jobs of an executor that several callers share, over an executor that does what each test says.

import { AsyncResource } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { createRequire } from 'node:module';

import { describe, expect, test } from 'vitest';

import { deferred, expectCode, rejection } from '../helpers.mjs';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { errorOf } = require('../../build/contract/errors.js');
const { describeOffer, isExecutor, offerOf } = require('../../build/contract/executor.js');
const { queueOf } = require('../../build/contract/executor-queue.js');
const { REFUSALS, invalidState } = require('../../build/contract/lifecycle.js');
const { Session } = require('../../build/contract/session.js');
const { flattenTools } = require('../../build/contract/tool-registry.js');

const GONE = 'Variables and functions of earlier runs are gone: define again what is still needed.';
const codeFrame = () => '';

/** An executor that notes its calls; `run` of the test answers runs. */
class Scripted {
  state = 'NEW';
  calls = [];
  sent = {};

  constructor(run = async () => ({}), init = async () => {}) {
    this.onRun = run;
    this.onInit = init;
  }

  async init() {
    this.calls.push('init');
    await this.onInit();
    this.state = 'READY';
  }

  async sendVariables(variables) {
    this.calls.push(['sendVariables', variables]);
  }

  async sendTools(tools) {
    this.calls.push(['sendTools', Object.keys(tools)]);
    this.sent = { ...this.sent, ...tools };
  }

  async run(code, options) {
    this.calls.push(code);
    return { output: undefined, logs: '', logEntries: [], ...(await this.onRun(code, options)) };
  }

  async cleanup() {
    this.calls.push('cleanup');
    this.state = 'DEAD';
    this.sent = {};
  }

  /** Fails a run as a deadline does. */
  timeOut() {
    this.state = 'DIRTY';
    throw errorOf('ERR_EXEC_TIMEOUT', { timeoutMs: 5 }, { timeoutMs: 5, reason: 'deadline' });
  }
}

/** A job that has begun, and lasts until `end` is called. */
async function longTurn(queue) {
  const [begun, gate] = [deferred(), deferred()];
  const job = queue.add(() => (begun.resolve(), gate.promise));
  await begun.promise;
  return { job, end: gate.resolve };
}

const sessionOf = (executor, more = {}) => new Session(executor, { livesOn: true, codeFrame, ...more });

describe('the queue of an executor', () => {
  test('a call from within a job of the same executor is refused', async () => {
    const executor = new Scripted();
    const queue = queueOf(executor);
    const error = await queue.add(() => rejection(queue.add(async () => 1)));
    expect(error).toMatchObject({ code: 'ERR_INVALID_STATE', details: { hint: REFUSALS.WITHIN } });
  });

  test('a call from a nested job of another executor is refused too', async () => {
    const [queue, others] = [queueOf(new Scripted()), queueOf(new Scripted())];
    const error = await queue.add(() => others.add(() => rejection(queue.add(async () => 1))));
    expect(error).toMatchObject({ code: 'ERR_INVALID_STATE', details: { hint: REFUSALS.WITHIN } });
  });

  test('a call from a timer of a tool after the run is accepted', async () => {
    let later;
    const session = sessionOf(
      new Scripted(async (code) => {
        if (code === 'first') later = AsyncResource.bind(() => session.run('second'));
        return { output: code };
      }),
    );
    expect(await session.run('first')).toMatchObject({ output: 'first' });
    expect(await later()).toMatchObject({ output: 'second' });
  });

  test('a call from a timer of a tool after a failed run is accepted', async () => {
    let later;
    const queue = queueOf(new Scripted());
    const failed = queue.add(async () => {
      later = AsyncResource.bind(() => queue.add(async () => 2));
      throw new Error('first');
    });
    await expect(failed).rejects.toThrow('first');
    expect(await later()).toBe(2);
  });

  test('an aborted signal refuses a job before it is queued', async () => {
    const queue = queueOf(new Scripted());
    const error = await expectCode(
      queue.add(async () => 1, AbortSignal.abort('no')),
      'ERR_EXEC_TIMEOUT',
    );
    expect(error.details).toStrictEqual({ aborted: true, reason: 'no' });
  });

  test('a job whose signal is aborted while it waits fails immediately and never begins', async () => {
    const queue = queueOf(new Scripted());
    const gate = deferred();
    const taken = [];
    const first = queue.add(() => gate.promise);
    const controller = new AbortController();
    const second = queue.add(async () => void taken.push('second'), controller.signal);
    controller.abort('changed my mind');
    const error = await expectCode(second, 'ERR_EXEC_TIMEOUT');
    expect(error.details).toStrictEqual({ aborted: true, reason: 'changed my mind' });
    gate.resolve();
    await first;
    await queue.add(async () => void taken.push('third'));
    expect(taken).toStrictEqual(['third']);
  });

  test('a job stops listening to its signal when it begins or is refused', async () => {
    const executor = new Scripted();
    const queue = queueOf(executor);
    const { signal } = new AbortController();
    const listeners = () => getEventListeners(signal, 'abort').length;
    await queue.add(async () => expect(listeners()).toBe(0), signal);
    const first = await longTurn(queue);
    const refused = expectCode(
      queue.add(async () => 1, signal),
      'ERR_INVALID_STATE',
    );
    expect(listeners()).toBe(1);
    const cleaned = queue.cleanup();
    first.end();
    await Promise.all([first.job, refused, cleaned]);
    expect(listeners()).toBe(0);
  });

  test('cleanup() refuses waiting queue, and later ones get a fresh isolate', async () => {
    const executor = new Scripted();
    const queue = queueOf(executor);
    const first = await longTurn(queue);
    const waiting = expectCode(
      queue.add(async () => 1),
      'ERR_INVALID_STATE',
    );
    await queue.cleanup();
    first.end();
    await first.job;
    expect((await waiting).details.hint).toBe(REFUSALS.CLEANED_UP);
    await queue.add(() => queue.makeReady());
    expect(executor.state).toBe('READY');
  });

  test('cleanup() called directly on the executor refuses waiting jobs', async () => {
    const executor = new Scripted();
    const queue = queueOf(executor);
    await queue.add(() => queue.makeReady());
    const first = await longTurn(queue);
    const waiting = expectCode(
      queue.add(async () => 1),
      'ERR_INVALID_STATE',
    );
    await executor.cleanup();
    first.end();
    await first.job;
    await waiting;
  });

  test('cleanup() during the start of the executor refuses waiting jobs too', async () => {
    const [begun, gate] = [deferred(), deferred()];
    const executor = new Scripted(undefined, () => (begun.resolve(), gate.promise));
    const queue = queueOf(executor);
    const both = [1, 2].map(() =>
      expectCode(
        queue.add(() => queue.makeReady()),
        'ERR_INVALID_STATE',
      ),
    );
    await begun.promise;
    executor.state = 'DEAD';
    gate.reject(invalidState('DEAD', 'init', REFUSALS.CLEANED_UP));
    await Promise.all(both);
    expect(executor.calls).toStrictEqual(['init']);
  });

  test('the number of the isolate grows by one when an isolate has ended', async () => {
    const executor = new Scripted();
    const queue = queueOf(executor);
    const ready = async () => {
      await queue.add(() => queue.makeReady());
      return queue.isolate;
    };
    const first = await ready();
    expect(await ready()).toBe(first);
    executor.state = 'DIRTY';
    const second = await ready();
    expect(second).toBe(first + 1);
    expect(executor.calls).toStrictEqual(['init', 'cleanup', 'init']);
    await queue.cleanup();
    expect(await ready()).toBe(second + 1);
  });

  test('an isolate that could not be created gets no number', async () => {
    let fails = true;
    const executor = new Scripted(undefined, async () => {
      if (fails) throw errorOf('ERR_INIT_FAILED', { reason: 'x' }, {});
    });
    const queue = queueOf(executor);
    const before = queue.isolate;
    for (let i = 0; i < 3; i++) await rejection(queue.add(() => queue.makeReady()));
    fails = false;
    await queue.add(() => queue.makeReady());
    expect(queue.isolate).toBe(before + 1);
  });
});

describe('tools of sessions', () => {
  const tool = () => 1;

  test('are sent once and withdrawn when another session runs', async () => {
    const executor = new Scripted();
    const [one, two] = [sessionOf(executor), sessionOf(executor)];
    const tools = { mine: tool, Host: { read: tool, deep: { list: tool } } };
    await one.run('1', { tools });
    await one.run('2', { tools });
    expect(executor.sent).toStrictEqual(tools);
    const others = { other: tool };
    await two.run('3', { tools: others });
    expect(executor.calls).toStrictEqual([
      'init',
      ['sendTools', ['mine', 'Host']],
      '1',
      '2',
      ['sendTools', ['mine', 'Host', 'other']],
      '3',
    ]);
    expect(executor.sent.other).toBe(tool);
    const refusals = [executor.sent.mine, executor.sent.Host.read, executor.sent.Host.deep.list];
    expect(await Promise.all(refusals.map(async (call) => (await rejection(call())).message))).toStrictEqual(
      ['mine', 'Host.read', 'Host.deep.list'].map(
        (path) => `${path} is not one of the functions that this code can call`,
      ),
    );
  });

  test('are withdrawn if sending them failed, since some may have arrived', async () => {
    const executor = new Scripted();
    const session = sessionOf(executor);
    const failing = executor.sendTools;
    executor.sendTools = async () => {
      throw errorOf('ERR_TRANSFER_LIMIT_EXCEEDED', { limit: 1 }, {});
    };
    await session.run('1', { tools: { lost: tool } });
    executor.sendTools = failing;
    await session.run('2', { tools: { kept: tool } });
    expect(Object.keys(executor.sent)).toStrictEqual(['lost', 'kept']);
    await expect(executor.sent.lost()).rejects.toThrow('lost is not one of the functions that this code can call');
  });

  test('are sent again to a replaced isolate', async () => {
    const executor = new Scripted(async (code) => (code === 'slow' ? executor.timeOut() : {}));
    const session = sessionOf(executor);
    const tools = { mine: tool };
    await session.run('slow', { tools });
    expect(executor.state).toBe('DEAD');
    await session.run('2', { tools });
    expect(executor.calls).toStrictEqual([
      'init',
      ['sendTools', ['mine']],
      'slow',
      'cleanup',
      'init',
      ['sendTools', ['mine']],
      '2',
    ]);
  });

  test('are sent again if the isolate ended while they were being sent', async () => {
    const executor = new Scripted();
    const queue = queueOf(executor);
    const tools = { mine: tool };
    const send = executor.sendTools.bind(executor);
    executor.sendTools = async (given) => {
      await send(given);
      executor.sendTools = send;
      await executor.cleanup();
    };
    await queue.add(() => queue.makeReady());
    await expectCode(
      queue.add(() => queue.sendTools(tools)),
      'ERR_INVALID_STATE',
    );
    await queue.add(() => queue.makeReady());
    await queue.add(() => queue.sendTools(tools));
    expect(executor.sent).toStrictEqual(tools);
  });

  test('are not offered to code of other sessions, unlike tools that the host sent', async () => {
    const executor = new Scripted();
    const own = flattenTools({ host: tool, mine: tool });
    describeOffer(executor, () => ({ imports: ['units'], tools: own }));
    expect(offerOf(executor)).toStrictEqual({ imports: ['units'], tools: own });
    await sessionOf(executor).run('1', { tools: { mine: tool } });
    expect(offerOf(executor)).toStrictEqual({ imports: ['units'], tools: [own[0]] });
    await queueOf(executor).cleanup();
    expect(offerOf(executor)).toStrictEqual({ imports: ['units'], tools: own });
  });
});

describe('a session', () => {
  test('returns output and logs, or the failure, as values', async () => {
    const logEntries = [{ level: 'log', message: 'hi', ts: '2020-01-01T00:00:00.000Z' }];
    const executor = new Scripted(async (code) => {
      if (code === 'bad') throw errorOf('ERR_MAX_OPS_EXCEEDED', { limit: 5 }, { maxOperations: 5 });
      return { output: 5, logs: 'hi', logEntries };
    });
    const session = sessionOf(executor);
    expect(await session.run('good')).toStrictEqual({ output: 5, logs: 'hi', logEntries });
    expect(await session.run('bad')).toStrictEqual({
      failure: {
        code: 'ERR_MAX_OPS_EXCEEDED',
        message: expect.any(String),
        hint: expect.any(String),
        retryable: expect.any(Boolean),
      },
      logs: '',
      logEntries: [],
    });
  });

  test('rejects with errors that are not ExecutorErrors', async () => {
    const session = sessionOf(
      new Scripted(async () => {
        throw new TypeError('of the host');
      }),
    );
    await expect(session.run('1')).rejects.toThrow(new TypeError('of the host'));
  });

  test('gets a fresh isolate after a run that left the executor DIRTY, and reports that once', async () => {
    const executor = new Scripted(async (code) => (code === 'slow' ? executor.timeOut() : { output: code }));
    const session = sessionOf(executor);
    await session.run('1');
    const { failure } = await session.run('slow');
    expect(executor.state).toBe('DEAD');
    expect(failure.hint).toMatch(new RegExp(`${GONE}$`));
    expect(await session.run('2')).toStrictEqual({ output: '2', logs: '', logEntries: [] });
  });

  test('reports the loss of state in the next run if the caller aborted the run', async () => {
    const controller = new AbortController();
    const executor = new Scripted(async (code) => {
      if (code !== 'slow') return { output: code };
      controller.abort();
      return executor.timeOut();
    });
    const session = sessionOf(executor);
    await session.run('1');
    await session.run('slow', { signal: controller.signal });
    expect(await session.run('2')).toStrictEqual({ output: '2', logs: '', logEntries: [], note: GONE });
    expect(await session.run('3')).toStrictEqual({ output: '3', logs: '', logEntries: [] });
  });

  test('does not report the loss of state if no further runs follow', async () => {
    const executor = new Scripted(async () => executor.timeOut());
    const session = sessionOf(executor, { livesOn: false });
    await session.run('1');
    expect((await session.run('2')).failure.hint).not.toContain(GONE);
  });

  test('does not report a reset by the caller', async () => {
    const executor = new Scripted();
    const session = sessionOf(executor);
    await session.run('1');
    await session.reset();
    expect(await session.run('2')).not.toHaveProperty('note');
    expect(await session.run('3', { afresh: true })).not.toHaveProperty('note');
    expect(executor.calls).toStrictEqual(['init', '1', 'cleanup', 'init', '2', 'cleanup', 'init', '3']);
  });

  test('reports the loss of an isolate that ended before its first program ran', async () => {
    const executor = new Scripted();
    const session = sessionOf(executor);
    const send = executor.sendTools.bind(executor);
    executor.sendTools = async () => {
      executor.sendTools = send;
      return executor.timeOut();
    };
    const { failure } = await session.run('1', { tools: { f: () => 1 } });
    expect(failure.hint).toMatch(new RegExp(`${GONE}$`));
  });

  test('sends its variables once to each isolate', async () => {
    const executor = new Scripted(async (code) => (code === 'slow' ? executor.timeOut() : {}));
    const session = sessionOf(executor, { variables: { x: 1 } });
    for (const code of ['1', '2', 'slow', '3']) await session.run(code);
    const sent = ['sendVariables', { x: 1 }];
    expect(executor.calls).toStrictEqual(['init', sent, '1', '2', 'slow', 'cleanup', 'init', sent, '3']);
  });

  test('sends its variables again after a failed attempt', async () => {
    const executor = new Scripted();
    const send = executor.sendVariables.bind(executor);
    executor.sendVariables = async () => {
      throw errorOf('ERR_TRANSFER_LIMIT_EXCEEDED', { limit: 1 }, {});
    };
    const session = sessionOf(executor, { variables: { x: 1 } });
    expect((await session.run('1')).failure.code).toBe('ERR_TRANSFER_LIMIT_EXCEEDED');
    executor.sendVariables = send;
    await session.run('2');
    expect(executor.calls).toStrictEqual(['init', ['sendVariables', { x: 1 }], '2']);
  });

  test('that is closed runs nothing more, while other sessions of the executor continue', async () => {
    const executor = new Scripted(async (code) => ({ output: code }));
    const [one, two] = [sessionOf(executor), sessionOf(executor)];
    await one.close();
    expect((await one.run('1')).failure.code).toBe('ERR_INVALID_STATE');
    expect(await two.run('2')).toMatchObject({ output: '2' });
    expect(executor.calls).toStrictEqual(['cleanup', 'init', '2']);
  });

  test('passes the deadline and the signal to the executor, and runs the code that the front end returns', async () => {
    const given = [];
    const executor = new Scripted(async (code, options) => void given.push([code, options]));
    const { signal } = new AbortController();
    const frontEnd = async (code) => ({ text: `(${code})`, note: undefined, restore: () => {} });
    await sessionOf(executor, { frontEnd }).run('x', { timeoutMs: 7, signal });
    expect(given).toStrictEqual([['(x)', { timeoutMs: 7, signal }]]);
  });

  test('does not initialize an isolate again that was cleaned up during its start', async () => {
    const executor = new Scripted(undefined, async () => {
      throw invalidState('DEAD', 'init', REFUSALS.CLEANED_UP);
    });
    expect((await sessionOf(executor).run('1')).failure.code).toBe('ERR_INVALID_STATE');
    expect(executor.calls).toStrictEqual(['init']);
  });
});

describe('isExecutor', () => {
  test('accepts objects that have a state and all methods of the contract', () => {
    expect(isExecutor(new Scripted())).toBe(true);
    for (const name of ['init', 'sendVariables', 'sendTools', 'run', 'cleanup', 'state']) {
      expect([name, isExecutor(Object.assign(new Scripted(), { [name]: undefined }))]).toStrictEqual([name, false]);
    }
    for (const other of [undefined, null, 'READY', () => {}]) expect(isExecutor(other)).toBe(false);
  });
});

// Runs and tool calls as tracing channels, and the asynchronous context that tools are called in.

import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';

import { expect, test } from 'vitest';

import { expectCode, testIf } from '../../helpers.mjs';

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

/** Calls `fn` while the events of both channels are noted by `note(channel, event, message)`. */
async function listening(note, fn) {
  const subscriptions = ['run', 'tool-call'].map((name) => {
    const handlers = Object.fromEntries(EVENTS.map((event) => [event, (message) => note(name, event, message)]));
    return [tracingChannel(`ses-executor:${name}`), handlers];
  });
  for (const [channel, handlers] of subscriptions) channel.subscribe(handlers);
  try {
    return await fn();
  } finally {
    for (const [channel, handlers] of subscriptions) channel.unsubscribe(handlers);
  }
}

/** @param {import('./index.mjs').Subject} subject */
export function describeTracing({ withExecutor, can }) {
  test('a run is traced from its start to its outcome', async () => {
    const events = [];
    await withExecutor({}, {}, async (executor) => {
      const note = (channel, event, message) => events.push([channel, event, message]);
      const output = await listening(note, () => executor.run('1 + 1'));
      expect(events.map(([channel, event]) => `${channel} ${event}`)).toStrictEqual([
        'run start',
        'run end',
        'run asyncStart',
        'run asyncEnd',
      ]);
      const [, , message] = events[0];
      expect(events.every(([, , other]) => other === message)).toBe(true);
      expect(message).toMatchObject({ code: '1 + 1', result: output });
      expect(message.executor).toBe(executor);
      events.length = 0;
      const error = await listening(note, () => expectCode(executor.run('null.x'), 'ERR_RUNTIME_EXCEPTION'));
      expect(events.map(([, event]) => event)).toStrictEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
      expect(events[2][2].error).toBe(error);
    });
  });

  test('a tool call is traced, whether it returns a value, a promise or an error', async () => {
    const events = [];
    const failure = new Error('no');
    const tools = {
      now: (n) => n + 1,
      later: async (n) => n + 1,
      fails: () => {
        throw failure;
      },
    };
    const note = (channel, event, { name, args, result, error }) =>
      channel === 'tool-call' && events.push({ name, args, event, result, error });
    await withExecutor({}, tools, async (executor) => {
      await listening(note, () => executor.run('now(1); await later(2); try { fails(3) } catch {}'));
    });
    const of = (name) => events.filter((event) => event.name === name);
    const call = (name, n) => ({ name, args: [n], result: undefined, error: undefined });
    expect(of('now')).toStrictEqual([
      { ...call('now', 1), event: 'start' },
      { ...call('now', 1), event: 'end', result: 2 },
    ]);
    expect(of('later')).toStrictEqual([
      { ...call('later', 2), event: 'start' },
      { ...call('later', 2), event: 'end' },
      { ...call('later', 2), event: 'asyncStart', result: 3 },
      { ...call('later', 2), event: 'asyncEnd', result: 3 },
    ]);
    expect(of('fails')).toStrictEqual([
      { ...call('fails', 3), event: 'start' },
      { ...call('fails', 3), event: 'error', error: failure },
      { ...call('fails', 3), event: 'end', error: failure },
    ]);
  });

  testIf(can.callLater)('a call ends in the trace when its run ends', async () => {
    const events = [];
    const note = (channel, event, { error }) => channel === 'tool-call' && events.push([event, error?.message]);
    await withExecutor({}, { never: async () => new Promise(() => {}) }, async (executor) => {
      await listening(note, () => executor.run('never(); 1'));
    });
    const ended = 'the run has ended';
    expect(events).toStrictEqual([
      ['start', undefined],
      ['end', undefined],
      ['error', ended],
      ['asyncStart', ended],
      ['asyncEnd', ended],
    ]);
  });

  test('a subscriber can make runs and calls execute in its own context', async () => {
    const storage = new AsyncLocalStorage();
    const note = (channel, event, message) => {
      if (event !== 'start') return;
      const { call } = message;
      message.call = () => storage.run([...(storage.getStore() ?? []), channel], call);
    };
    await withExecutor({}, { context: () => storage.getStore() }, async (executor) => {
      const { output } = await listening(note, () => storage.run(['caller'], () => executor.run('context()')));
      expect(output).toStrictEqual(['caller', 'run', 'tool-call']);
    });
  });

  test('tools, onToolCall and onLog are called in the asynchronous context of the run', async () => {
    const storage = new AsyncLocalStorage();
    const seen = [];
    const note = (name) => void seen.push(`${name} ${storage.getStore()}`);
    const options = {
      runConcurrency: 'queue',
      maxQueuedRuns: 1,
      onToolCall: () => note('onToolCall'),
      onLog: () => note('onLog'),
    };
    const tools = { now: () => note('now'), later: async () => note('later') };
    const code = 'now(); await later(); console.log(1)';
    await withExecutor(options, tools, async (executor) => {
      await Promise.all(['first', 'second'].map((name) => storage.run(name, () => executor.run(code))));
    });
    const of = (name) => ['onToolCall', 'now', 'onToolCall', 'later', 'onLog'].map((what) => `${what} ${name}`);
    expect(seen).toStrictEqual([...of('first'), ...of('second')]);
  });
}

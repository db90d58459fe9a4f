// Opens, uses and loses thousands of sessions of a fleet with simulated worker processes, and measures what the others
// do: hosts, broker and workers. Works as a check too: an outcome that is not the expected one is an error.

import { deepStrictEqual as check } from 'node:assert';
import { once } from 'node:events';

import { SESExecutor } from '../../index.mjs';
import { fleetStatus } from '../../build/ses/fleet.js';
import { brokerFigures, cpuSeconds, proportionalMiB } from '../scale/processes.mjs';
import { startSimulatedFleet } from './fleet.mjs';

/** Sessions that are opened at the same time. */
export const OPENERS = 16;
/** Runs under way at the same time, where not all sessions run. */
export const RUNNERS = 64;
/** Attempts to open a session while all workers are full. */
const REFUSALS = 20;
const ANSWER = 7;

/**
 * @param options.sessions all of them together
 * @param options.workers share the sessions equally, which must be possible
 * @param options.idleMs how long the idle fleet is watched
 * @param options.say gets what is done now
 */
export async function simulate({ sessions, workers, idleMs, say = () => {} }) {
  const names = Array.from({ length: workers }, (_, index) => `w${index + 1}`);
  const capacity = sessions / workers;
  const fleet = await startSimulatedFleet({ workers: names, capacity, isMonitored: true });
  const executors = [];
  try {
    const options = { isolation: 'remote', remote: { servers: fleet.servers }, sandbox: 'off', timeoutMs: 600_000 };
    const pids = { worker: fleet.workers.get(names[0]).pid, broker: fleet.broker.pid };
    let repeated = 0;
    const start = async () => {
      const executor = new SESExecutor(options);
      executors.push(executor);
      while (!(await begins(executor))) repeated++;
    };

    // What the first session loads belongs to none of them.
    await start();
    const before = memoryOf(pids);
    const opened = await timed(sessions - 1, OPENERS, start, (done) => {
      if (done % 500 === 0) say(`${done} of ${sessions} sessions are open`);
    });
    const taken = await takenBy(fleet);
    const grown = growth(before, memoryOf(pids));
    const sessionsOf = countBy(executors, ({ isolation }) => isolation.worker);
    check(sessionsOf, Object.fromEntries(names.map((name) => [name, capacity])));
    const memory = {
      hostMiB: grown.host / (sessions - 1),
      brokerMiB: grown.broker / (sessions - 1),
      workerMiB: grown.worker / (capacity - 1),
    };

    say('the fleet is full');
    const refused = await timed(REFUSALS, 1, async () => {
      const executor = new SESExecutor(options);
      const error = await executor.init().catch((reason) => reason);
      check([error.code, error.details?.reason], ['ERR_NO_WORKER', 'full']);
    });

    say('the fleet is idle');
    const idle = await usage(fleet, pids, () => new Promise((resolve) => setTimeout(resolve, idleMs)));

    say('runs');
    const run = async (executor, output) => check((await executor.run('simulated')).output, output);
    const runs = await timed(sessions, RUNNERS, (index) => run(executors[index], undefined));
    const allAtOnce = await timed(sessions, sessions, (index) => run(executors[index], undefined));

    say('tool calls');
    let hold = Promise.resolve();
    let called = 0;
    let whenAllCalled = () => {};
    const tools = {
      ask: async () => {
        if (++called === sessions) whenAllCalled();
        await hold;
        return ANSWER;
      },
    };
    await timed(sessions, RUNNERS, (index) => executors[index].sendTools(tools));
    const calls = await timed(sessions, RUNNERS, (index) => run(executors[index], ANSWER));

    say('all sessions wait for a tool, and a worker is killed');
    const [victim] = names;
    let release;
    hold = new Promise((resolve) => (release = resolve));
    called = 0;
    const areWaiting = new Promise((resolve) => (whenAllCalled = resolve));
    let killedAt = 0;
    const losses = [];
    const outcomes = executors.map(async (executor) => {
      const outcome = await executor.run('simulated').catch((error) => error);
      if (!(outcome instanceof Error)) return 'finished';
      losses.push(performance.now() - killedAt);
      return `${outcome.code} ${outcome.details.reason}`;
    });
    await areWaiting;
    // Before the worker is killed: a lost session has no worker.
    const hit = outcomes.filter((_, index) => executors[index].isolation.worker === victim);
    const worker = fleet.workers.get(victim);
    const exited = once(worker, 'exit');
    killedAt = performance.now();
    worker.kill('SIGKILL');
    await exited;
    await Promise.all(hit);
    release();
    const lost = countBy(await Promise.all(outcomes), (outcome) => outcome);
    check(lost, { 'ERR_WORKER_LOST gone': capacity, finished: sessions - capacity });

    say('all sessions end');
    const closed = await timed(sessions, sessions, (index) => executors[index].cleanup());
    return {
      sessions,
      workers,
      sessionsOf,
      opened: { ...opened, repeated, taken },
      memory,
      refused,
      idle: {
        messages: idle.messages / (idleMs / 1000) / workers,
        bytes: idle.bytes / (idleMs / 1000) / workers,
        cpu: Object.fromEntries(Object.entries(idle.cpu).map(([part, seconds]) => [part, seconds / (idleMs / 1000)])),
      },
      runs,
      allAtOnce,
      calls,
      lost: { outcomes: lost, firstMs: Math.min(...losses), lastMs: Math.max(...losses) },
      closed,
    };
  } finally {
    await Promise.all(executors.map((executor) => executor.cleanup()));
    await fleet.close();
  }
}

/**
 * Begins a session. @returns false if no worker has answered, which happens on a machine that is short of processors
 */
async function begins(executor) {
  try {
    await executor.init();
    return true;
  } catch (error) {
    if (error.code === 'ERR_NO_WORKER' && ['silent', 'broker'].includes(error.details.reason)) return false;
    throw error;
  }
}

/** How many sessions the workers have taken since their start. More than were asked for, if they answer late. */
async function takenBy({ servers }) {
  const answers = await fleetStatus({ servers: [servers], pool: 'default' }, 5_000);
  return answers.reduce((sum, text) => sum + JSON.parse(text).opened, 0);
}

/**
 * Does work `count` times, `width` at the same time.
 *
 * @returns how often per second it was done, how long all of it took, and how long one took: half of them, and 99 of
 *   100, at most
 */
async function timed(count, width, work, onDone = () => {}) {
  const times = [];
  let next = 0;
  const began = performance.now();
  const worker = async () => {
    while (next < count) {
      const index = next++;
      const start = performance.now();
      await work(index);
      times.push(performance.now() - start);
      onDone(times.length);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  const seconds = (performance.now() - began) / 1000;
  times.sort((a, b) => a - b);
  const share = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
  return { perSecond: count / seconds, seconds, p50Ms: share(0.5), p99Ms: share(0.99) };
}

/** MiB of this process, of the broker and of one worker. */
function memoryOf({ worker, broker }) {
  return {
    host: process.memoryUsage.rss() / 2 ** 20,
    broker: proportionalMiB(broker),
    worker: proportionalMiB(worker),
  };
}

const growth = (before, after) =>
  Object.fromEntries(Object.entries(after).map(([part, value]) => [part, value - before[part]]));

/**
 * Messages and bytes that arrive at the broker during some work, and the processor time of this process, of the broker
 * and of one worker.
 */
async function usage(fleet, { worker, broker }, work) {
  const take = async () => {
    const { in_msgs: messages, in_bytes: bytes } = await brokerFigures(fleet);
    const { user, system } = process.cpuUsage();
    const cpu = { host: (user + system) / 1e6, broker: cpuSeconds(broker), worker: cpuSeconds(worker) };
    return { messages, bytes, cpu };
  };
  const before = await take();
  await work();
  const after = await take();
  return {
    messages: after.messages - before.messages,
    bytes: after.bytes - before.bytes,
    cpu: growth(before.cpu, after.cpu),
  };
}

function countBy(list, keyOf) {
  const counts = {};
  for (const item of list) {
    const key = keyOf(item);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

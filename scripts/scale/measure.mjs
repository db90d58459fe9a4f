// Measures what sessions of a fleet use: on one machine, with a real broker, a real worker and real journals.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { natsStore } from '../../build/durable/index.js';
import { SESExecutor } from '../../index.mjs';
import { startFleet } from '../local-fleet.mjs';
import { brokerPath } from '../setup/broker.mjs';
import { startBroker, stopProgram } from '../start-broker.mjs';
import { brokerFigures, childrenOf, cpuSeconds, proportionalMiB } from './processes.mjs';

const SESSIONS = 32;
const RUNS = 100;
const CALLS = 100;
const APPENDS = 400;
const CONNECTIONS = 200;
const IDLE_MS = 4_000;
/** Bytes of an entry of a journal about a call with small arguments. */
const ENTRY_BYTES = 300;

/** @param say gets what is measured now */
export async function measure(say) {
  const fleet = await startFleet({ workers: ['w1'], capacity: SESSIONS, isMonitored: true });
  const worker = fleet.workers.get('w1').pid;
  const executors = [];
  try {
    say('memory of sessions');
    const open = async () => {
      const executor = new SESExecutor({ isolation: 'remote', remote: { servers: fleet.servers }, maxToolCalls: 1e6 });
      executors.push(executor);
      await executor.init();
      await executor.sendTools({ add: async (a, b) => a + b });
      await executor.run('const n = [1, 2, 3].map((x) => x * 2)');
    };
    await open();
    await open();
    const before = memoryOf(fleet, worker);
    while (executors.length < SESSIONS) await open();
    const after = memoryOf(fleet, worker);
    const per = (name) => (after[name] - before[name]) / (SESSIONS - 2);
    const session = { workerMiB: per('worker'), hostMiB: per('host'), brokerMiB: per('broker') };

    say('an idle fleet');
    const idle = await figuresOf(fleet, worker, () => new Promise((done) => setTimeout(done, IDLE_MS)));
    const idleSeconds = IDLE_MS / 1000;

    say('runs');
    const all = (code) => Promise.all(executors.map((executor) => code(executor)));
    const runs = await figuresOf(fleet, worker, () =>
      all(async (executor) => {
        for (let n = 0; n < RUNS; n++) await executor.run(`${n}`);
      }),
    );
    say('tool calls');
    const calls = await figuresOf(fleet, worker, () =>
      all((executor) => executor.run(`let s = 0; for (let i = 0; i < ${CALLS}; i++) s = await add(s, i); s`)),
    );
    say('journals');
    const journal = await measureJournal('always');
    const { perSecond: perSecondInMemory } = await measureJournal('2m');
    say('connections');
    const connectionMiB = await measureConnections(fleet);
    return {
      session,
      idle: {
        messagesPerPair: idle.messages / idleSeconds,
        brokerCpuPerPair: idle.cpu.broker / idleSeconds,
      },
      run: perUnit(runs, SESSIONS * RUNS),
      tool: perUnit(calls, SESSIONS * CALLS),
      journal: { ...journal, perSecondInMemory },
      connectionMiB,
    };
  } finally {
    await Promise.all(executors.map((executor) => executor.cleanup()));
    await fleet.close();
  }
}

function memoryOf(fleet, worker) {
  const pids = [worker, ...childrenOf(worker)];
  return {
    worker: pids.reduce((sum, pid) => sum + proportionalMiB(pid), 0),
    host: process.memoryUsage.rss() / 2 ** 20,
    broker: proportionalMiB(fleet.broker.pid),
  };
}

/** What a work takes of host, broker and worker. */
async function figuresOf(fleet, worker, work) {
  const take = async () => {
    const { in_msgs: messages, in_bytes: bytes } = await brokerFigures(fleet);
    const host = process.cpuUsage();
    return {
      messages,
      bytes,
      cpu: {
        host: (host.user + host.system) / 1e6,
        broker: cpuSeconds(fleet.broker.pid),
        worker: [worker, ...childrenOf(worker)].reduce((sum, pid) => sum + cpuSeconds(pid), 0),
      },
      time: performance.now() / 1000,
    };
  };
  const before = await take();
  await work();
  const after = await take();
  const cpu = Object.fromEntries(Object.keys(after.cpu).map((name) => [name, after.cpu[name] - before.cpu[name]]));
  const difference = (name) => after[name] - before[name];
  return { cpu, messages: difference('messages'), bytes: difference('bytes'), seconds: difference('time') };
}

function perUnit({ cpu, messages, bytes, seconds }, units) {
  const each = Object.fromEntries(Object.entries(cpu).map(([name, value]) => [name, value / units]));
  return { cpu: each, messages: messages / units, bytes: bytes / units, perSecond: units / seconds };
}

/**
 * Appends of several sessions at the same time, as hosts make them.
 *
 * @param sync when the broker waits for the disk: `always`, or the time between
 */
async function measureJournal(sync) {
  const folder = mkdtempSync(join(tmpdir(), 'ses-scale-'));
  const config = join(folder, 'broker.conf');
  writeFileSync(
    config,
    `host: 127.0.0.1\njetstream: { sync_interval: ${sync === 'always' ? sync : JSON.stringify(sync)} }\n`,
  );
  const broker = await startBroker(brokerPath(), { config, port: -1, folder: join(folder, 'streams') });
  const store = natsStore({ servers: `nats://127.0.0.1:${broker.port}` });
  const entry = Buffer.alloc(ENTRY_BYTES, 7);
  try {
    await store.append('first', 0, [entry]);
    const sessions = Array.from({ length: 16 }, (_, n) => `s${n}`);
    const [began, used] = [performance.now(), cpuSeconds(broker.process.pid)];
    await Promise.all(
      sessions.map(async (id) => {
        for (let n = 0; n < APPENDS; n++) await store.append(id, n, [entry]);
      }),
    );
    const [seconds, appends] = [(performance.now() - began) / 1000, sessions.length * APPENDS];
    const brokerCpu = (cpuSeconds(broker.process.pid) - used) / appends;
    return { perSecond: appends / seconds, bytes: ENTRY_BYTES, brokerCpu };
  } finally {
    await store.close();
    await stopProgram(broker.process);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureConnections(fleet) {
  const before = proportionalMiB(fleet.broker.pid);
  const port = Number(new URL(fleet.servers).port);
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'data');
      socket.write('CONNECT {"verbose":false}\r\nPING\r\n');
      await once(socket, 'data');
      return socket;
    }),
  );
  const after = proportionalMiB(fleet.broker.pid);
  for (const socket of sockets) socket.destroy();
  return (after - before) / CONNECTIONS;
}

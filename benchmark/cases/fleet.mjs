// A fleet on this machine against threads and processes of the host, in the same process and in turns.

import { once } from 'node:events';
import { connect } from 'node:net';

import { DurableSession, natsStore } from '../../build/durable/index.js';
import { SESExecutor } from '../../index.mjs';
import { startFleet, startWorker } from '../../scripts/local-fleet.mjs';
import { median } from '../statistics.mjs';
import { expectEqual, repeat } from './measure.mjs';

const SESSIONS = 16;
const CALL_MS = 10;
const STEPS = 20;
const KEYS = { sign: 'a key of the benchmark' };

export default {
  id: 'fleet',
  title: 'fleet',
  peers: ['ses-executor'],
  rounds: 8,
  seconds: 60,
  isLinuxOnly: true,
  variants: [
    { id: 'fleet-run', title: 'fleet: a run, against a raw round trip and a run in a process' },
    { id: 'fleet-tools', title: `fleet: ${SESSIONS} sessions with one ${CALL_MS} ms tool each, against threads` },
    { id: 'fleet-init', title: 'fleet: init, against init of a process' },
    { id: 'fleet-recovery', title: `fleet: recovery of ${STEPS} steps with ${CALL_MS} ms tools, against the steps` },
  ],
  metrics: [{ id: 'ratio', unit: '×' }],

  async prepare() {
    const fleet = await startFleet({ workers: ['first'], capacity: 2 * SESSIONS });
    // The driver ends this process without a word.
    process.once('disconnect', () => fleet.close().finally(() => process.exit()));
    return { state: { fleet, places: placesOf(fleet.servers) } };
  },

  async round(state, { id }, { isQuick }) {
    return { ratio: [await RATIOS[id](state, isQuick)] };
  },
};

function placesOf(servers) {
  return {
    thread: { isolation: 'thread' },
    process: { isolation: 'process' },
    remote: { isolation: 'remote', remote: { servers } },
  };
}

const RATIOS = {
  async 'fleet-run'({ fleet, places }, isQuick) {
    const limits = { samples: isQuick ? 100 : 400, budgetMs: isQuick ? 200 : 800 };
    const near = await opened(places.process);
    const far = await opened(places.remote);
    const raw = await rawConnections(fleet.servers);
    try {
      const runOf = (executor) => async (n) => expectEqual((await executor.run(`${n}`)).output, n, 'a run');
      const times = [[], [], []];
      // In turns: what else the machine does hits all alike.
      for (let turn = 0; turn < 4; turn++) {
        for (const [index, work] of [raw.roundTrip, runOf(near), runOf(far)].entries()) {
          times[index].push(...(await repeat(work, limits)));
        }
      }
      const [trip, inProcess, remote] = times.map(median);
      return remote / (trip + inProcess);
    } finally {
      raw.close();
      await Promise.all([near.cleanup(), far.cleanup()]);
    }
  },

  async 'fleet-tools'({ places }) {
    const timeOf = async (place) => {
      const executors = await Promise.all(Array.from({ length: SESSIONS }, () => opened(place)));
      try {
        const once = () => Promise.all(executors.map((executor) => executor.run('await slow(1)')));
        await once();
        return median(await repeat(once, { samples: 20, budgetMs: 1_000 }));
      } finally {
        await Promise.all(executors.map((executor) => executor.cleanup()));
      }
    };
    return (await timeOf(places.remote)) / (await timeOf(places.thread));
  },

  async 'fleet-init'({ places }, isQuick) {
    const timeOf = async (place) => {
      const times = [];
      for (let n = 0; n < (isQuick ? 5 : 15); n++) {
        const executor = new SESExecutor({ ...place, warmPool: 1 });
        const started = performance.now();
        await executor.init();
        times.push(performance.now() - started);
        await executor.cleanup();
        // Time to make the next spare, which is not part of an init.
        await new Promise((done) => setTimeout(done, 30));
      }
      return median(times.slice(1));
    };
    const near = await timeOf(places.process);
    return (await timeOf(places.remote)) / near;
  },

  async 'fleet-recovery'({ fleet, places }) {
    const store = natsStore({ servers: fleet.servers });
    const id = `s${performance.now()}`;
    const open = () => DurableSession.open(id, { store, keys: KEYS, tools: TOOLS, executor: places.remote });
    const session = await open();
    try {
      const took = await timed(async () => {
        for (let n = 0; n < STEPS; n++) await session.run(`const v${n} = await slow(${n}); v${n}`);
      });
      const [name] = fleet.workers.keys();
      const next = name === 'first' ? 'second' : 'first';
      const other = await startWorker(fleet.servers, { name: next, capacity: 2 * SESSIONS });
      const child = fleet.workers.get(name);
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      fleet.workers.delete(name);
      fleet.workers.set(next, other);
      await session.cleanup();
      const recovery = await timed(async () => {
        const recovered = await open();
        expectEqual((await recovered.run(`v${STEPS - 1}`)).output, STEPS - 1, 'recovery');
        await recovered.cleanup();
      });
      return recovery / took;
    } finally {
      await store.close();
    }
  },
};

const TOOLS = { slow: (n) => new Promise((done) => setTimeout(done, CALL_MS, n)) };

async function opened(place) {
  const executor = new SESExecutor(place);
  await executor.init();
  await executor.sendTools(TOOLS);
  return executor;
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Two connections of the protocol of NATS, without a client: one sends, the other one answers. */
async function rawConnections(servers) {
  const port = Number(new URL(servers).port);
  const sockets = await Promise.all([0, 1].map(() => rawConnection(port)));
  const [client, server] = sockets;
  server.write('SUB raw.there 1\r\n');
  client.write('SUB raw.back 1\r\n');
  server.on('data', (data) => data.includes('MSG raw.there') && server.write('PUB raw.back 1\r\nx\r\n'));
  return {
    roundTrip: () =>
      new Promise((done) => {
        client.once('data', done);
        client.write('PUB raw.there 1\r\nx\r\n');
      }),
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

async function rawConnection(port) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'data');
  socket.write('CONNECT {"verbose":false}\r\nPING\r\n');
  await once(socket, 'data');
  return socket;
}

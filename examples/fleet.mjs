// `npm run demo:fleet`: a broker, three workers and thirty agents. Each agent has a durable session on the fleet. One
// worker is killed while they work; its sessions are rebuilt on the other workers, and all agents finish. Broker,
// workers and journals are real; the agents' programs are written down here. A terminal shows the fleet live.

import { DurableSession, memoryStore } from '../build/durable/index.js';
import { startFleet } from '../scripts/local-fleet.mjs';

const AGENTS = 30;
const STEPS = 6;
const NAMES = ['north', 'south', 'west'];
const isLive = process.stdout.isTTY === true;

const fleet = await startFleet({ workers: NAMES, capacity: AGENTS });
console.log(`a broker and ${NAMES.length} workers are ready`);
const agents = Array.from({ length: AGENTS }, (_, n) => ({ name: `agent-${n + 1}`, step: 0, moves: 0, worker: '' }));
let killed;
let toolCalls = 0;
let lostCalls = 0;
const drawing = isLive ? setInterval(draw, 100) : undefined;
try {
  await Promise.all(agents.map(work));
} finally {
  clearInterval(drawing);
  if (isLive) draw();
  await fleet.close();
}
const finished = agents.filter(({ total }) => total === (STEPS * (STEPS + 1)) / 2);
const moved = agents.filter(({ moves }) => moves > 0);
const repeated = toolCalls - AGENTS * STEPS - lostCalls;
console.log(
  `worker ${killed} was killed; ${moved.length > 0 ? 'its sessions were' : 'no session was'} rebuilt elsewhere`,
);
console.log(`${finished.length} of ${AGENTS} agents finished`);
console.log(
  `${toolCalls} tool calls: ${lostCalls} of runs that were lost and undone, and ${repeated} that were repeated`,
);
if (finished.length < AGENTS || repeated !== 0) process.exitCode = 1;

/** What an agent does: a program per step, each with one call of a tool. */
async function work(agent) {
  const price = async (step) => {
    toolCalls++;
    await new Promise((done) => setTimeout(done, 100));
    return step;
  };
  const session = await DurableSession.open(agent.name, {
    store: memoryStore(),
    tools: { price },
    executor: { isolation: 'remote', remote: { servers: fleet.servers } },
  });
  agent.worker = workerOf(session);
  await session.run('let total = 0; const add = async (step) => (total += await price(step));');
  while (agent.step < STEPS) {
    try {
      const { output } = await session.run(`await add(${agent.step + 1})`);
      agent.total = output;
      agent.step++;
    } catch (error) {
      // The run was undone. The next one finds the session on another worker, as it was before.
      if (error.code !== 'ERR_WORKER_LOST') throw error;
      lostCalls += error.details.lostCalls.length;
    }
    const worker = workerOf(session);
    if (worker !== '' && agent.worker !== '' && worker !== agent.worker) agent.moves++;
    agent.worker = worker || agent.worker;
    if (killed === undefined && agents.every(({ step }) => step >= 2)) killOne();
  }
  await session.cleanup();
}

/** Kills the worker with the most sessions, as a machine does that loses power. */
function killOne() {
  const counts = NAMES.map((name) => [name, agents.filter(({ worker }) => worker === name).length]);
  [[killed]] = counts.toSorted(([, a], [, b]) => b - a);
  fleet.workers.get(killed).kill('SIGKILL');
  console.log(`killed worker ${killed} while all agents were at work`);
}

function workerOf(session) {
  return session.isolation?.worker ?? '';
}

function draw() {
  const lines = NAMES.map((name) => {
    const here = agents.filter(({ worker, step }) => worker === name && step < STEPS).length;
    return `${name.padEnd(6)} ${name === killed ? 'killed' : 'ready '} ${'#'.repeat(here)}`;
  });
  const done = agents.filter(({ step }) => step === STEPS).length;
  process.stdout.write(`\x1b[H\x1b[2J${lines.join('\n')}\n${done} of ${AGENTS} agents have finished\n`);
}

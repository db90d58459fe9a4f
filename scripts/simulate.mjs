// `npm run simulate`: 10,000 sessions of a fleet on this machine. Client, broker and workers are real, the processes of
// the sessions are simulated: they run no code. `-- --sessions N` opens another number, `-- --write` writes the table
// of docs/guide/scale.md. On Linux, with Rust.

import { parseArgs } from 'node:util';

import { MACHINE, number, round, table, writeTables } from './scale/tables.mjs';
import { fail } from './setup/report.mjs';
import { OPENERS, RUNNERS, simulate } from './simulate/measure.mjs';

const WORKERS = 3;
/** Twice the interval at which each session tells its worker where it is. */
const IDLE_MS = 20_000;

const { values } = parseArgs({ options: { sessions: { type: 'string' }, write: { type: 'boolean' } } });
if (process.platform !== 'linux') fail('the figures come from Linux');
const wanted = Number(values.sessions ?? 10_000);
if (!Number.isSafeInteger(wanted) || wanted < WORKERS)
  fail('--sessions must be an integer, at least one for each worker');
const began = performance.now();
const say = (what) => console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${what}`);
const figures = await simulate({
  sessions: Math.ceil(wanted / WORKERS) * WORKERS,
  workers: WORKERS,
  idleMs: IDLE_MS,
  say,
});
const text = tableOf(figures);
console.log(text);
if (values.write) await writeTables('npm run simulate -- --write', text);

function tableOf({ sessions, workers, opened, memory, refused, idle, runs, allAtOnce, calls, lost, closed }) {
  const ms = (value) => `${round(value)} ms`;
  const kib = (mib) => `${round(mib * 1024)} KiB`;
  const percent = (share) => `${round(share * 100)} %`;
  const perSession = sessions / workers;
  const rows = [
    [`Sessions opened per second, ${OPENERS} at a time`, round(opened.perSecond)],
    ['Time to open one: half of them, 99 of 100', `${ms(opened.p50Ms)}, ${ms(opened.p99Ms)}`],
    [
      'Sessions that workers took for them, attempts that failed',
      `${number(opened.taken)}, ${number(opened.repeated)}`,
    ],
    [
      'Memory of a session: client, broker, worker without its process',
      [memory.hostMiB, memory.brokerMiB, memory.workerMiB].map(kib).join(', '),
    ],
    [`Runs per second, ${RUNNERS} at a time`, round(runs.perSecond)],
    [`Runs with a tool call per second, ${RUNNERS} at a time`, round(calls.perSecond)],
    ['A run in all sessions at the same time', `${round(allAtOnce.seconds)} s`],
    [
      `Messages and bytes per second between a client and a worker with ${number(perSession)} idle sessions`,
      `${round(idle.messages)}, ${round(idle.bytes)}`,
    ],
    [
      'Processor of the idle fleet: client, broker, one worker',
      [idle.cpu.host, idle.cpu.broker, idle.cpu.worker].map(percent).join(', '),
    ],
    [
      'Time until a full fleet refuses a session: half of them, 99 of 100',
      `${ms(refused.p50Ms)}, ${ms(refused.p99Ms)}`,
    ],
    [
      `A worker is killed, all sessions are in a run: sessions that get \`ERR_WORKER_LOST\``,
      `${number(lost.outcomes['ERR_WORKER_LOST gone'])} of ${number(sessions)}`,
    ],
    ['The first of them, the last of them', `${ms(lost.firstMs)}, ${ms(lost.lastMs)}`],
    ['Time to close all sessions', `${round(closed.seconds)} s`],
  ];
  return table([`${number(sessions)} sessions, ${workers} workers`, MACHINE], rows);
}

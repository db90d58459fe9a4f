// Programs that an optimising compiler takes long for: they end, and with them what is done for them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** What compiles for a guest is so much nicer than the host. */
const HELPING_NICE = 16;
/** Processor time of something that never ends, in milliseconds: that is waited for, however busy the machine is. */
const ENDLESS_MS = 100;
/** Computes for as long, as nice as what compiles. */
const ENDLESS = `
  const { constants: { priority }, getPriority, setPriority } = require('node:os');
  setPriority(Math.min(getPriority() + ${HELPING_NICE}, priority.PRIORITY_LOW));
  const begun = process.cpuUsage();
  for (let used = begun; used.user + used.system < ${ENDLESS_MS * 1e3}; used = process.cpuUsage(begun));
`;
/** Of a tick of /proc, in milliseconds. */
const TICK_MS = 10;

/**
 * Whether the process that an executor's isolate is in goes on computing: it takes at least half of the processor time that
 * something endless takes meanwhile.
 *
 * @param {import('../../index.mjs').SESExecutor} executor
 */
export async function goesOn({ isolation: { pid } }) {
  const before = processorMs(pid);
  const [status] = await once(spawn(process.execPath, ['-e', ENDLESS], { stdio: 'inherit' }), 'exit');
  if (status !== 0) throw new Error(`what measures has ended with ${status}`);
  return processorMs(pid) - before > ENDLESS_MS / 2;
}

/** @param {number | undefined} pid of a process on Linux; undefined: this one */
function processorMs(pid) {
  if (pid === undefined) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  }
  // Behind the name, which may have spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** @param {{ executor: import('../../index.mjs').SESExecutor }} host */
export const rest = async ({ executor }) => ((await goesOn(executor)) ? 'something goes on' : 'nothing goes on');

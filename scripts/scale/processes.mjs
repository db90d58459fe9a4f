// What processes use, as Linux and the broker say.

import { readFileSync, readdirSync } from 'node:fs';

/** Ticks of the clock in a second, which are the same on all machines that matter. */
const TICKS = 100;

/** Seconds of processor time that a process has used; 0 if it has ended. */
export function cpuSeconds(pid) {
  const fields = statOf(pid);
  return fields === undefined ? 0 : (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** MiB of memory that a process uses, in which what it shares counts in part. */
export function proportionalMiB(pid) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)[1]) / 1024;
}

/** The processes that a process has started. */
export function childrenOf(pid) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((child) => statOf(child)?.[1] === String(pid)).map(Number);
}

/** What a broker says about itself. */
export async function brokerFigures({ monitorPort }) {
  return (await fetch(`http://127.0.0.1:${monitorPort}/varz`)).json();
}

/** The fields after the name, which may have spaces: state, parent and so on. */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

import { fleetOf } from './fleet-options';
import { lost } from './terminal';
import { UsageError, asUsage } from './usage-error';
import { write } from '../../contract/terminal';
import { fleetStatus } from '../../ses/fleet';
import type { CommandOptions } from './main';
import type { Fleet } from '../../contract/options';

/** How long the first answer of a worker may take. */
const TIMEOUT_MS = 1000;
/** Interval of `--watch`. */
const WATCH_MS = 1000;
/** Clears a terminal. */
const CLEAR = '\x1b[2J\x1b[H';

/** A worker as it describes itself. */
interface WorkerStatus {
  worker: string;
  node: string;
  version: string;
  state: string;
  capacity: number;
  sessions: number;
  tenants?: Record<string, number>;
  load: number[];
  cpus: number;
  opened: number;
  refused: number;
  lost: number;
  uptimeMs: number;
}

/** Runs `ses-executor fleet`. The exit status is 1 if the pool has no worker. */
export async function fleet(words: string[], options: CommandOptions): Promise<number> {
  if (words.length !== 1 || words[0] !== 'status') throw new UsageError('expected: fleet status');
  const pool = await asUsage(() => fleetOf(options));
  let isWatched = options.watch;
  void lost(process.stdout).then(() => (isWatched = false));
  let workers = await statusOf(pool);
  while (isWatched) {
    if (options.json) write(process.stdout, `${JSON.stringify(workers)}\n`);
    else showTable(tableOf(pool, workers));
    await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
    workers = await statusOf(pool);
  }
  write(process.stdout, options.json ? `${JSON.stringify(workers, null, 2)}\n` : tableOf(pool, workers));
  return workers.length > 0 ? 0 : 1;
}

/** Replaces the table on a terminal. One write: the terminal never shows it empty. `write` would show the sequence. */
function showTable(table: string) {
  process.stdout.write(process.stdout.isTTY ? `${CLEAR}${table}` : table);
}

/** The workers of the pool, by name. Answers that are not from a worker are dropped. */
async function statusOf(pool: Fleet): Promise<WorkerStatus[]> {
  const answers = await fleetStatus(pool, TIMEOUT_MS);
  return answers.flatMap(parsed).sort((a, b) => (a.worker < b.worker ? -1 : 1));
}

function parsed(text: string): WorkerStatus[] {
  try {
    const status = JSON.parse(text);
    const isStatus =
      ['worker', 'node', 'version', 'state'].every((name) => typeof status[name] === 'string') &&
      ['capacity', 'sessions', 'cpus', 'opened', 'refused', 'lost', 'uptimeMs'].every((name) =>
        Number.isFinite(status[name]),
      ) &&
      Array.isArray(status.load) &&
      status.load.every(Number.isFinite);
    return isStatus ? [status] : [];
  } catch {
    return [];
  }
}

function tableOf({ pool }: Fleet, workers: WorkerStatus[]) {
  if (workers.length === 0) return `pool ${pool} has no worker\n`;
  const head = ['worker', 'node', 'state', 'sessions', 'load', 'opened', 'refused', 'lost', 'up'];
  const rows = workers.map((row) => [
    plain(row.worker),
    plain(row.node),
    plain(row.state),
    `${row.sessions}/${row.capacity}`,
    (row.load[0] ?? 0).toFixed(2),
    ...[row.opened, row.refused, row.lost].map(String),
    `${Math.round(row.uptimeMs / 1000)} s`,
  ]);
  const widths = head.map((name, index) => Math.max(name.length, ...rows.map((row) => row[index].length)));
  const line = (cells: string[]) =>
    `${cells
      .map((cell, index) => cell.padEnd(widths[index]))
      .join('  ')
      .trimEnd()}\n`;
  const sum = (name: 'sessions' | 'capacity') => workers.reduce((total, row) => total + row[name], 0);
  const count = workers.length === 1 ? '1 worker' : `${workers.length} workers`;
  const total = `pool ${pool}: ${count}, ${sum('sessions')} of ${sum('capacity')} sessions\n`;
  return [head, ...rows].map(line).join('') + total;
}

/** Text of a worker, without what a terminal would interpret. */
function plain(text: string) {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 64);
}

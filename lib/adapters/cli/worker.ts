import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { fleetOf } from './fleet-options';
import { listenAddress } from './listen-address';
import { UsageError, asUsage } from './usage-error';
import { urlHost } from '../mcp/address';
import { version } from '../../../package.json';
import { write } from '../../contract/terminal';
import { engineDigest, engineSpec } from '../../python/engine-spec';
import { packagesFolder, packagesIn } from '../../python/packages-folder';
import { makeFleetWorker } from '../../ses/fleet';
import type { ListenAddress } from './listen-address';
import type { CommandOptions } from './main';

/** Sessions at the same time, if `--capacity` does not say. */
const CAPACITY = 32;
/** More than a machine has memory for. */
const MAX_CAPACITY = 100_000;
/** How long a drained worker waits for runs, if `--grace` does not say. */
const GRACE_MS = 30_000;
/** The largest memory limit of a session, if `--memory` does not say. */
const MAX_MEMORY_MB = 1024;
/** How long the broker may be away until the worker counts as broken. The same time as that of clients. */
const BROKER_BUDGET_MS = 10_000;
/** The longest timer of Node.js. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const SANDBOXES = ['required', 'best-effort', 'off'];
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

type Native = ReturnType<typeof makeFleetWorker>;

/** Runs `ses-executor worker`. The exit status is 0 when it was drained. */
export async function worker(_file: string, options: CommandOptions): Promise<number> {
  const { grace = GRACE_MS, listen } = options;
  const address = listen === undefined ? undefined : listenAddress('--listen', listen, '127.0.0.1');
  const settings = await asUsage(() => settingsOf(options));
  const native = makeFleetWorker(settings);
  // Installed first: a signal may come while the worker connects.
  const asked = signalled();
  const server = address === undefined ? undefined : await serve(native, address);
  // Neither signals nor native threads keep the process alive.
  const alive = setInterval(() => {}, MAX_TIMER_MS);
  try {
    await native.start();
    const { name, fleet } = settings;
    write(process.stderr, `ses-executor: worker ${name} takes sessions of pool ${fleet.pool}\n`);
    await asked;
    const drained = native.drain(grace);
    write(process.stderr, `ses-executor: worker ${name} takes no more sessions, and ends within ${grace} ms\n`);
    await drained;
    return 0;
  } finally {
    clearInterval(alive);
    server?.close();
    server?.closeAllConnections();
  }
}

function settingsOf(options: CommandOptions) {
  const { capacity = CAPACITY, sandbox = 'required', spares = 1, memoryLimitMb = MAX_MEMORY_MB } = options;
  const name =
    options.name ??
    `${hostname()
      .replace(/[^\w-]/g, '-')
      .slice(0, 40)}-${randomBytes(4).toString('hex')}`;
  if (!/^[\w-]{1,64}$/.test(name)) throw new UsageError('--name must have letters, digits, - and _ only');
  if (!SANDBOXES.includes(sandbox)) throw new UsageError(`--sandbox must be one of ${SANDBOXES.join(', ')}`);
  if (capacity < 1 || capacity > MAX_CAPACITY) {
    throw new UsageError(`--capacity must be from 1 to ${MAX_CAPACITY}, got ${capacity}`);
  }
  return {
    fleet: fleetOf(options),
    name,
    node: hostname(),
    version,
    capacity,
    sandbox,
    spares,
    maxMemoryMb: memoryLimitMb,
    offers: offersOf(options.packages),
  };
}

/** The engines that this machine has besides the realm. A session that names no packages gets none. */
function offersOf(packages: string | undefined): Parameters<typeof makeFleetWorker>[0]['offers'] {
  const digest = engineDigest();
  if (digest === undefined && packages !== undefined) throw new UsageError('--packages needs the npm package pyodide');
  if (digest === undefined) return [];
  const plain = { engine: engineSpec(), digest, packages: [] };
  if (packages === undefined) return [plain];
  return [plain, { engine: engineSpec([packagesFolder(packages)]), digest, packages: packagesIn(packages) }];
}

/** Resolves at the first signal that asks the worker to end. A second one ends it. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  });
}

/** Serves `/healthz`, `/readyz` and `/metrics`. */
async function serve(native: Native, { host, port }: ListenAddress): Promise<Server> {
  const server = createServer((request, response) => {
    const { status, type = 'text/plain', text } = answerTo(request.url, native);
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  write(process.stderr, `ses-executor: metrics are at http://${urlHost(host)}:${actual}/metrics\n`);
  return server;
}

function answerTo(path: string | undefined, { stats }: Native): { status: number; type?: string; text: string } {
  const of = (isWell: boolean) => (isWell ? { status: 200, text: 'ok\n' } : { status: 503, text: 'no\n' });
  switch (path) {
    case '/healthz':
      return of(stats.isConnected || stats.awayMs < BROKER_BUDGET_MS);
    case '/readyz':
      return of(stats.isConnected && !stats.isDraining);
    case '/metrics':
      return { status: 200, type: 'text/plain; version=0.0.4', text: metricsText(stats) };
    default:
      return { status: 404, text: 'the pages are /healthz, /readyz and /metrics\n' };
  }
}

/** The figures as Prometheus reads them. */
function metricsText(stats: Native['stats']) {
  const rows: [name: string, type: 'gauge' | 'counter', help: string, value: number][] = [
    ['sessions', 'gauge', 'Sessions that the worker has.', stats.sessions],
    ['capacity', 'gauge', 'Sessions that the worker can have.', stats.capacity],
    ['draining', 'gauge', 'Whether the worker takes no more sessions.', Number(stats.isDraining)],
    ['connected', 'gauge', 'Whether the worker is connected to a broker.', Number(stats.isConnected)],
    ['opened_total', 'counter', 'Sessions that the worker has taken.', stats.opened],
    ['refused_total', 'counter', 'Claims that the worker has refused.', stats.refused],
    ['lost_total', 'counter', 'Sessions whose process has ended by itself.', stats.lost],
    ['received_bytes_total', 'counter', 'Bytes of frames from clients.', stats.receivedBytes],
    ['sent_bytes_total', 'counter', 'Bytes of frames to clients.', stats.sentBytes],
  ];
  return rows
    .map(([name, type, help, value]) => {
      const full = `ses_executor_worker_${name}`;
      return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${full} ${value}\n`;
    })
    .join('');
}

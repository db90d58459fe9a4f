// A fleet on this machine: a broker and workers, as child processes.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { installBroker } from './setup/broker.mjs';
import { startBroker, stopProgram } from './start-broker.mjs';

const PROGRAM = fileURLToPath(new URL('../bin/ses-executor.js', import.meta.url));
/** Longest wait until a worker takes sessions. */
const START_MS = 30_000;

/**
 * Starts a worker and resolves when it takes sessions.
 *
 * @param options.program arguments of Node.js that start the command line; default: this package's
 * @param options.args further arguments of `ses-executor worker`
 * @param options.onLine gets each line that it writes
 */
export async function startWorker(
  servers,
  { name, capacity = 32, program = [PROGRAM], args = [], onLine = () => {} } = {},
) {
  const named = name === undefined ? [] : ['--name', name];
  const child = spawn(process.execPath, [...program, 'worker', '--capacity', String(capacity), ...named, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Not as an argument: other users can read those.
    env: { ...process.env, SES_EXECUTOR_SERVERS: servers },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  let text = '';
  try {
    await new Promise((resolve, reject) => {
      child.stderr.setEncoding('utf8');
      child.stderr.on('data', (data) => {
        text = (text + data).slice(-4_000);
        for (const line of data.trimEnd().split('\n')) onLine(line);
        if (text.includes('takes sessions of pool')) resolve();
      });
      child.once('error', reject);
      child.once('close', () => reject(new Error(`the worker has ended: ${text}`)));
    });
    return child;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Starts a broker without accounts, and workers.
 *
 * @param options.workers names of workers
 * @param options.isMonitored as of `startBroker`
 * @returns the broker's process, its address and the port of its figures, the workers' processes by name, and a
 *   function that ends everything
 */
export async function startFleet({ workers, isMonitored, ...options }) {
  const program = await installBroker();
  if (program === undefined) throw new Error('nats-server could not be installed');
  const folder = mkdtempSync(join(tmpdir(), 'ses-fleet-'));
  const children = new Map();
  let broker;
  const close = async () => {
    await Promise.all([...children.values()].map(stopProgram));
    if (broker !== undefined) await stopProgram(broker.process);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    broker = await startBroker(program, { folder, isMonitored });
    const servers = `nats://127.0.0.1:${broker.port}`;
    for (const name of workers) children.set(name, await startWorker(servers, { name, ...options }));
    return { servers, broker: broker.process, monitorPort: broker.monitorPort, workers: children, close };
  } catch (error) {
    await close();
    throw error;
  }
}

// Starts the broker of the fleet, `nats-server`, as a child process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

const HOST = '127.0.0.1';
/** Longest wait until the broker listens. */
const START_MS = 30_000;

/**
 * Starts a broker and resolves when it accepts clients. Without a `config` it listens on 127.0.0.1, without accounts.
 *
 * @param program the path of `nats-server`
 * @param options.port default: a free port, or the one of `config`
 * @param options.config the path of a configuration file
 * @param options.folder where JetStream keeps its streams; absent: `config` decides whether there is JetStream
 * @param options.isMonitored whether figures of the broker are served over HTTP, at a free port of 127.0.0.1
 * @param options.env variables that the configuration refers to, besides those of this process
 * @param options.onLine gets each line that the broker logs
 * @returns its process, the port that it listens on, that of its figures, and a function that returns what it has
 *   logged last
 */
export async function startBroker(program, options = {}) {
  const { port, config, folder, isMonitored = false, env = {}, onLine = () => {} } = options;
  const args = [
    ...(config === undefined ? ['--addr', HOST] : ['--config', config]),
    ...(port === undefined && config !== undefined ? [] : ['--port', String(port ?? -1)]),
    ...(folder === undefined ? [] : ['--jetstream', '--store_dir', folder]),
    ...(isMonitored ? ['--http_port', '-1'] : []),
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  const lines = [];
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  try {
    const listening = await new Promise((resolve, reject) => {
      let [rest, found, monitor] = ['', undefined, undefined];
      child.stderr.setEncoding('utf8');
      child.stderr.on('data', (text) => {
        const parts = (rest + text).split('\n');
        rest = parts.pop();
        for (const line of parts) {
          lines.push(line);
          if (lines.length > 200) lines.shift();
          onLine(line);
          found = /Listening for client connections on \S+:(\d+)/.exec(line)?.[1] ?? found;
          monitor = /Starting http monitor on \S+:(\d+)/.exec(line)?.[1] ?? monitor;
          if (line.includes('Server is ready'))
            resolve({ port: Number(found), monitorPort: monitor && Number(monitor) });
        }
      });
      child.once('error', reject);
      child.once('close', () => reject(new Error(`nats-server has ended: ${lines.slice(-5).join('\n')}`)));
    });
    return { process: child, ...listening, log: () => lines.join('\n') };
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a program in an orderly way: a broker, or a worker after its runs. */
export async function stopProgram(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

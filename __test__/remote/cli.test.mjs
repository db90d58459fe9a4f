// `ses-executor worker` and `ses-executor fleet status`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, onTestFinished, test } from 'vitest';

import { openBroker } from '../broker.mjs';
import { ownEnvironment } from '../children/spawn.mjs';
import { spawnNode } from '../helpers.mjs';
import { CLI, makeRemote, openFleet, startWorker, until } from './helpers.mjs';

const status = (url, ...args) => spawnNode([CLI, 'fleet', 'status', '--servers', url, ...args]);

test('fleet status lists the workers with their sessions', async () => {
  const { broker, remote } = await openFleet({ args: ['--name', 'one', '--capacity', '2'] });
  await startWorker(broker.url, { args: ['--name', 'two', '--capacity', '5'] });
  const executors = [await makeRemote(remote), await makeRemote(remote)];
  const used = executors.map(({ isolation }) => isolation.worker).toSorted();
  const { status: code, stdout } = await status(broker.url, '--json');
  expect(code).toBe(0);
  const workers = JSON.parse(stdout);
  expect(workers.map(({ worker }) => worker)).toStrictEqual(['one', 'two']);
  for (const row of workers) {
    const sessions = used.filter((name) => name === row.worker).length;
    expect(row).toMatchObject({ pool: 'default', sessions, opened: sessions, refused: 0, lost: 0 });
    expect(row.state).toBe(row.worker === 'one' && sessions === 2 ? 'full' : 'ready');
    expect(row.tenants).toStrictEqual(sessions === 0 ? {} : { '': sessions });
  }
  const table = await status(broker.url);
  expect(table.stdout.split('\n')[0]).toMatch(/^worker +node +state +sessions +load +opened +refused +lost +up$/);
  expect(table.stdout).toContain('pool default: 2 workers, 2 of 7 sessions\n');
});

test('fleet status says if a pool has no worker, or if there is no broker', async () => {
  const broker = await openBroker();
  expect(await status(broker.url, '--pool', 'empty')).toMatchObject({
    status: 1,
    stdout: 'pool empty has no worker\n',
  });
  await broker.close();
  const gone = await status(broker.url);
  expect(gone.status).toBe(1);
  expect(gone.stderr).toMatch(/^ses-executor: the broker cannot be reached: /);
}, 30_000);

/** What `fleet status --watch` writes until it has written `count` tables. Then its output is closed. */
async function watched(program, args, count) {
  const child = spawn(program, args, {
    env: { ...ownEnvironment(), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.split('sessions\n').length + text.split('sessions\r\n').length > count + 1) break;
  }
  return { text, ended };
}
const TABLE = [
  'worker +node +state +sessions +load +opened +refused +lost +up',
  'one .*',
  'pool default: 1 worker, 0 of 2 sessions',
  '',
];

test('fleet status --watch writes one table after the other to a pipe, and ends when nobody reads it', async () => {
  const { broker } = await openFleet({ args: ['--name', 'one', '--capacity', '2'] });
  const args = [CLI, 'fleet', 'status', '--watch', '--servers', broker.url];
  const { text, ended } = await watched(process.execPath, args, 2);
  expect(text).toMatch(new RegExp(`^(?:${TABLE.join('\\n')}){2}$`));
  expect(await ended).toStrictEqual([0, null]);
}, 30_000);

// `write`, which makes control characters visible, showed the sequence instead.
test.runIf(process.platform === 'linux')(
  'fleet status --watch clears a terminal before each table',
  async () => {
    const { broker } = await openFleet({ args: ['--name', 'one', '--capacity', '2'] });
    const command = `"${process.execPath}" "${CLI}" fleet status --watch --servers ${broker.url}`;
    const { text } = await watched('script', ['-qec', command, '/dev/null'], 2);
    expect(text).toMatch(new RegExp(`^(?:\\x1b\\[2J\\x1b\\[H${TABLE.join('\\r\\n')}){2}$`));
  },
  30_000,
);

test('a worker serves its figures and whether it is ready', async () => {
  const { worker, remote } = await openFleet({ args: ['--listen', '0', '--capacity', '3'] });
  const [url] = /http:\S+/.exec(await worker.line(/metrics are at/));
  const page = async (path) => {
    const response = await fetch(new URL(path, url));
    return { code: response.status, text: await response.text() };
  };
  const executor = await makeRemote(remote);
  await executor.run('1');
  const { code, text } = await page('/metrics');
  expect(code).toBe(200);
  const figures = Object.fromEntries(
    [...text.matchAll(/^ses_executor_worker_(\w+) (\d+)$/gm)].map(([, name, n]) => [name, Number(n)]),
  );
  expect(figures).toMatchObject({
    sessions: 1,
    capacity: 3,
    draining: 0,
    connected: 1,
    opened_total: 1,
    refused_total: 0,
    lost_total: 0,
  });
  expect(figures.received_bytes_total).toBeGreaterThan(0);
  expect(figures.sent_bytes_total).toBeGreaterThan(0);
  expect(await page('/healthz')).toStrictEqual({ code: 200, text: 'ok\n' });
  expect(await page('/readyz')).toStrictEqual({ code: 200, text: 'ok\n' });
  expect(await page('/other')).toStrictEqual({ code: 404, text: 'the pages are /healthz, /readyz and /metrics\n' });
});

test('a worker whose broker is unreachable is not ready, and healthy for a while', async () => {
  const { broker, worker } = await openFleet({ args: ['--listen', '127.0.0.1:0'] });
  const [url] = /http:\S+/.exec(await worker.line(/metrics are at/));
  const code = async (path) => (await fetch(new URL(path, url))).status;
  await broker.stop();
  await until(async () => (await code('/readyz')) === 503);
  expect(await code('/healthz')).toBe(200);
  await broker.start();
  await until(async () => (await code('/readyz')) === 200);
}, 30_000);

test.each([
  [['worker'], '--servers or the environment variable SES_EXECUTOR_SERVERS must name the brokers'],
  [['worker', '--servers', 'http://x'], 'options.remote.servers[0] must be like nats://host:4222'],
  [['worker', '--servers', 'nats://x', '--name', 'a.b'], '--name must have letters, digits, - and _ only'],
  [['worker', '--servers', 'nats://x', '--sandbox', 'none'], '--sandbox must be one of required, best-effort, off'],
  [['worker', '--servers', 'nats://x', '--listen', 'x:y'], '--listen must be like 9100 or 127.0.0.1:9100, got "x:y"'],
  [
    ['worker', '--servers', 'nats://x', '--listen', '65536'],
    '--listen must be like 9100 or 127.0.0.1:9100, got "65536"',
  ],
  [
    ['worker', '--servers', 'nats://x', '--listen', '[::1]:70000'],
    '--listen must be like 9100 or 127.0.0.1:9100, got "[::1]:70000"',
  ],
  [['worker', '--servers', 'nats://x', '--capacity', '100001'], '--capacity must be from 1 to 100000, got 100001'],
  [['fleet'], 'expected: fleet status'],
])('%j is refused', async (args, message) => {
  const { status: code, stderr } = await spawnNode([CLI, ...args], { env: { SES_EXECUTOR_SERVERS: '' } });
  expect(stderr).toBe(`ses-executor: ${message}\nRun \`ses-executor --help\` for usage.\n`);
  expect(code).toBe(2);
});

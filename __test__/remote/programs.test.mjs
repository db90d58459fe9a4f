// `ses-executor run`, `repl` and `mcp` on a fleet.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';

import { fleetStatus } from '../../build/ses/fleet.js';
import { spawnNode, withFolder } from '../helpers.mjs';
import { CLI, fleetOfFile } from './helpers.mjs';

const fleet = fleetOfFile({ args: ['--spares', '0', '--pool', 'programs'] });

/** The arguments that name the fleet. */
const onFleet = () => ['--servers', fleet.broker.url, '--pool', 'programs'];
/** Runs the command line without the environment variable. */
const cli = (args, { env = {}, ...options } = {}) =>
  spawnNode([CLI, ...args], { env: { SES_EXECUTOR_SERVERS: '', ...env }, ...options });
/** The number of sessions that the worker has taken. */
const opened = async () => {
  const [text] = await fleetStatus({ servers: [fleet.broker.url], pool: 'programs' }, 1000);
  return JSON.parse(text).opened;
};

/** Does work and returns how many sessions the worker has taken for it, and its result. */
async function sessionsFor(work) {
  const before = await opened();
  const result = await work();
  return { sessions: (await opened()) - before, result };
}

const withFiles = (files, fn) =>
  withFolder((folder) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return fn(folder);
  });

test('run --servers runs a program on a worker, with tools and variables', async () => {
  const files = { 'tools.mjs': 'export const add = async (a, b) => a + b', 'vars.json': '{ "n": 2 }' };
  const { sessions, result } = await sessionsFor(() =>
    withFiles(files, (cwd) =>
      cli(['run', '-', '--tools', 'tools.mjs', '--vars', 'vars.json', ...onFleet()], {
        cwd,
        input: 'console.log("logged"); await add(40, n)',
      }),
    ),
  );
  expect(result).toStrictEqual({ status: 0, signal: null, stdout: '42\n', stderr: 'logged\n' });
  expect(sessions).toBe(1);
});

test('environment variables replace the options', async () => {
  const env = { SES_EXECUTOR_SERVERS: fleet.broker.url, SES_EXECUTOR_POOL: 'programs' };
  const { sessions, result } = await sessionsFor(() => cli(['run', '-'], { env, input: '6 * 7' }));
  expect(result).toMatchObject({ status: 0, stdout: '42\n', stderr: '' });
  expect(sessions).toBe(1);
  const none = await sessionsFor(() => cli(['run', '-'], { input: '6 * 7' }));
  expect(none).toMatchObject({ sessions: 0, result: { status: 0, stdout: '42\n' } });
});

test('run --servers runs a program in the time zone and locale of the client', async () => {
  const input = 'const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions(); [timeZone, locale].join()';
  const env = { TZ: 'Asia/Kolkata', LC_ALL: 'de_DE.UTF-8' };
  const far = await cli(['run', '-', ...onFleet()], { env, input });
  expect(far).toStrictEqual(await cli(['run', '-'], { env, input }));
  expect(far.stdout).toMatch(/^Asia\/Calcutta,/);
});

test(
  'run --servers runs Python',
  () =>
    withFiles({ 'a.py': 'print("logged")\nsum([40, 2])' }, async (cwd) => {
      const { sessions, result } = await sessionsFor(() => cli(['run', 'a.py', ...onFleet()], { cwd }));
      expect(result).toMatchObject({ status: 0, stdout: '42\n', stderr: 'logged\n' });
      expect(sessions).toBe(1);
    }),
  120_000,
);

test('run fails with the code of the error if the pool has no worker', async () => {
  const args = ['run', '-', '--servers', fleet.broker.url, '--pool', 'empty'];
  const message = 'No worker: the pool has no worker of this version';
  const plain = await cli(args, { input: '1' });
  expect(plain).toMatchObject({ status: 1, stdout: '' });
  expect(plain.stderr.split('\n')[0]).toBe(`ERR_NO_WORKER: ${message}`);
  const { status, stdout, stderr } = await cli([...args, '--json'], { input: '1' });
  expect({ status, stderr }).toStrictEqual({ status: 1, stderr: '' });
  expect(JSON.parse(stdout).error).toMatchObject({ code: 'ERR_NO_WORKER', message, details: { reason: 'none' } });
});

test('repl --servers runs what is typed on a worker', async () => {
  const { sessions, result } = await sessionsFor(() => cli(['repl', ...onFleet()], { input: 'const n = 40\nn + 2\n' }));
  expect(result).toMatchObject({ status: 0, stdout: '40\n42\n', stderr: '' });
  expect(sessions).toBe(1);
});

/** A client of `ses-executor mcp` with these arguments. */
async function connect(args) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const env = { ...process.env, SES_EXECUTOR_SERVERS: '' };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', ...args], env }));
  onTestFinished(() => client.close());
  return async (name, code) => (await client.callTool({ name, arguments: { code } })).structuredContent?.output;
}

test('mcp --servers runs JavaScript and Python on a worker', async () => {
  const { sessions } = await sessionsFor(async () => {
    const call = await connect(['--python', ...onFleet()]);
    expect(await call('run_javascript', 'const n = 40; n')).toBe(40);
    expect(await call('run_javascript', 'n + 2')).toBe(42);
    expect(await call('run_python', 'sum([40, 2])')).toBe(42);
  });
  expect(sessions).toBe(2);
}, 120_000);

test('mcp --openapi --servers runs programs for an API on a worker', () =>
  withFiles({ 'api.json': JSON.stringify(DOCUMENT) }, async (folder) => {
    const before = await opened();
    const call = await connect(['--openapi', join(folder, 'api.json'), ...onFleet()]);
    expect(await call('search', "spec.find('items').length")).toBe(1);
    expect(await opened()).toBeGreaterThan(before);
  }));

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'http://127.0.0.1:1' }],
  paths: { '/items': { get: { operationId: 'listItems', responses: { 200: { description: 'the items' } } } } },
};

test.each([
  [['run', '-', '--pool', 'x'], '--servers or the environment variable SES_EXECUTOR_SERVERS must name the brokers'],
  [['repl', '--servers', 'http://x'], 'options.remote.servers[0] must be like nats://host:4222'],
  [['mcp', '--credentials', 'x.creds'], '--servers or the environment variable SES_EXECUTOR_SERVERS'],
  [['check', '-', '--servers', 'nats://x'], 'check does not take --servers'],
])('%j is refused', async (args, message) => {
  const { status, stderr } = await cli(args);
  expect(stderr).toContain(message);
  expect(status).toBe(2);
});

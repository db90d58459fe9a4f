// The broker of the fleet: how it is installed, started and stopped.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { openBroker } from '../broker.mjs';
import { brokerPath, installBroker } from '../../scripts/setup/broker.mjs';
import { ROOT, withFolder } from '../helpers.mjs';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What a broker tells each client first. */
async function infoOf(port) {
  const socket = connect(port, '127.0.0.1');
  const [data] = await once(socket, 'data');
  socket.destroy();
  return JSON.parse(String(data).replace(/^INFO /, ''));
}

test('a broker serves clients without credentials, and does so again on the same port after it was killed', async () => {
  const broker = await openBroker();
  expect(await infoOf(broker.port)).toMatchObject({ version: '2.15.1', jetstream: true, host: '127.0.0.1' });
  const { port, pid } = broker;
  await broker.kill();
  await broker.start();
  expect([broker.port, broker.pid === pid]).toStrictEqual([port, false]);
  expect(await infoOf(port)).not.toHaveProperty('auth_required');
  await broker.stop();
  await broker.start();
  await infoOf(port);
});

test('a configuration decides about accounts, and gets variables', async () => {
  await withFolder(async (folder) => {
    const config = join(folder, 'broker.conf');
    writeFileSync(config, 'host: 127.0.0.1\nauthorization { user: a, password: $PASSWORD_OF_A }\n');
    const broker = await openBroker({ config, env: { PASSWORD_OF_A: 'secret' } });
    expect(await infoOf(broker.port)).toMatchObject({ auth_required: true, host: '127.0.0.1' });
  });
});

test('a configuration that is wrong fails with what the broker says', async () => {
  await withFolder(async (folder) => {
    const config = join(folder, 'broker.conf');
    writeFileSync(config, 'authorization { user: $NOT_SET_ANYWHERE }\n');
    await expect(openBroker({ config })).rejects.toThrow(/nats-server has ended: .*NOT_SET_ANYWHERE/s);
  });
});

describe('npm run broker', () => {
  /** Starts the script and waits for the address that it prints. */
  async function start(args) {
    const child = spawn(process.execPath, ['scripts/broker.mjs', ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => child.kill('SIGTERM'));
    let errors = '';
    child.stderr.on('data', (text) => (errors += text));
    const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => [errors])]);
    return { child, said: String(said).trim() };
  }

  test('prints its address, and removes its temporary folder when it is interrupted', async () => {
    const free = await openBroker();
    await free.stop();
    const folder = mkdtempSync(join(tmpdir(), 'ses-broker-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    vi.stubEnv('TMPDIR', folder);
    const { child, said } = await start(['--port', String(free.port)]);
    expect(said).toBe(free.url);
    expect(await infoOf(free.port)).toMatchObject({ jetstream: true });
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    expect(await exited).toStrictEqual([0, null]);
    expect(readdirSync(folder)).toStrictEqual([]);
  });

  test.each([
    [['--port', 'none'], 'ses-executor set-up: none is not a port'],
    [['--other'], /ses-executor set-up: Unknown option '--other'/],
  ])('%j is refused in one line', async (args, message) => {
    expect((await start(args)).said).toMatch(message);
  });
});

describe('set-up', () => {
  test('leaves an existing broker unchanged', async () => {
    expect(existsSync(brokerPath())).toBe(true);
    expect(await installBroker()).toBe(brokerPath());
  });

  test.skipIf(process.platform === 'win32')('continues without a broker if pip refuses it, and says why', async () => {
    await withFolder(async (folder) => {
      const refusal = 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.';
      const script = `#!/bin/sh\ncase "$*" in *download*) echo "${refusal}" >&2; exit 1;; esac\n`;
      writeFileSync(join(folder, 'python3'), script, { mode: 0o755 });
      vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
      vi.stubEnv('XDG_CACHE_HOME', folder);
      const said = vi.spyOn(console, 'error').mockImplementation(() => {});
      expect(await installBroker()).toBeUndefined();
      expect(said.mock.calls.flat()).toContain(
        `ses-executor set-up: nats-server 2.15.1 could not be installed (${refusal}), and the tests of the fleet need it`,
      );
      expect(existsSync(brokerPath())).toBe(false);
    });
  });
});

// The two commands of docs/guide/deploy.md: a fleet from nothing, which serves a tenant, and ends in an orderly way.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { DurableSession, natsStore } from 'ses-executor/durable';
import { ROOT, rejection, spawnNode, withFolder } from '../helpers.mjs';

/** Starts deploy/start.mjs and waits for the line that says that it is ready. */
async function start(secrets, data) {
  const child = spawn(process.execPath, [join(ROOT, 'deploy/start.mjs'), secrets, data, '-1'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  const [said] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => [`it has ended: ${errors}`]),
  ]);
  const port = /^the fleet is ready: nats:\/\/acme:<SES_ACME_PASSWORD>@127\.0\.0\.1:(\d+)\n$/.exec(String(said))?.[1];
  if (port === undefined) throw new Error(String(said));
  return { child, port };
}

test('a tenant uses the fleet of the two commands, and keeps its sessions when the fleet starts again', async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts['deploy:secrets']).toBe('node deploy/secrets.mjs');
  expect(scripts['deploy:start']).toBe('node scripts/setup.mjs && node deploy/start.mjs');
  await withFolder(async (folder) => {
    const [secrets, data] = [join(folder, 'secrets.env'), join(folder, 'data')];
    await spawnNode([join(ROOT, 'deploy/secrets.mjs'), secrets]);
    const password = /^SES_ACME_PASSWORD=(.*)$/m.exec(readFileSync(secrets, 'utf8'))[1];
    for (const [round, expected] of [1, 2].entries()) {
      const { child, port } = await start(secrets, data);
      const servers = `nats://acme:${password}@127.0.0.1:${port}`;
      const store = natsStore({ servers });
      const executor = { isolation: 'remote', remote: { servers } };
      const session = await DurableSession.open('order', { store, keys: { sign: 'a key for tests' }, executor });
      if (round === 0) await session.run('let n = 0');
      expect((await session.run('++n')).output).toBe(expected);
      expect(session.isolation.mode).toBe('remote');
      await session.cleanup();
      await store.close();
      const stranger = new SESExecutor({ isolation: 'remote', remote: { servers: `nats://127.0.0.1:${port}` } });
      expect((await rejection(stranger.init())).code).toBe('ERR_NO_WORKER');
      await stranger.cleanup();
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exited).toStrictEqual([0, null]);
    }
  });
});

test('the second command without the first one says what is missing', async () => {
  const { status, stderr } = await spawnNode([join(ROOT, 'deploy/start.mjs'), '/nonexistent/secrets.env']);
  expect([status, stderr]).toStrictEqual([
    1,
    'ses-executor set-up: there is no /nonexistent/secrets.env: run `npm run deploy:secrets` first\n',
  ]);
});

// Packages of Python on a fleet: the client names its packages and their digests, and the worker has the same ones in
// its own folder, or refuses.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { PyodideExecutor, addPackages } from '../../build/python/index.js';
import { expectCode } from '../helpers.mjs';
import { LIBRARY, buildWheels } from '../python/wheels.mjs';
import { Program, CLI, fleetOfFile, startWorker } from './helpers.mjs';

const FIRST_START_MS = 120_000;
const root = mkdtempSync(join(tmpdir(), 'fleet-packages-'));
const folder = (name) => join(root, name);
const fleet = fleetOfFile({ args: ['--spares', '0', '--pool', 'plain'] });

beforeAll(async () => {
  const greeting = (version) => ({
    name: 'greeting',
    version,
    files: { 'greeting.py': `VERSION = "${version}"\n`, 'tiny.so': LIBRARY },
  });
  const [first, second, other] = await buildWheels(root, [
    greeting('1.0'),
    greeting('2.0'),
    { name: 'other', version: '3.1', files: { 'other.py': '' } },
  ]);
  mkdirSync(folder('again'));
  const [rebuilt] = await buildWheels(folder('again'), [{ ...greeting('1.0'), files: { 'greeting.py': '' } }]);
  await addPackages(folder('worker'), [first, other]);
  await addPackages(folder('client'), [first]);
  await addPackages(folder('newer'), [second, other]);
  await addPackages(folder('rebuilt'), [rebuilt]);
  const args = ['--spares', '0', '--pool', 'packages', '--packages', folder('worker')];
  fleet.withPackages = await startWorker(fleet.broker.url, { args, isKept: true });
}, FIRST_START_MS);
afterAll(async () => {
  await fleet.withPackages?.close();
  rmSync(root, { recursive: true });
});

function make(packages, pool = 'packages') {
  const remote = { ...fleet.remote, pool };
  const executor = new PyodideExecutor(['greeting', 'other', 'ctypes'], { isolation: 'remote', remote, packages });
  onTestFinished(() => executor.cleanup());
  return executor;
}

const CODE = `import greeting, ctypes
[greeting.VERSION, greeting.__file__, ctypes.CDLL("/packages/tiny.so").add(40, 2)]`;

test(
  'code imports the packages that the worker has, with their libraries',
  async () => {
    const { output } = await make(folder('client')).run(CODE);
    expect(output).toStrictEqual(['1.0', '/packages/greeting.py', 42]);
  },
  FIRST_START_MS,
);

test(
  'code without packages gets none, on a worker that has some',
  async () => {
    const { details } = await expectCode(make(undefined).run('import greeting'), 'ERR_RUNTIME_EXCEPTION');
    expect(details.message).toContain("No module named 'greeting'");
  },
  FIRST_START_MS,
);

test.each([
  ['in another version', 'newer', 'packages', 'greeting==2.0'],
  ['from another wheel', 'rebuilt', 'packages', 'greeting==1.0'],
  ['that a worker without packages does not have', 'client', 'plain', 'greeting==1.0'],
])('packages %s are refused by their names', async (_what, name, pool, named) => {
  const { message, details } = await expectCode(make(folder(name), pool).init(), 'ERR_NO_WORKER');
  expect(message).toBe(`No worker: the worker does not have these packages, or has them from other wheels: ${named}`);
  expect({ ...details }).toStrictEqual({ reason: 'refused' });
});

test('a folder without packages is refused by both sides', async () => {
  const reason = `the packages in ${root} cannot be used: ses-executor-packages.json cannot be read: `;
  const { message } = await expectCode(make(root).init(), 'ERR_SES_INIT_FAILED');
  expect(message.startsWith(`SES init failed: ${reason}`)).toBe(true);
  const worker = new Program([CLI, 'worker', '--servers', fleet.broker.url, '--packages', root]);
  onTestFinished(() => worker.close());
  expect(await worker.line(/packages/)).toContain(reason);
  expect(await worker.ended()).toBe(1);
});

// `npm run test:runtimes [-- names]`: the tests of the contract, with the one addon of this checkout, in Node.js 22, 24
// and 26, in Deno and in Bun. They come from npm, pinned by the lock file of __test__/runtimes. On Linux x64.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { fail, run, step } from './setup/report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '__test__/runtimes');
const TESTS = ['__test__/contract/ses.test.mjs', '__test__/ses/wire-writer.test.mjs', '__test__/runtimes'];
/** Node.js 20 has no `node:sqlite`, which a store of journals needs. */
const TESTS_OF_NODE = ['__test__/durable/stores.test.mjs', '__test__/durable/race.test.mjs'];

/** Each with its package, the program in it, and what comes before the file that it runs. */
const RUNTIMES = {
  'node-22': { name: 'node', package: 'node-22', program: 'bin/node', args: [] },
  'node-24': { name: 'node', package: 'node-24', program: 'bin/node', args: [] },
  'node-26': { name: 'node', package: 'node-26', program: 'bin/node', args: [] },
  deno: { name: 'deno', package: '@deno/linux-x64-glibc', program: 'deno', args: ['run', '-A'] },
  // Without `--bun` it would start Node.js for files that ask for that.
  bun: { name: 'bun', package: '@oven/bun-linux-x64', program: 'bin/bun', args: ['--bun'] },
};

if (process.platform !== 'linux' || process.arch !== 'x64') fail('the runtimes are those for Linux x64');
await install();
const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(RUNTIMES) : asked) {
  const runtime = RUNTIMES[name] ?? fail(`there is no runtime ${name}; there are ${Object.keys(RUNTIMES).join(', ')}`);
  if (testIn(runtime) !== 0) fail(`the tests failed in ${name}`);
}

/** Installs without the packages' scripts, unless what is there is younger than the lock file. */
async function install() {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs)
    return;
  const { status, output } = await step('runtimes', () =>
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder }),
  );
  if (status !== 0) fail(`npm ci failed with exit status ${status}: ${output}`);
}

/** The exit status of the tests in a runtime. */
function testIn(runtime) {
  const at = join(folder, 'node_modules', runtime.package);
  const { version } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  console.log(`\n${runtime.name} ${version}`);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const tests = runtime.name === 'node' ? [...TESTS, ...TESTS_OF_NODE] : TESTS;
  const { status } = spawnSync(join(at, runtime.program), [...runtime.args, vitest, 'run', ...tests], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SES_EXECUTOR_RUNTIME: `${runtime.name} ${version}` },
  });
  return status;
}

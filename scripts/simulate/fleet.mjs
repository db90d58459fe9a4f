// A fleet whose worker processes are simulated: broker, workers and clients are real, only the processes of sessions
// run no code.

import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startFleet } from '../local-fleet.mjs';
import { addonOf, thisPlatform, workerOf } from '../platforms.mjs';
import { targetDir } from '../setup/addon.mjs';
import { cargoEnvironment } from '../setup/machine.mjs';
import { run } from '../setup/report.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** `crates/protocol/examples/simulated_worker.rs` */
const EXAMPLE = 'simulated_worker';
/** Node.js finds the files of the package beside the links to them. */
const LINKED = ['--preserve-symlinks', '--preserve-symlinks-main'];

/** Starts a fleet like `startFleet`, with simulated worker processes. They have no sandbox. */
export async function startSimulatedFleet(options) {
  const program = await buildSimulatedWorker();
  const folder = packageWith(program);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const fleet = await startFleet({
      ...options,
      program: [...LINKED, join(folder, 'bin/ses-executor.js')],
      args: ['--sandbox', 'off'],
    });
    return { ...fleet, close: () => fleet.close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Builds the program of simulated worker processes. @returns its path */
async function buildSimulatedWorker() {
  const target = targetDir(ROOT);
  const args = ['build', '--release', '--locked', '--package', 'ses-protocol', '--example', EXAMPLE];
  const env = { ...cargoEnvironment(), CARGO_TARGET_DIR: target };
  const { status, output } = await run('cargo', args, { cwd: ROOT, env });
  if (status !== 0) throw new Error(`cargo build failed with exit status ${status}:\n${output}`);
  return join(target, 'release/examples', EXAMPLE);
}

/**
 * A folder of links to this package, in which the program of worker processes is another one: it is found beside the
 * addon.
 */
function packageWith(program) {
  const folder = mkdtempSync(join(tmpdir(), 'ses-simulation-'));
  const platform = thisPlatform();
  for (const name of ['bin', 'build', 'node_modules', 'package.json', 'native.cjs', addonOf(platform)]) {
    symlinkSync(join(ROOT, name), join(folder, name));
  }
  symlinkSync(program, join(folder, workerOf(platform)));
  return folder;
}

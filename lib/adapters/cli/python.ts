import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { UsageError } from './usage-error';
import { addPackages, target } from '../../python/packages';
import {
  fetchWheels,
  isBinary,
  listReleasePackages,
  packageFor,
  readRelease,
  withDependencies,
} from '../../python/packages/release';
import type { ReleasePackage } from '../../python/packages/release';
import type { CommandOptions } from './main';

const CONSTRAINTS = 'constraints.txt';
/** pip's message about a package that has no wheel for this interpreter. */
const NO_WHEEL = /No matching distribution found for ([\w.-]+)/;

/** Runs `ses-executor python add`. The exit status is 0 if all packages are installed. */
export async function python([action, ...packages]: string[], { to, requirements, from, list }: CommandOptions) {
  if (action !== 'add') throw new UsageError(`the action of python must be add, got ${JSON.stringify(action ?? '')}`);
  if (list) return printRelease();
  if (packages.length + requirements.length === 0)
    throw new UsageError('python add needs a wheel, a package name, or -r');
  const isWheel = (name: string) => name.endsWith('.whl');
  const named = packages.filter((name) => !isWheel(name));
  const missing = packages.find((name) => isWheel(name) && !existsSync(name));
  if (missing !== undefined) throw new UsageError(`there is no file ${missing}`);
  const downloads = await mkdtemp(join(tmpdir(), 'ses-executor-'));
  try {
    if (named.length + requirements.length > 0) await download(downloads, named, requirements, from);
    const found = (await readdir(downloads)).filter(isWheel).sort();
    const wheels = [...packages.filter(isWheel), ...found.map((name) => join(downloads, name))];
    const added = await addPackages(to, wheels);
    process.stdout.write(added.map(({ name, version }) => `${name} ${version}\n`).join(''));
    return 0;
  } finally {
    await rm(downloads, { recursive: true });
  }
}

/** One line per package of the release: name, version, wheel, digest and dependencies. */
async function printRelease() {
  const lines = (await listReleasePackages()).map(({ name, version, file, sha256, dependencies }) =>
    [name, version, file, `sha256:${sha256}`, ...dependencies].join(' '),
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

/**
 * Puts wheels of the requested packages and their dependencies into a folder. Packages with code for this interpreter
 * are those of Pyodide's release. pip finds the others.
 *
 * @param named package names, optionally with versions: `numpy==2.4.6`
 * @param requirements requirements files
 * @param from a folder or an address with the files of the release, from which all packages are taken that it has
 */
async function download(folder: string, named: string[], requirements: string[], from?: string) {
  const release = await readRelease();
  const ofRelease = new Set<ReleasePackage>();
  const others: string[] = [];
  for (const name of named) {
    const found = packageFor(name, release);
    if (found !== undefined && (from !== undefined || isBinary(found))) ofRelease.add(found);
    // On the index, the name of a module may be that of another package.
    else others.push(found === undefined ? name : name.replace(/^[\w.-]+/, found.name));
  }
  const taken = new Set<ReleasePackage>();
  const take = async (packages: Iterable<ReleasePackage>) => {
    const all = withDependencies([...packages], release).filter((one) => !taken.has(one));
    await fetchWheels(all, folder, from);
    for (const one of all) taken.add(one);
  };
  try {
    await take(ofRelease);
  } catch (error) {
    // An index may have wheels for this interpreter, too.
    if (from !== undefined) throw error;
    process.stderr.write(`${(error as Error).message}\nTrying pip.\n`);
    const { status } = await runPip(folder, named, requirements, taken);
    if (status !== 0) throw error;
    return;
  }
  if (others.length + requirements.length === 0) return;
  for (;;) {
    const { status, said } = await runPip(folder, others, requirements, taken);
    if (status === 0) return;
    // A dependency that only the release has.
    const [, name] = NO_WHEEL.exec(said) ?? [];
    const found = name === undefined ? undefined : packageFor(name, release);
    if (found === undefined || taken.has(found)) throw new Error('pip did not find all packages; see its output above');
    await take([found]);
  }
}

/** Lets pip resolve and download packages and their dependencies. It takes those that are in the folder already. */
async function runPip(folder: string, named: string[], requirements: string[], taken: Set<ReleasePackage>) {
  const { python: tag, platform } = await target();
  const program = process.env.PYTHON ?? (process.platform === 'win32' ? 'python' : 'python3');
  const interpreter = ['--implementation', 'cp', '--abi', tag, '--python-version', `3.${tag.slice(3)}`];
  const where = ['--only-binary', ':all:', '--platform', platform, ...interpreter];
  const args = ['-m', 'pip', 'download', '--dest', folder, ...where];
  if (taken.size > 0) {
    const path = join(folder, CONSTRAINTS);
    await writeFile(path, [...taken].map(({ name, version }) => `${name}==${version}\n`).join(''));
    args.push('--find-links', folder, '-c', path);
  }
  // Stdout is reserved for the list of added packages.
  const child = spawn(program, [...args, ...requirements.flatMap((file) => ['-r', file]), '--', ...named], {
    stdio: ['ignore', process.stderr, 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
    process.stderr.write(chunk);
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error: Error) => {
      reject(
        new Error(
          `${program} cannot be started (${error.message}), but pip needs it to find packages: install it, or pass .whl files`,
        ),
      );
    });
    child.on('close', resolve);
  });
  return { status, said };
}

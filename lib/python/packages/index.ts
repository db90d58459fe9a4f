import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { describe } from '../../contract/describe';
import { PyodideExecutor } from '../executor';
import { pyodideFolder } from '../pyodide-folder';
import type { Foreign } from '../../contract/foreign';
import { fetchWheels, packageFor, readRelease, withDependencies } from './release';

/** Path of packages for guests. They are compiled for this path, because tracebacks show it. */
const PACKAGES_PATH = '/packages';
/** Temporary name of the wheel that is being added. */
const TEMPORARY = '.adding.whl';
/** Unpacking and compiling a large package takes minutes. */
const TIMEOUT_MS = 30 * 60_000;
const MEMORY_LIMIT_MB = 1_024;

/** Adds wheels, and packages of the release, to a folder of packages, as the function of the entry point says. */
export async function addPackages(
  folder: string,
  wheels: readonly string[],
  { from }: { from?: string | undefined } = {},
): Promise<{ name: string; version: string }[]> {
  if (typeof folder !== 'string' || folder === '')
    throw new TypeError(`folder must be a path, got ${describe(folder)}`);
  if (!Array.isArray(wheels) || !wheels.every((wheel) => typeof wheel === 'string')) {
    throw new TypeError(`wheels must be an array of paths, got ${describe(wheels)}`);
  }
  if (from !== undefined && typeof from !== 'string')
    throw new TypeError(`options.from must be a string, got ${describe(from)}`);
  const named = wheels.filter((wheel) => !wheel.endsWith('.whl'));
  if (named.length === 0) return addWheels(folder, wheels);
  const release = await readRelease();
  const wanted = named.map((name) => packageFor(name, release) ?? refuseUnknown(name));
  const downloads = await mkdtemp(join(tmpdir(), 'ses-executor-'));
  try {
    const paths = await fetchWheels(withDependencies(wanted, release), downloads, from);
    return await addWheels(folder, [...paths, ...wheels.filter((wheel) => wheel.endsWith('.whl'))]);
  } finally {
    await rm(downloads, { recursive: true });
  }
}

function refuseUnknown(name: string): never {
  throw new Error(`${name} is neither the path of a wheel nor a package of pyodide-lock.json`);
}

async function addWheels(folder: string, wheels: readonly string[]) {
  const root = resolve(folder);
  await mkdir(root, { recursive: true });
  const { pyodide, python, platform } = await target();
  const executor = new PyodideExecutor([], {
    workDir: root,
    mountPoint: PACKAGES_PATH,
    timeoutMs: TIMEOUT_MS,
    memoryLimitMb: MEMORY_LIMIT_MB,
    warmPool: 0,
  });
  const temporary = join(root, TEMPORARY);
  try {
    await executor.sendTools({}, { add_wheel: await readFile(join(__dirname, 'add.py'), 'utf8') });
    const added = [];
    for (const wheel of wheels) {
      await copyFile(wheel, temporary).catch((cause) => {
        throw new Error(`${wheel} cannot be read (${cause.code})`, { cause });
      });
      const path = `${PACKAGES_PATH}/${TEMPORARY}`;
      await executor.sendVariables({ wheel: [path, basename(wheel), PACKAGES_PATH, pyodide, python, platform] });
      const { output } = await executor.run('add_wheel(*wheel)').catch((error) => refuse(error, wheel));
      const [name, version] = output as [string, string];
      added.push({ name, version });
    }
    return added;
  } finally {
    await rm(temporary, { force: true });
    await executor.cleanup();
  }
}

/** @param error a `ValueError` names the wheel */
function refuse(error: Foreign, wheel: string): never {
  const { name, message, cause: said } = error.details ?? {};
  if (name === 'ValueError') throw new Error(message, { cause: error });
  const reason = typeof name === 'string' ? `${name}: ${message}` : (said ?? error.message);
  throw new Error(`${wheel} cannot be added: ${reason}`, { cause: error });
}

/** The targets that wheels must be built for: Pyodide's version, and the tags of its Python and its platform. */
export async function target(): Promise<{ pyodide: string; python: string; platform: string }> {
  const folder = pyodideFolder();
  const [{ version }, { info }] = await Promise.all(
    ['package.json', 'pyodide-lock.json'].map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  );
  const [major, minor] = info.python.split('.');
  return { pyodide: version, python: `cp${major}${minor}`, platform: `pyemscripten_${info.abi_version}_wasm32` };
}

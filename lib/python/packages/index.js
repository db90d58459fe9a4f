// @ts-check
'use strict';

const { copyFile, mkdir, readFile, rm } = require('node:fs/promises');
const { basename, join, resolve } = require('node:path');

const { describe } = require('../../contract/describe');
const { PyodideExecutor } = require('../executor');
const { pyodideFolder } = require('../pyodide-folder');

/** Where guests find packages, and where they are compiled for: tracebacks name it. */
const PACKAGES_PATH = '/packages';
/** The wheel that is being added. */
const TEMPORARY = '.adding.whl';
/** Unpacking and compiling a large package takes minutes. */
const TIMEOUT_MS = 30 * 60_000;
const MEMORY_LIMIT_MB = 1_024;

/**
 * Adds wheels to a folder of packages. Documented in `index.d.ts`.
 *
 * @param {string} folder
 * @param {readonly string[]} wheels
 * @returns {Promise<{ name: string, version: string }[]>}
 */
async function addPackages(folder, wheels) {
  if (typeof folder !== 'string' || folder === '')
    throw new TypeError(`folder must be a path, got ${describe(folder)}`);
  if (!Array.isArray(wheels) || !wheels.every((wheel) => typeof wheel === 'string')) {
    throw new TypeError(`wheels must be an array of paths, got ${describe(wheels)}`);
  }
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
      const [name, version] = /** @type {[string, string]} */ (output);
      added.push({ name, version });
    }
    return added;
  } finally {
    await rm(temporary, { force: true });
    await executor.cleanup();
  }
}

/**
 * @param {any} error a `ValueError` names the wheel
 * @param {string} wheel
 * @returns {never}
 */
function refuse(error, wheel) {
  const { name, message, cause: said } = error.details ?? {};
  if (name === 'ValueError') throw new Error(message, { cause: error });
  const reason = typeof name === 'string' ? `${name}: ${message}` : (said ?? error.message);
  throw new Error(`${wheel} cannot be added: ${reason}`, { cause: error });
}

/**
 * What wheels have to be for: Pyodide's version, and the tags of its Python and of its platform.
 *
 * @returns {Promise<{ pyodide: string, python: string, platform: string }>}
 */
async function target() {
  const folder = pyodideFolder();
  const [{ version }, { info }] = await Promise.all(
    ['package.json', 'pyodide-lock.json'].map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  );
  const [major, minor] = info.python.split('.');
  return { pyodide: version, python: `cp${major}${minor}`, platform: `pyemscripten_${info.abi_version}_wasm32` };
}

module.exports = { addPackages, target };

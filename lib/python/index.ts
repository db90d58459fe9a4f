/**
 * Runs agent-written Python with `PyodideExecutor`, which follows the specification of the smolagents-ts class of the
 * same name. Section numbers refer to that specification.
 *
 * @packageDocumentation
 */

import { AgentExecutionError } from './errors';
import { PyodideExecutor as Implementation } from './executor';
import { BASE_BUILTIN_MODULES } from './options';
import type { Figure, PythonOutput } from './figures';
import type { ReleasePackage } from './packages/release';
import type {
  FileSystemDirectoryHandle,
  FileSystemHandle,
  PyodideExecutorOptions,
  PythonRunOptions,
  SharedOptions,
} from './options';

/**
 * Adds wheels to a folder of packages, which is created if necessary. It accepts pure wheels (`py3-none-any`), and
 * wheels for the installed Pyodide (such as `cp314-cp314-pyemscripten_2026_0_wasm32`). Each wheel is checked against
 * its own list of files, unpacked, compiled and recorded in `ses-executor-packages.json`. This happens in an isolate
 * that can access only this folder. Another version of a package is replaced.
 *
 * Names of packages that `pyodide-lock.json` has, such as `numpy`, are added with their dependencies, in the versions
 * that were built for the installed Pyodide. Each file must have the digest that is named there. Dependencies of wheel
 * files are not resolved.
 *
 * @param wheels paths of files that end in `.whl`, and names of packages
 * @param options `from`: a folder or an address with the files of the release. Default: the address of the release
 * @returns the added packages, in order
 * @throws `Error` for a file that is not a wheel, a broken wheel, or a wheel for another target. Wheels before it stay
 * added. Also for files that cannot be read: the message names all of them, with their digests.
 */
export async function addPackages(
  folder: string,
  wheels: readonly string[],
  options?: { from?: string | undefined },
): Promise<{ name: string; version: string }[]> {
  // Loaded when it is called, because it needs the addon.
  const packages = require('./packages') as typeof import('./packages');
  return packages.addPackages(folder, wheels, options);
}

/** The packages that `pyodide-lock.json` has, by name. Nothing is downloaded. */
export async function listReleasePackages(): Promise<ReleasePackage[]> {
  const release = require('./packages/release') as typeof import('./packages/release');
  return release.listReleasePackages();
}

/** See {@link PyodideExecutorConstructor}. */
type PyodideExecutor = Implementation;

/**
 * The class of executors for Python. The class that an agent requires in TypeScript has private members, which no other
 * class can have. An executor that is constructed in the agent's options gets that type:
 * `new CodeAgent({ model, tools, executor: new PyodideExecutor() })`.
 */
export interface PyodideExecutorConstructor {
  /** See the constructor of {@link PyodideExecutor}. */
  new <AgentExecutor = PyodideExecutor>(
    authorizedImports?: readonly string[],
    options?: PyodideExecutorOptions,
  ): AgentExecutor;
  readonly prototype: PyodideExecutor;
}

const PyodideExecutor: PyodideExecutorConstructor = Implementation as PyodideExecutorConstructor;

export { AgentExecutionError, BASE_BUILTIN_MODULES, PyodideExecutor };
export type {
  Figure,
  FileSystemDirectoryHandle,
  FileSystemHandle,
  PyodideExecutorOptions,
  PythonOutput,
  PythonRunOptions,
  ReleasePackage,
  SharedOptions,
};

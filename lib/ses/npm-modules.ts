import { describe } from '../contract/describe';
import { isBindable } from '../contract/identifiers';
import { record } from '../contract/options';
import type { Foreign } from '../contract/foreign';

/** What a library needs as a module of guest code. */
export interface LibraryReport {
  name: string;
  /** Size of the source text in UTF-8 bytes. */
  bytes: number;
  /** Globals that the library names and guest code does not have, by name. The library may work without them. */
  lacks: { name: string; fix?: string }[];
  /** Modules that the library imports or requires itself. The host must provide those that it needs. */
  imports: string[];
  /** Names of the exports, if the library loads. */
  exports: string[];
  /** The reason why the library does not load. */
  error?: string;
}

/** Options of {@link npmModules}. */
export interface NpmModulesOptions {
  /** Names of installed packages or of their parts, such as `date-fns/locale`, and paths of files. */
  names: readonly string[];
  /** The folder in whose `node_modules` the packages are. Default: the current folder. */
  from?: string | undefined;
}

/** Installed packages as modules of guest code. */
export interface NpmModules {
  /** For the option `authorizedImports` of executors. */
  authorizedImports: string[];
  /**
   * For the option `modules`: source texts by name. Packages that do not load are there too, so that their error is
   * seen.
   */
  modules: Record<string, string>;
  /** What the packages need, in the order of `names`. */
  reports: LibraryReport[];
}

/**
 * Bundles installed npm packages for guest code, each with everything that it requires. Loads each of them once to find
 * out which globals guests lack. Needs `npm install esbuild`.
 *
 * Rejects with a `TypeError` for wrong options, and with an `Error` if a package is not installed or cannot be bundled.
 *
 * @example
 * ```js
 * const { reports, ...options } = await npmModules({ names: ['lodash', 'date-fns'] });
 * const executor = new SESExecutor(options);
 * await executor.run('(await import("lodash")).chunk([1, 2, 3], 2)');
 * ```
 */
export async function npmModules(options: NpmModulesOptions): Promise<NpmModules> {
  const { names, from = process.cwd() }: Foreign = record(options, 'options', ['names', 'from']);
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string' && name !== '')) {
    throw new TypeError(`options.names must be an array of names of packages, got ${describe(names)}`);
  }
  if (typeof from !== 'string') throw new TypeError(`options.from must be a folder, got ${describe(from)}`);
  // Loaded lazily: few programs bundle packages.
  const { inspectLibrary, loadLibrary } = require('./library') as typeof import('./library');
  const load = (name: string, members?: string[]) =>
    loadLibrary(name, from, members).catch((error: Error) => {
      throw new Error(`${name} of ${from} cannot be bundled: ${error.message}`, { cause: error });
    });
  const modules: Map<string, string> = new Map();
  const reports: LibraryReport[] = [];
  for (const name of new Set(names as string[])) {
    const library = await load(name);
    const { members, ...report } = await inspectLibrary(library);
    // Code imports the members of a CommonJS module by name, too.
    const named = report.exports.join() === 'default' ? members.filter(isExportable) : [];
    const { text } = named.length === 0 ? library : await load(name, named);
    modules.set(name, text);
    const imports = [...new Set([...report.imports, ...(library.externals ?? [])])].sort();
    reports.push({ ...report, bytes: Buffer.byteLength(text), imports, exports: [...report.exports, ...named] });
  }
  return { authorizedImports: [...modules.keys()], modules: Object.fromEntries(modules), reports };
}

/** A module that exports `then` would be a promise to `import()`. */
function isExportable(name: string) {
  return isBindable(name) && !['default', 'then', 'all'].includes(name);
}

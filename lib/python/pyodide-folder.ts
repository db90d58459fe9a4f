/** The first release whose layout and WebAssembly module the engine can run. */
const MIN_MAJOR = 314;
/**
 * What to install. The alias of npm does not collide with another version of `pyodide`, which some other package may
 * need.
 */
const ADVICE = 'npm install ses-executor-pyodide@npm:pyodide@314';

interface Found {
  folder: string;
  version: string;
}

/**
 * Folder of the Pyodide package: `pyodide` if its version can run, or else `ses-executor-pyodide`.
 *
 * @throws {Error} that says what to install
 */
export function pyodideFolder() {
  const given = packageAt(() => require.resolve('pyodide/package.json'));
  if (given !== undefined && canRun(given)) return given.folder;
  const own = packageAt(() => require.resolve('ses-executor-pyodide/package.json'));
  if (own !== undefined && canRun(own)) return own.folder;
  const other = own ?? given;
  if (other === undefined) throw new Error(`PyodideExecutor needs the package pyodide: ${ADVICE}`);
  const { version, folder } = other;
  throw new Error(`PyodideExecutor cannot run pyodide ${version} (${folder}), only ${MIN_MAJOR} and later: ${ADVICE}`);
}

function canRun({ version }: Found) {
  return Number.parseInt(version, 10) >= MIN_MAJOR;
}

/** @returns undefined if it is not installed */
function packageAt(resolve: () => string): Found | undefined {
  const { dirname } = require('node:path') as typeof import('node:path');
  const { readFileSync } = require('node:fs') as typeof import('node:fs');
  try {
    const path = resolve();
    return { folder: dirname(path), version: String(JSON.parse(readFileSync(path, 'utf8')).version) };
  } catch {
    return undefined;
  }
}

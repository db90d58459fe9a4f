/**
 * Folder of the Pyodide package, which callers install next to this one.
 *
 * @throws {Error} that says what to install
 */
export function pyodideFolder() {
  const { dirname } = require('node:path') as typeof import('node:path');
  try {
    return dirname(require.resolve('pyodide/pyodide.mjs'));
  } catch (error) {
    throw new Error('PyodideExecutor needs the package pyodide: npm install pyodide', { cause: error });
  }
}

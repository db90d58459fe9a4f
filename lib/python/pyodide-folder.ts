/**
 * The folder of the package that callers install beside this one.
 *
 * @throws {Error} saying what to install
 */
export function pyodideFolder() {
  const { dirname } = require('node:path') as typeof import('node:path');
  try {
    return dirname(require.resolve('pyodide/pyodide.mjs'));
  } catch (error) {
    throw new Error('PyodideExecutor needs the package pyodide: npm install pyodide', { cause: error });
  }
}

// @ts-check
'use strict';

/**
 * The folder of the package that callers install beside this one.
 *
 * @throws {Error} saying what to install
 */
function pyodideFolder() {
  const { dirname } = require('node:path');
  try {
    return dirname(require.resolve('pyodide/pyodide.mjs'));
  } catch (error) {
    throw new Error('PyodideExecutor needs the package pyodide: npm install pyodide', { cause: error });
  }
}

module.exports = { pyodideFolder };

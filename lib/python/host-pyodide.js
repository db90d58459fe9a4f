// @ts-check
'use strict';

/**
 * Plain Pyodide, found as the specification says (section 2.2), and the text of the prelude.
 *
 * @returns {Promise<{ pyodide: any, prelude: string }>}
 */
async function loadHostPyodide() {
  const prelude = require('./prelude-text');
  const { window } = /** @type {any} */ (globalThis);
  if (typeof window?.loadPyodide === 'function') return { pyodide: await window.loadPyodide(), prelude };
  const isNode = typeof process === 'object' && Boolean(process.versions?.node);
  const { loadPyodide } = await importPyodide();
  return { pyodide: await (isNode ? loadPyodide({ indexURL: pyodideFolder() }) : loadPyodide()), prelude };
}

async function importPyodide() {
  try {
    return await import('pyodide');
  } catch (error) {
    throw new Error('PyodideExecutor needs the package pyodide: npm install pyodide', { cause: error });
  }
}

/** @returns {string} with a separator at its end */
function pyodideFolder() {
  const { dirname, sep } = require('node:path');
  return dirname(require.resolve('pyodide/pyodide.mjs')) + sep;
}

module.exports = { loadHostPyodide };

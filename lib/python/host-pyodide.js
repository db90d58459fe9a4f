// @ts-check
'use strict';

const { pyodideFolder } = require('./pyodide-folder');

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
  return {
    pyodide: await (isNode
      ? loadPyodide({ indexURL: `${pyodideFolder()}${require('node:path').sep}` })
      : loadPyodide()),
    prelude,
  };
}

async function importPyodide() {
  try {
    return await import('pyodide');
  } catch (error) {
    throw new Error('PyodideExecutor needs the package pyodide: npm install pyodide', { cause: error });
  }
}

module.exports = { loadHostPyodide };

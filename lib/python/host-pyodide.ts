import { pyodideFolder } from './pyodide-folder';
import type { Foreign } from '../contract/foreign';

/** Loads plain Pyodide, located as the specification says (section 2.2), and the source of the prelude. */
export async function loadHostPyodide(): Promise<{ pyodide: Foreign; prelude: string }> {
  const prelude = require('./prelude-text') as typeof import('./prelude-text');
  const { window } = globalThis as Foreign;
  if (typeof window?.loadPyodide === 'function') return { pyodide: await window.loadPyodide(), prelude };
  const isNode = typeof process === 'object' && Boolean(process.versions?.node);
  const pyodide = isNode ? await loadFromFolder(pyodideFolder()) : await (await importPyodide()).loadPyodide();
  return { pyodide, prelude };
}

/** In Node.js, `import('pyodide')` may find a version that another package needs. */
async function loadFromFolder(folder: string) {
  const { join, sep } = require('node:path') as typeof import('node:path');
  const { pathToFileURL } = require('node:url') as typeof import('node:url');
  const { loadPyodide } = await import(pathToFileURL(join(folder, 'pyodide.mjs')).href);
  return loadPyodide({ indexURL: `${folder}${sep}` });
}

async function importPyodide() {
  try {
    return await import('pyodide');
  } catch (error) {
    throw new Error('PyodideExecutor needs the package pyodide: npm install pyodide', { cause: error });
  }
}

// Pyodide in the host's own thread, unprotected: with the prelude, as smolagents-ts has it, and without.

import { openWith } from './ses-executor-python.mjs';

export const traits = { isStoppable: false };

export const open = openWith({ engine: 'host' });

/** As Pyodide itself starts. */
export async function openPlain() {
  const { loadPyodide } = await import('pyodide');
  const pyodide = await loadPyodide();
  return { run: (code) => pyodide.runPythonAsync(code), close: async () => {} };
}

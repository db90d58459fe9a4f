// Pyodide in the host's own thread, unprotected: as smolagents-ts runs agents' code in it, by its specification, and by
// itself.

import { readFileSync } from 'node:fs';

const PRELUDE = readFileSync(new URL('./pyodide-original.py', import.meta.url), 'utf8');
const CONFIG = {
  authorized_imports: ['*'],
  max_operations: 1e12,
  max_while_iterations: 1e12,
  allowed_dangerous_builtins: [],
  tool_names: [],
};

export const traits = { isStoppable: false };

async function load() {
  const { loadPyodide } = await import('pyodide');
  return loadPyodide();
}

/** As smolagents-ts does it. */
export async function open({ tools = {} } = {}) {
  const pyodide = await load();
  await pyodide.runPythonAsync(PRELUDE);
  for (const [name, tool] of Object.entries(tools)) pyodide.globals.set(name, tool);
  pyodide.globals.get('__smolagents_set_user_globals')(Object.keys(tools));
  return { run: (code) => run(pyodide, code), close: async () => {} };
}

async function run(pyodide, code) {
  let logs = '';
  pyodide.setStdout({ batched: (line) => (logs += `${line}\n`) });
  pyodide.setStderr({ batched: (line) => (logs += `stderr: ${line}\n`) });
  pyodide.globals.set('__smolagents_code__', code);
  pyodide.globals.set('__smolagents_config__', CONFIG);
  const result = await pyodide.runPythonAsync('await __smolagents_run(__smolagents_code__, __smolagents_config__)');
  const { value } = result.toJs({ dict_converter: Object.fromEntries });
  result.destroy();
  return JSON.parse(value);
}

/** As Pyodide itself starts, and runs code that nothing counts. */
export async function openPlain() {
  const pyodide = await load();
  return { run: (code) => pyodide.runPythonAsync(code), close: async () => {} };
}

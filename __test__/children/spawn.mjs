// Processes that tests and scripts start. Loads no vitest.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The checkout that is tested. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** That of this process; what vitest sets for its own processes does not concern others. */
export function ownEnvironment() {
  const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, ...env } = process.env;
  return env;
}

/**
 * Runs Node.js with `args`.
 *
 * @param {string[]} args
 * @param {{ cwd?: string, input?: string, timeoutMs?: number, env?: Record<string, string> }} [options]
 * @returns {Promise<{ status: number | null, signal: string | null, stdout: string, stderr: string }>}
 */
export function spawnNode(args, options) {
  return spawnProgram(process.execPath, args, options);
}

/** As {@link spawnNode}, for any program. */
export function spawnProgram(program, args, { cwd = ROOT, input = '', timeoutMs = 50_000, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...ownEnvironment(), NO_COLOR: '1', ...env },
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
  });
}

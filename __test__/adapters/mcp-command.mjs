// `ses-executor mcp` as tests start it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { expect, onTestFinished } from 'vitest';

import { ROOT } from '../helpers.mjs';

export const BIN = join(ROOT, 'bin', 'ses-executor.js');
/** What clients of `startHttp` send. */
export const TOKEN = 'a-token-for-these-tests';

/**
 * Starts `ses-executor mcp --http` at a free port. When the test has finished, SIGTERM ends it, with status 0.
 *
 * @returns the process, its address, and a promise of its exit code and signal
 */
export async function startHttp(...args) {
  const server = spawn(process.execPath, [BIN, 'mcp', '--http', '127.0.0.1:0', ...args], {
    env: { ...process.env, SES_EXECUTOR_MCP_TOKEN: TOKEN },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  onTestFinished(async () => {
    server.kill('SIGTERM');
    expect(await ended).toStrictEqual([0, null]);
  });
  for await (const line of createInterface(server.stderr)) {
    const [, url] = /^ses-executor: listening at (.*)$/.exec(line) ?? [];
    if (url !== undefined) return { server, url, ended };
  }
  throw new Error('the server has ended');
}

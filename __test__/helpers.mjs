// What the tests of all features share.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ROOT, spawnNode, spawnProgram } from './children/spawn.mjs';
import { ExecutorError, SESExecutor } from '../index.mjs';

export { ROOT, spawnNode, spawnProgram };

/**
 * Calls `fn` with an executor that is initialised and has the tools, and cleans it up however `fn` ends.
 *
 * @returns what `fn` returns
 */
export const withExecutor = withExecutorOf((options) => new SESExecutor(options));

/** {@link withExecutor} for the executors that `make` makes. */
export function withExecutorOf(make) {
  return async (options, tools, fn) => {
    const executor = make(options);
    try {
      await executor.init();
      if (Object.keys(tools).length > 0) await executor.sendTools(tools);
      return await fn(executor);
    } finally {
      await executor.cleanup();
    }
  };
}

/** What `promise` rejects with; fails if it resolves. */
export async function rejection(promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection, but the promise resolved', { cause: value });
}

/** The `ExecutorError` that `promise` rejects with, which must have `code`. */
export async function expectCode(promise, code) {
  const error = await rejection(promise);
  if (!(error instanceof ExecutorError)) throw error;
  expect(error.code, error.message).toBe(code);
  return error;
}

/** A promise with its `resolve` and `reject`. */
export function deferred() {
  const it = {};
  it.promise = new Promise((resolve, reject) => Object.assign(it, { resolve, reject }));
  return it;
}

/** A tool that never answers, and a promise that resolves when guest code has called it. */
export function neverTool() {
  const called = deferred();
  const tool = async () => {
    called.resolve();
    return new Promise(() => {});
  };
  return { tool, called: called.promise };
}

/** A tool that answers when the test says so: `gate.open(value)`; `gate.called` resolves when guest code waits. */
export function gateTool() {
  const called = deferred();
  const answer = deferred();
  const tool = async () => {
    called.resolve();
    return answer.promise;
  };
  return { tool, called: called.promise, open: answer.resolve };
}

/**
 * Runs `script` in a separate Node.js process; an ES module with the checkout as its folder, so that `./index.mjs`
 * and `ses-executor` are this package. The process is killed after `timeoutMs`; `signal` says so then.
 *
 * @param {string} script
 * @param {{ nodeArgs?: string[], format?: 'module' | 'commonjs', timeoutMs?: number, env?: Record<string, string> }}
 *   [options]
 */
export function runChild(script, { nodeArgs = [], format = 'module', timeoutMs = 50_000, env = {} } = {}) {
  // Deno takes the options of V8 in another way, and modules with imports from stdin only.
  if (process.versions.deno !== undefined) {
    const flags = nodeArgs.map((arg) => `--v8-flags=${arg}`);
    return spawnNode(['run', '-A', ...flags, '-'], { timeoutMs, env, input: script });
  }
  return spawnNode([...nodeArgs, `--input-type=${format}`, '--eval', script], { timeoutMs, env });
}

/** Calls `fn` with an empty folder that is removed afterwards. */
export async function withFolder(fn) {
  const folder = mkdtempSync(join(tmpdir(), 'ses-executor-test-'));
  try {
    return await fn(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `test` and `describe` for what an executor can do, and nothing for what it cannot. */
export const testIf = (can) => (can ? test : Object.assign(() => {}, { each: () => () => {} }));
export const describeIf = (can) => (can ? describe : () => {});

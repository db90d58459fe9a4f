// This package. A session is an executor with its isolate and thread.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { SESExecutor, checkTypes, engineStats, prepareProgram: prepare } = require('../../index.js');

const MAX_CODE_BYTES = 8 * 2 ** 20;
/** More than any program takes, and as many as are counted fastest. */
const MAX_OPERATIONS = 2 ** 31 - 1;

export const traits = { isStoppable: true, hasMemoryLimit: true, hasSessions: true, copies: true };

export { planOf } from '../../build/adapters/code-tool/index.js';

/** `prepareProgram` with room for large programs. */
export const prepareProgram = (code) => prepare(code, { maxCodeBytes: MAX_CODE_BYTES });

/** `checkTypes` with TypeScript 7. */
export async function typeChecker() {
  await require('../../build/typecheck/checker.js').useTypeScript('typescript-v7');
  return checkTypes;
}

/** Whether this build has the option, which `engineStats().warm` says too. */
export const hasWarmPool = 'warm' in engineStats();

/** Resolves when `count` isolates are ready in the pool. */
export async function warm(count) {
  while (engineStats().warm < count) await new Promise((resolve) => setImmediate(resolve));
}

export const open = openWith({});

/** `open` for executors with further options. */
export function openWith(more) {
  return (options) => session(options, more);
}

async function session({ tools, memoryLimitMb = 128, timeoutMs = 120_000, warmPool = 0 } = {}, more) {
  const executor = new SESExecutor({
    memoryLimitMb,
    timeoutMs,
    maxOperations: MAX_OPERATIONS,
    maxToolCalls: 1e9,
    maxConcurrentToolCalls: 128,
    maxCodeBytes: MAX_CODE_BYTES,
    ...(hasWarmPool && { warmPool }),
    ...(more.isolation === 'process' && { spares: warmPool }),
    ...more,
  });
  await executor.init();
  if (tools !== undefined) await executor.sendTools(tools);
  return {
    evaluate: async (expression) => (await executor.run(expression)).output,
    run: async (body) => (await executor.run(body)).output,
    set: (name, value) => executor.sendVariables({ [name]: value }),
    close: () => executor.cleanup(),
    /** The executor's process, if it has a separate one. */
    pid: executor.isolation?.pid,
  };
}

/** A manager; `ready` resolves when its pool is full. */
export async function openApi({ registry, call, poolSize = 4 }) {
  const { SandboxManager, anyState } = require('../../build/sandbox/index.js');
  const adapters = (source, method, params) => call(params);
  const manager = new SandboxManager({ registry, adapters, poolSize, stateSchema: anyState });
  return {
    search: (code) => manager.executeSearch(code),
    execute: (code) => manager.executeCode(code),
    ready: async () => {
      while (manager.ready < poolSize) await new Promise((resolve) => setImmediate(resolve));
    },
    close: () => manager.close(),
  };
}

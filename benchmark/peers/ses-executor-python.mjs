// Python in an isolate of this package.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

import { warm } from './ses-executor.mjs';

const { PyodideExecutor } = createRequire(import.meta.url)('../../build/python/index.js');

export const traits = { isStoppable: true };

export { warm };

/** Leaves in the cache what the first executor of all makes. */
export function fillCache() {
  const script = `import(${JSON.stringify(import.meta.url)}).then(async ({ open }) => (await open()).close())`;
  execFileSync(process.execPath, ['-e', script]);
}

export const open = openWith({ memoryLimitMb: 256 });

/** `open` for executors with further options. */
export function openWith(more) {
  return async ({ tools, timeoutMs = 120_000, warmPool = 0 } = {}) => {
    const limits = { max_operations: 1e12, max_while_iterations: 1e12, maxToolCalls: 1e9 };
    const options = { ...limits, mount: false, ...more };
    if (options.engine !== 'host') Object.assign(options, { timeoutMs, warmPool });
    else delete options.maxToolCalls;
    const executor = new PyodideExecutor(['*'], options);
    await executor.init();
    if (tools !== undefined) await executor.sendTools(tools);
    return {
      run: async (code) => (await executor.run(code)).output,
      close: () => executor.cleanup(),
    };
  };
}

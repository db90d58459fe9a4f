// isolated-vm in the forms that leave the host's thread free, which is what a host of agents needs: every compile and run
// happens on a thread of its pool. Of those the fastest: `context.eval` beats `compileScript` + `run`, a synchronous
// `Callback` beats `applySync`. An async host function can only be called with `Reference.apply`: the result of an async
// `Callback` must be transferable, which a promise is not. There is a deadline only where a case asks for one; it costs
// nothing that shows.

import { createRequire } from 'node:module';

const ivm = createRequire(import.meta.url)('isolated-vm');

export const traits = { isStoppable: true, hasMemoryLimit: true, hasSessions: true, copies: true };

export async function open({ tools = {}, memoryLimitMb = 128, timeoutMs } = {}) {
  const isolate = new ivm.Isolate({ memoryLimit: memoryLimitMb });
  const context = await isolate.createContext();
  const { global } = context;
  for (const [name, tool] of Object.entries(tools)) {
    if (tool.constructor.name === 'AsyncFunction') {
      await context.evalClosure(
        `globalThis[$0] = (...args) => $1.apply(undefined, args, { result: { promise: true } });`,
        [name, new ivm.Reference(tool)],
      );
    } else {
      await global.set(name, new ivm.Callback(tool));
    }
  }
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return {
    evaluate: (expression) => context.eval(expression, options),
    run: (body) => context.eval(`(async () => {${body}\n})()`, { ...options, promise: true, copy: true }),
    set: (name, value) => global.set(name, value, { copy: true }),
    close: async () => {
      if (!isolate.isDisposed) isolate.dispose();
    },
  };
}

// Plain Node.js, the unguarded baseline: programs are async functions of the host's own realm, other code runs in a
// context of `node:vm`, values are copied with structuredClone, and tools are called directly.

import vm from 'node:vm';

export const traits = { isStoppable: true, hasMemoryLimit: false, hasSessions: true, copies: true };

const AsyncFunction = (async () => {}).constructor;

export async function open({ tools = {}, timeoutMs } = {}) {
  const sandbox = { ...tools };
  const context = vm.createContext(sandbox);
  return {
    evaluate: async (expression) => vm.runInContext(expression, context, { timeout: timeoutMs }),
    run: async (body) => new AsyncFunction(...Object.keys(sandbox), body)(...Object.values(sandbox)),
    set: async (name, value) => {
      sandbox[name] = structuredClone(value);
    },
    get: async (name) => structuredClone(sandbox[name]),
    close: async () => {},
  };
}

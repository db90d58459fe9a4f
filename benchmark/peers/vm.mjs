// Plain Node.js, the unguarded baseline: programs are async functions of the host's own realm, other code runs in a
// context of `node:vm`, values are copied with structuredClone, and tools are called directly.

import vm from 'node:vm';

export const traits = { isStoppable: true, hasMemoryLimit: false, hasSessions: true, copies: true };

const AsyncFunction = (async () => {}).constructor;

export async function open({ tools = {}, timeoutMs } = {}) {
  const globals = { ...tools };
  const context = vm.createContext(globals);
  return {
    evaluate: async (expression) => vm.runInContext(expression, context, { timeout: timeoutMs }),
    run: async (body) => new AsyncFunction(...Object.keys(globals), body)(...Object.values(globals)),
    set: async (name, value) => {
      globals[name] = structuredClone(value);
    },
    get: async (name) => structuredClone(globals[name]),
    close: async () => {},
  };
}

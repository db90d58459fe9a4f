// A context of `node:vm`, unguarded: programs are async functions in it.

import vm from 'node:vm';

export const traits = { isStoppable: true, hasMemoryLimit: false, hasSessions: true, copies: false };

export async function open() {
  const context = vm.createContext({});
  return {
    run: async (body) => structuredClone(await vm.runInContext(`(async () => {${body}\n})()`, context)),
    close: async () => {},
  };
}

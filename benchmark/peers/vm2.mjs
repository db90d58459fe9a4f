// vm2: a vm context behind proxies, on the host's thread and heap. Values do not cross, proxies of them do.

import { createRequire } from 'node:module';

const { VM } = createRequire(import.meta.url)('vm2');

export const traits = { isStoppable: true, hasMemoryLimit: false, hasSessions: true, copies: false };

export async function open({ tools = {}, timeoutMs } = {}) {
  const vm = new VM({ timeout: timeoutMs, sandbox: tools });
  return {
    evaluate: async (expression) => vm.run(expression),
    run: async (body) => vm.run(`(async () => {${body}\n})()`),
    close: async () => {},
  };
}

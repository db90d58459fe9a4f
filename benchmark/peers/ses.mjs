// SES in the host's own realm: lockdown() once per process, a Compartment per session. Nothing limits time or memory.

import 'ses';

export const traits = { isStoppable: false, hasMemoryLimit: false, hasSessions: true, copies: false };

globalThis.lockdown({ errorTaming: 'unsafe', consoleTaming: 'unsafe', overrideTaming: 'severe' });

export async function open({ tools = {} } = {}) {
  const compartment = new globalThis.Compartment({ globals: globalThis.harden(tools), __options__: true });
  return {
    evaluate: async (expression) => compartment.evaluate(expression),
    run: async (body) => compartment.evaluate(`(async () => {${body}\n})()`),
    close: async () => {},
  };
}

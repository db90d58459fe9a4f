// Vercel's `run`: QuickJS in a pool of worker threads. It has no sessions: each run gets a new context in a thread that
// is reused, and host functions are in groups.

import { createRunner } from 'run';

export const traits = { isStoppable: true, hasMemoryLimit: true, hasSessions: false, copies: true };

/** What the bridge of synchronous host functions has room for, out of the memory limit. */
const BIG = 32 * 2 ** 20;

export async function open({ tools, memoryLimitMb = 128, timeoutMs = 120_000 } = {}) {
  const variables = new Map();
  const groups = { hostFunctions: {}, syncHostFunctions: {} };
  for (const [name, tool] of Object.entries(tools ?? {})) {
    if (tool.constructor.name === 'AsyncFunction') (groups.hostFunctions.later ??= {})[name] = tool;
    else (groups.syncHostFunctions.now ??= {})[name] = tool;
  }
  const runner = createRunner({
    syncHostFunctions: groups.syncHostFunctions,
    limits: {
      timeoutMs,
      memoryLimitBytes: memoryLimitMb * 2 ** 20,
      maxSourceBytes: 8 * 2 ** 20,
      maxResultBytes: BIG,
      maxHostFunctionOutputBytes: BIG,
      maxBridgeRequests: 1e6,
      maxInFlightBridgeRequests: 128,
    },
  });
  const prelude = Object.entries({ later: groups.hostFunctions.later, now: groups.syncHostFunctions.now })
    .filter(([, group]) => group !== undefined)
    .map(([name, group]) => `const { ${Object.keys(group).join(', ')} } = ${name};`)
    .join('');
  const run = async (source) => {
    const hostFunctions = { ...groups.hostFunctions };
    let fetched = '';
    if (variables.size > 0) {
      hostFunctions.variables = Object.fromEntries([...variables].map(([name, value]) => [name, () => value]));
      fetched = [...variables.keys()].map((name) => `const ${name} = await variables.${name}();`).join('');
    }
    const result = await runner.run({ source: prelude + fetched + source, hostFunctions });
    return result.value;
  };
  return {
    evaluate: (expression) => run(`return ${expression}`),
    run,
    /** The value crosses as the result of a host function. */
    set: async (name, value) => {
      variables.set(name, value);
      await run('return 0;');
    },
    close: async () => {},
  };
}

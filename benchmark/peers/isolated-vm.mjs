// isolated-vm in the forms that leave the host's thread free, which is what a host of agents needs: every compile and
// run happens on a thread of its pool. Of those the fastest: `context.eval` beats `compileScript` + `run` for one run,
// a synchronous `Callback` beats `applySync`. An async host function can only be called with `Reference.apply`: the
// result of an async `Callback` must be transferable, which a promise is not. There is a deadline only where a case
// asks for one; it costs nothing that shows.

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
    run: (body) => context.eval(asyncFunction(body), { ...options, promise: true, copy: true }),
    compile: async (body) => {
      const script = await isolate.compileScript(asyncFunction(body));
      return () => script.run(context, { ...options, promise: true, copy: true });
    },
    set: (name, value) => global.set(name, value, { copy: true }),
    close: async () => {
      if (!isolate.isDisposed) isolate.dispose();
    },
  };
}

const asyncFunction = (body) => `(async () => {${body}\n})()`;

const FIND = `spec.find = (text) => spec.sources.flatMap(({ name: source, methods }) => methods
  .filter(({ name, description }) => (source + '.' + name + ' ' + description).toLowerCase().includes(text.toLowerCase()))
  .map(({ name, description }) => ({ method: source + '.' + name, description })));`;
const SDK = `const sdk = {}; const utils = {}; globalThis.sdk = sdk; globalThis.utils = utils;
  for (const { name: source, methods } of spec.sources) {
    sdk[source] = {};
    for (const { name } of methods)
      sdk[source][name] = (params) => $0.apply(undefined, [params], { arguments: { copy: true }, result: { promise: true, copy: true } });
  }`;

/** A fresh isolate for each program, with a copy of the registry. `poolSize`: isolates that `ready` makes and keeps. */
export async function openApi({ registry, call, poolSize = 0 }) {
  const copy = new ivm.ExternalCopy(registry);
  const kept = [];
  const fresh = async () => {
    const isolate = new ivm.Isolate({ memoryLimit: 64 });
    const context = await isolate.createContext();
    await context.global.set('spec', copy.copyInto());
    await context.eval(FIND);
    return { isolate, context };
  };
  return {
    async search(code) {
      const { isolate, context } = await fresh();
      const found = await context.eval(code, { copy: true, timeout: 30_000 });
      isolate.dispose();
      return found;
    },
    async execute(code) {
      const { isolate, context } = await fresh();
      await context.evalClosure(SDK, [new ivm.Reference(call)]);
      const output = await context.eval(code, { promise: true, copy: true, timeout: 30_000 });
      isolate.dispose();
      return output;
    },
    async ready() {
      while (kept.length < poolSize) kept.push(await fresh());
    },
    async close() {
      for (const { isolate } of kept.splice(0)) isolate.dispose();
    },
  };
}

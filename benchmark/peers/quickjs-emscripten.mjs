// QuickJS compiled to WebAssembly, on the host's thread. A session is a runtime with one context; all share one module,
// as getQuickJS() gives it. Objects cross as JSON, which is several times faster than handle by handle.

import { getQuickJS, shouldInterruptAfterDeadline } from 'quickjs-emscripten';

export const traits = { isStoppable: true, hasMemoryLimit: true, hasSessions: true, copies: true };

const quickjs = await getQuickJS();

export async function open({ tools = {}, memoryLimitMb = 128, timeoutMs } = {}) {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryLimitMb * 2 ** 20);
  const context = runtime.newContext();
  for (const [name, tool] of Object.entries(tools)) defineTool(context, name, tool);
  const startDeadline = () => {
    if (timeoutMs !== undefined) runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + timeoutMs));
  };
  return {
    evaluate: async (expression) => {
      startDeadline();
      return context.unwrapResult(context.evalCode(expression)).consume((handle) => context.dump(handle));
    },
    run: async (body) => {
      startDeadline();
      const promise = context.unwrapResult(context.evalCode(`(async () => {${body}\n})()`));
      const settled = context.resolvePromise(promise);
      runtime.executePendingJobs();
      const result = await settled;
      promise.dispose();
      return context.unwrapResult(result).consume((handle) => fromGuest(context, handle));
    },
    set: async (name, value) =>
      toGuest(context, value).consume((handle) => context.setProp(context.global, name, handle)),
    close: async () => {
      context.dispose();
      runtime.dispose();
    },
  };
}

function defineTool(context, name, tool) {
  const isAsync = tool.constructor.name === 'AsyncFunction';
  const wrapped = context.newFunction(name, (...args) => {
    const result = tool(...args.map((handle) => context.dump(handle)));
    if (!isAsync) return toGuest(context, result);
    const deferred = context.newPromise();
    result.then((value) => toGuest(context, value).consume((handle) => deferred.resolve(handle)));
    deferred.settled.then(() => context.runtime.executePendingJobs());
    return deferred.handle;
  });
  wrapped.consume((handle) => context.setProp(context.global, name, handle));
}

function toGuest(context, value) {
  if (typeof value === 'number') return context.newNumber(value);
  if (typeof value === 'string') return context.newString(value);
  if (value instanceof Uint8Array) {
    const buffer = context.newArrayBuffer(value.buffer);
    return buffer.consume(() => {
      context.setProp(context.global, '__buffer', buffer);
      return context.unwrapResult(context.evalCode('new Uint8Array(__buffer)'));
    });
  }
  return context.newString(JSON.stringify(value)).consume((text) => {
    context.setProp(context.global, '__text', text);
    return context.unwrapResult(context.evalCode('JSON.parse(__text)'));
  });
}

function fromGuest(context, handle) {
  if (context.typeof(handle) !== 'object') return context.dump(handle);
  context.setProp(context.global, '__value', handle);
  const isBytes = context.dump(context.unwrapResult(context.evalCode('__value instanceof Uint8Array')));
  if (isBytes) {
    const buffer = context.getProp(handle, 'buffer');
    return buffer.consume(() => context.getArrayBuffer(buffer).consume((lifetime) => lifetime.value.slice()));
  }
  const text = context.unwrapResult(context.evalCode('JSON.stringify(__value)'));
  return text.consume(() => JSON.parse(context.getString(text)));
}

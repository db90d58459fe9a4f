// A worker thread per session, and messages. It isolates nothing but the heap: guest code has all of Node.js.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export const traits = { isStoppable: true, hasMemoryLimit: true, hasSessions: true, copies: true };

const GUEST = new URL('./worker-threads-guest.mjs', import.meta.url);

export async function open({ tools = {}, memoryLimitMb = 128, timeoutMs } = {}) {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(GUEST, {
    workerData: {
      signal,
      tools: Object.entries(tools).map(([name, tool]) => [name, tool.constructor.name === 'AsyncFunction']),
    },
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
  });
  await once(worker, 'message');
  const calls = new Map();
  let last = 0;
  const failAll = (error) => {
    for (const { reject } of calls.values()) reject(error);
    calls.clear();
  };
  worker.on('error', failAll);
  worker.on('exit', () => failAll(new Error('the worker has ended')));
  worker.on('message', async ({ id, tool, args, isSync, value, error }) => {
    if (tool !== undefined) {
      worker.postMessage({ reply: id, value: await tools[tool](...args) });
      if (isSync) {
        Atomics.store(signal, 0, 1);
        Atomics.notify(signal, 0);
      }
      return;
    }
    const { resolve, reject } = calls.get(id);
    calls.delete(id);
    if (error === undefined) resolve(value);
    else reject(error);
  });
  const call = (message) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      calls.set(id, { resolve, reject });
      worker.postMessage({ id, ...message });
    });
  /** There is no way to stop the code but to end its thread. */
  const limited = async (message) => {
    if (timeoutMs === undefined) return call(message);
    const timer = setTimeout(() => worker.terminate(), timeoutMs);
    try {
      return await call(message);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    evaluate: (expression) => limited({ expression }),
    run: (body) => limited({ body }),
    set: (name, value) => call({ name, value }),
    close: () => worker.terminate(),
  };
}

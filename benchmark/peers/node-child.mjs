// The usual way to give each session a separate process: a Node.js child that loads this package, and Node's IPC.

import { fork } from 'node:child_process';
import { once } from 'node:events';

export const traits = { isStoppable: true, hasMemoryLimit: true, hasSessions: true, copies: true };

const GUEST = new URL('./node-child-guest.mjs', import.meta.url);
const AsyncFunction = (async () => {}).constructor;

export async function open({ tools = {}, memoryLimitMb = 128 } = {}) {
  const options = {
    memoryLimitMb,
    timeoutMs: 120_000,
    maxOperations: 1e12,
    maxToolCalls: 1e9,
    maxConcurrentToolCalls: 128,
    warmPool: 0,
    tools: Object.entries(tools).map(([name, tool]) => ({ name, isAsync: tool instanceof AsyncFunction })),
  };
  const child = fork(GUEST, [JSON.stringify(options)], { serialization: 'advanced' });
  await once(child, 'message');
  const calls = new Map();
  let last = 0;
  child.on('exit', () => {
    for (const { reject } of calls.values()) reject(new Error('the child has ended'));
    calls.clear();
  });
  child.on('message', async ({ id, name, args, value, error }) => {
    if (name !== undefined) {
      child.send({ reply: id, value: await tools[name](...args) });
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
      child.send({ id, ...message });
    });
  return {
    evaluate: (code) => call({ code }),
    run: (code) => call({ code }),
    set: (name, value) => call({ name, value }),
    close: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    pid: child.pid,
  };
}

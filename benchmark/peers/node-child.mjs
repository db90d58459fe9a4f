// A Node.js process per session, and its IPC. It isolates memory: guest code has all of Node.js. There are no sync tools.

import { fork } from 'node:child_process';
import { once } from 'node:events';

export const traits = { isStoppable: true, hasMemoryLimit: true, hasSessions: true, copies: true };

const GUEST = new URL('./node-child-guest.mjs', import.meta.url);

export async function open({ tools = {}, memoryLimitMb = 128 } = {}) {
  const execArgv = [`--max-old-space-size=${memoryLimitMb}`];
  const child = fork(GUEST, Object.keys(tools), { execArgv, serialization: 'advanced' });
  await once(child, 'message');
  const calls = new Map();
  let last = 0;
  child.on('exit', () => {
    for (const { reject } of calls.values()) reject(new Error('the child has ended'));
    calls.clear();
  });
  child.on('message', async ({ id, tool, args, value, error }) => {
    if (tool !== undefined) {
      child.send({ reply: id, value: await tools[tool](...args) });
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
    evaluate: (expression) => call({ expression }),
    run: (body) => call({ body }),
    set: (name, value) => call({ name, value }),
    close: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    pid: child.pid,
  };
}

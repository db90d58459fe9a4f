// The other end of peers/node-child.mjs.

import vm from 'node:vm';

const AsyncFunction = (async () => {}).constructor;
const pending = new Map();
let last = 0;

for (const tool of process.argv.slice(2)) {
  globalThis[tool] = (...args) =>
    new Promise((resolve) => {
      const id = ++last;
      pending.set(id, resolve);
      process.send({ id, tool, args });
    });
}

process.on('message', async ({ id, reply, expression, body, name, value }) => {
  if (reply !== undefined) {
    pending.get(reply)(value);
    pending.delete(reply);
    return;
  }
  try {
    if (name !== undefined) globalThis[name] = value;
    if (expression !== undefined) process.send({ id, value: vm.runInThisContext(expression) });
    else process.send({ id, value: body === undefined ? undefined : await new AsyncFunction(body)() });
  } catch (error) {
    process.send({ id, error });
  }
});
process.send('ready');

// The other end of peers/node-child.mjs.

import { createRequire } from 'node:module';

const { SESExecutor, blocking } = createRequire(import.meta.url)('../../index.js');

const { tools, ...options } = JSON.parse(process.argv[2]);
const executor = new SESExecutor(options);
const pending = new Map();
let last = 0;

process.on('message', async ({ id, reply, code, name, value }) => {
  if (reply !== undefined) {
    pending.get(reply)(value);
    pending.delete(reply);
    return;
  }
  try {
    if (name !== undefined) await executor.sendVariables({ [name]: value });
    process.send({ id, value: code === undefined ? undefined : (await executor.run(code)).output });
  } catch (error) {
    process.send({ id, error });
  }
});
await executor.init();
await executor.sendTools(Object.fromEntries(tools.map(({ name, isAsync }) => [name, toolOf(name, isAsync)])));
process.send('ready');

function toolOf(name, isAsync) {
  const ask = (...args) =>
    new Promise((resolve) => {
      const id = ++last;
      pending.set(id, resolve);
      process.send({ id, name, args });
    });
  return isAsync ? ask : blocking(ask);
}

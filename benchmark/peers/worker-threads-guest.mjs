// The other end of peers/worker-threads.mjs.

import vm from 'node:vm';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';

const { signal, tools } = workerData;
const AsyncFunction = (async () => {}).constructor;
const pending = new Map();
let last = 0;

for (const [tool, isAsync] of tools) globalThis[tool] = isAsync ? asyncTool(tool) : syncTool(tool);

parentPort.on('message', receive);
parentPort.postMessage('ready');

async function receive({ id, reply, expression, body, name, value }) {
  if (reply !== undefined) {
    pending.get(reply)(value);
    pending.delete(reply);
    return;
  }
  try {
    if (name !== undefined) globalThis[name] = value;
    else if (expression !== undefined) parentPort.postMessage({ id, value: vm.runInThisContext(expression) });
    else parentPort.postMessage({ id, value: await new AsyncFunction(body)() });
    if (name !== undefined) parentPort.postMessage({ id });
  } catch (error) {
    parentPort.postMessage({ id, error });
  }
}

function asyncTool(tool) {
  return (...args) =>
    new Promise((resolve) => {
      const id = ++last;
      pending.set(id, resolve);
      parentPort.postMessage({ id, tool, args });
    });
}

function syncTool(tool) {
  return (...args) => {
    const id = ++last;
    Atomics.store(signal, 0, 0);
    parentPort.postMessage({ id, tool, args, isSync: true });
    Atomics.wait(signal, 0, 0);
    for (;;) {
      const { message } = receiveMessageOnPort(parentPort);
      if (message.reply === id) return message.value;
      receive(message);
    }
  };
}

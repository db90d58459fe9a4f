// Runs the programs of escapes.mjs one after the other on an executor of the isolation that its argument names, and
// prints as JSON what came of each, and what it has reached: `[{ name, outcome, reached }]`.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PyodideExecutor } from '../../build/python/index.js';
import { ESCAPES } from './escapes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'escapes-'));
const mounted = join(folder, 'mounted');
mkdirSync(mounted);
const secret = `secret ${Math.random()}`;
writeFileSync(join(folder, 'secret'), secret);
const marker = join(folder, 'marker');
let connections = 0;
const server = createServer((socket) => (connections++, socket.destroy()));
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));

const hostErrors = [];
for (const event of ['unhandledRejection', 'uncaughtException']) process.on(event, (error) => hostErrors.push(error));
const intrinsics = () =>
  [Object.prototype, Array.prototype, Function.prototype, JSON, Reflect].map(Object.getOwnPropertyNames).join();
const before = intrinsics();

const executor = new PyodideExecutor(['*'], {
  workDir: mounted,
  timeoutMs: 1_000,
  isolation: /** @type {'thread' | 'process'} */ (process.argv[2]),
  allowed_dangerous_builtins: ['eval', 'exec', 'compile', 'open', 'input'],
});
const send = async () => {
  await executor.sendVariables({
    secret_file: join(folder, 'secret'),
    marker,
    command: `id > ${marker}; echo ${marker}`,
    host_pid: process.pid,
    host_port: server.address().port,
  });
  await executor.sendTools({ echo: (value) => value });
};
await send();
/** The outcome of a run, in one word. */
const told = async (program) => {
  try {
    const { output, logs } = await executor.run(program);
    return { text: JSON.stringify([output, logs]), outcome: 'a value' };
  } catch (error) {
    return { text: JSON.stringify([error.message, error.details]), outcome: error.details?.name ?? error.code };
  }
};
const report = [];
for (const [name, program] of ESCAPES) {
  const { text, outcome } = await told(program);
  const found = [secret, 'of the environment', process.version, 'uid='].filter((it) => text.includes(it));
  const reached = [
    ...found.map((it) => `${it} in ${text.slice(0, 500)}`),
    ...(existsSync(marker) ? ['a file of the host'] : []),
    ...(connections > 0 ? ['a connection'] : []),
    ...(intrinsics() !== before ? ["the host's intrinsics"] : []),
    ...hostErrors.splice(0).map(String),
  ];
  rmSync(marker, { force: true });
  connections = 0;
  // A program may break its own session for good; the host makes another.
  const next = await executor.run('6 * 7').catch((error) => error);
  if (next.output !== 42) {
    await executor.cleanup();
    const { output } = await executor.run('6 * 7');
    if (output !== 42) reached.push('the next session');
    await send();
  }
  report.push({ name, outcome, reached });
}
await executor.cleanup();
server.close();
rmSync(folder, { recursive: true });
console.log(JSON.stringify(report));

// Runs the programs of escapes.mjs one after the other, and prints how many. What any of them has reached is printed as well.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PyodideExecutor } from '../../lib/python/index.js';
import { ESCAPES } from './escapes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'escapes-'));
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
  mount: false,
  timeoutMs: 1_000,
  allowed_dangerous_builtins: ['eval', 'exec', 'compile', 'open', 'input'],
});
await executor.sendVariables({
  secret_file: join(folder, 'secret'),
  marker,
  command: `id > ${marker}; echo ${marker}`,
  host_pid: process.pid,
  host_port: server.address().port,
});
await executor.sendTools({ echo: (value) => value });
for (const [name, program] of ESCAPES) {
  const told = await executor.run(program).then(
    ({ output, logs }) => [output, logs],
    (error) => [error.message, error.details],
  );
  const text = JSON.stringify(told);
  const found = [secret, 'of the environment', process.version, 'uid='].filter((it) => text.includes(it));
  if (found.length > 0) console.log(`${name}: found ${found}: ${text.slice(0, 500)}`);
  if (existsSync(marker)) console.log(`${name}: has left a file`);
  if (connections > 0) console.log(`${name}: has connected`);
  if (intrinsics() !== before) console.log(`${name}: has changed the host's intrinsics`);
  if (hostErrors.length > 0) console.log(`${name}: ${hostErrors.splice(0)}`);
  rmSync(marker, { force: true });
  connections = 0;
  // A program may break its own session for good; the host makes another.
  const next = await executor.run('6 * 7').catch((error) => error);
  if (next.output === 42) continue;
  await executor.cleanup();
  const { output } = await executor.run('6 * 7');
  if (output !== 42) console.log(`${name}: the next session does not work`);
  await executor.sendVariables({
    secret_file: join(folder, 'secret'),
    marker,
    command: `id > ${marker}`,
    host_pid: process.pid,
    host_port: server.address().port,
  });
  await executor.sendTools({ echo: (value) => value });
}
await executor.cleanup();
server.close();
rmSync(folder, { recursive: true });
console.log(`${ESCAPES.length} programs`);

// `npm run deploy:start`: the broker of broker.conf and one worker on this machine, until it is interrupted. The passwords come
// from secrets.env, the journals are in deploy/data.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { startWorker } from '../scripts/local-fleet.mjs';
import { installBroker } from '../scripts/setup/broker.mjs';
import { fail } from '../scripts/setup/report.mjs';
import { startBroker, stopProgram } from '../scripts/start-broker.mjs';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const [, , secrets = pathOf('secrets.env'), folder = pathOf('data'), port] = process.argv;
if (!existsSync(secrets)) fail(`there is no ${secrets}: run \`npm run deploy:secrets\` first`);
const env = Object.fromEntries(
  readFileSync(secrets, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('=')),
);
const program = await installBroker();
if (program === undefined) process.exit(1);
mkdirSync(folder, { recursive: true, mode: 0o700 });

const onLine = (line) => console.error(line);
const broker = await startBroker(program, { config: pathOf('broker.conf'), port, folder, env, onLine });
let worker;
let isEnding = false;
/** Ends both when one of them has ended or the program is interrupted. */
const end = async (status) => {
  if (isEnding) return;
  isEnding = true;
  process.exitCode = status;
  // The worker drains while it can still reach its clients.
  if (worker !== undefined) await stopProgram(worker);
  await stopProgram(broker.process);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(0));
broker.process.once('exit', () => end(1));
try {
  worker = await startWorker(`nats://worker:${env.SES_WORKER_PASSWORD}@127.0.0.1:${broker.port}`, { onLine });
  worker.once('exit', () => end(1));
  console.log(`the fleet is ready: nats://acme:<SES_ACME_PASSWORD>@127.0.0.1:${broker.port}`);
} catch (error) {
  console.error(error.message);
  await end(1);
}

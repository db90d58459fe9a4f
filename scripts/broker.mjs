// `npm run broker`: installs nats-server and runs it on 127.0.0.1, without accounts, until it is interrupted.
//
//   --port N       default 4222
//   --config FILE  what the file says instead; without `--port`, its address and port too
//   --folder PATH  where journals are kept; default: a temporary folder that is removed at the end

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { installBroker } from './setup/broker.mjs';
import { fail } from './setup/report.mjs';
import { startBroker, stopProgram } from './start-broker.mjs';

const { port: portText, config, folder } = readArguments();
const port = portText === undefined ? undefined : Number(portText);
if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) fail(`${portText} is not a port`);
const program = await installBroker();
if (program === undefined) process.exit(1);

const temporary = folder === undefined && config === undefined ? mkdtempSync(join(tmpdir(), 'ses-broker-')) : undefined;
const removeTemporary = () => temporary !== undefined && rmSync(temporary, { recursive: true, force: true });
try {
  const broker = await startBroker(program, {
    port: port ?? (config === undefined ? 4222 : undefined),
    config,
    folder: folder ?? temporary,
    onLine: (line) => console.error(line),
  });
  console.log(`nats://127.0.0.1:${broker.port}`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopProgram(broker.process));
  broker.process.once('exit', (status) => {
    removeTemporary();
    process.exitCode = status ?? 1;
  });
} catch (error) {
  removeTemporary();
  fail(error.message);
}

function readArguments() {
  try {
    const string = { type: 'string' };
    return parseArgs({ options: { port: string, config: string, folder: string } }).values;
  } catch (error) {
    return fail(error.message);
  }
}

// A real broker for tests: nats-server on 127.0.0.1.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { brokerPath } from '../scripts/setup/broker.mjs';
import { startBroker, stopProgram } from '../scripts/start-broker.mjs';

/**
 * Starts a broker on a free port, with JetStream in a temporary folder.
 *
 * @param options.config the path of a configuration file, which may refer to variables of `options.env`
 * @param options.isKept the caller calls `close()`; otherwise it is closed when the test has finished
 */
export async function openBroker({ config, env, isKept = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ses-broker-'));
  const broker = new Broker({ config, env, folder, port: -1 });
  if (!isKept) onTestFinished(() => broker.close());
  try {
    await broker.start();
  } catch (error) {
    await broker.close();
    throw error;
  }
  return broker;
}

class Broker {
  #options;
  #running;
  #killAtExit = () => this.#running?.process.kill('SIGKILL');

  constructor(options) {
    this.#options = options;
    process.on('exit', this.#killAtExit);
  }

  /** Where clients connect; the same after each restart. */
  get url() {
    return `nats://127.0.0.1:${this.port}`;
  }

  get port() {
    return this.#options.port;
  }

  get pid() {
    return this.#running.process.pid;
  }

  /** The last 200 lines that the broker has logged since its start. */
  get log() {
    return this.#running.log();
  }

  /** Starts it again, on the same port and with the same streams. */
  async start() {
    if (this.#running !== undefined) throw new Error('the broker is running');
    const running = await startBroker(brokerPath(), this.#options);
    this.#running = running;
    this.#options.port = running.port;
  }

  /** Ends it in an orderly way. */
  async stop() {
    if (this.#running !== undefined) await stopProgram(this.#running.process);
    this.#running = undefined;
  }

  /** Kills it: nothing is written any more. */
  async kill() {
    const { process: child } = this.#running;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    this.#running = undefined;
  }

  /** It is silent from now on, with open connections, until `resume()`. */
  pause() {
    this.#running.process.kill('SIGSTOP');
  }

  resume() {
    this.#running.process.kill('SIGCONT');
  }

  /** Ends it and removes its streams. */
  async close() {
    process.off('exit', this.#killAtExit);
    if (this.#running !== undefined) await this.kill();
    rmSync(this.#options.folder, { recursive: true, force: true });
  }
}

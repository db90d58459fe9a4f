// @ts-check
'use strict';

const { spawn } = require('node:child_process');

const { MAX_LINE_BYTES } = require('./messages');
const { StdioTransport } = require('./stdio');
const { clearTimeout, setTimeout } = require('../../contract/clock');

/** Milliseconds that a server has for its end, and then for each signal. */
const GRACE_MS = 2_000;

const isWindows = process.platform === 'win32';

/** Of a signal to all that it has started a shell outlives these, so that none is left for somebody else to wait for. */
const WAIT = 'trap : TERM\n';

/** Those that have not ended: with process groups of their own they outlive this process, however it ends. @type {Set<ChildTransport>} */
const running = new Set();

/** Has all of them end, for a process that ends itself and waits for nothing. */
function endServers() {
  for (const transport of running) transport.terminate();
}
process.on('exit', endServers);

/**
 * The protocol with a server that a shell starts. Not the SDK's own: that one ends the server when a line is too long, and leaves what
 * a shell has started.
 */
class ChildTransport extends StdioTransport {
  #name;
  #child;
  /** Resolves when it is there, and rejects if it cannot be. */
  #spawned;
  /** Resolves when it has ended and all that it has written is read. */
  #closed;

  /** @param {import('./servers').ServerCommand} server */
  constructor({ name, command }) {
    const child = spawn(isWindows ? command : `${WAIT}${command}`, {
      shell: true,
      stdio: ['pipe', 'pipe', 'inherit'],
      windowsHide: true,
      // With a process group of its own all that the shell starts can be ended.
      detached: !isWindows,
    });
    // Where no descriptors are to be had there are no pipes, and an event tells of it besides.
    child.on('error', () => {});
    if (!child.stdout) throw new Error('there are no descriptors left for its pipes');
    super(child.stdout, child.stdin);
    this.#name = name;
    this.#child = child;
    this.#spawned = new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    this.#closed = new Promise((resolve) => child.once('close', resolve));
    running.add(this);
    void this.#closed.then(() => {
      running.delete(this);
      this.onclose?.();
    });
    child.once('exit', () => void this.#endRest());
    // It cannot answer any more.
    child.stdout.once('end', () => void this.close());
    // What is written to one that has ended.
    child.stdin.on('error', (error) => this.onerror?.(error));
  }

  /** How it has ended; undefined: it has not. */
  get ending() {
    const { exitCode, signalCode } = this.#child;
    return signalCode ?? (exitCode === null ? undefined : `exit code ${exitCode}`);
  }

  async start() {
    await this.#spawned;
    await super.start();
  }

  async close() {
    if (this.#child.pid === undefined) return;
    this.#child.stdin.end();
    for (const signal of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
      if (await this.#closesInTime()) return;
      this.#kill(signal);
    }
    await this.#closesInTime();
  }

  /** Asks it, and all that it has started, to end. */
  terminate() {
    this.#kill('SIGTERM');
  }

  /**
   * @protected
   * @override
   * @param {any} refusal
   * @param {boolean} isTooLong
   */
  refuse({ id, error, ...message }, isTooLong) {
    if (isTooLong && id !== null) {
      const text = `the answer of the server ${this.#name} is too long: a line may have ${MAX_LINE_BYTES} bytes`;
      this.onmessage?.({ ...message, id, error: { ...error, message: text } });
    } else {
      this.onerror?.(new Error(error.message));
    }
  }

  /** Ends what a server that has ended has started, which may still hold its output. */
  async #endRest() {
    this.#kill('SIGTERM');
    if (await this.#closesInTime()) return;
    this.#kill('SIGKILL');
    this.#child.stdout.destroy();
  }

  /** @returns {Promise<boolean>} whether it has ended within a moment */
  async #closesInTime() {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, GRACE_MS, false)));
    const isClosed = await Promise.race([this.#closed.then(() => true), late]);
    clearTimeout(timer);
    return isClosed;
  }

  /** @param {NodeJS.Signals} signal */
  #kill(signal) {
    const pid = Number(this.#child.pid);
    if (isWindows) return void this.#child.kill(signal);
    try {
      process.kill(-pid, signal);
    } catch {
      // None of them is left.
    }
  }
}

module.exports = { ChildTransport, endServers };

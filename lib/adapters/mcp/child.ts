import { spawn } from 'node:child_process';

import { StdioTransport } from './stdio';
import { clearTimeout, performance, setTimeout } from '../../contract/clock';
import type { ServerCommand } from './servers';

/** Milliseconds that a server has for its end, and then for each signal. */
const GRACE_MS = 2_000;

/**
 * Messages that nobody has asked for: so many at once, and each second. A server that sends more is read more slowly.
 */
const MAX_UNASKED = 1_000;
/** Characters of a request or notification; nobody here reads longer ones. */
const MAX_UNASKED_CHARS = 64 << 10;
/** Bytes that a server has not read, above which its requests get no answer: each answer would be kept. */
const MAX_UNSENT_BYTES = 1 << 20;
/** Characters of the answer to `initialize`. */
const MAX_FIRST_CHARS = 256 << 10;
/** Characters of the text of an error. */
const MAX_ERROR_CHARS = 64 << 10;

const isWindows = process.platform === 'win32';

/**
 * Of a signal to all that it has started a shell outlives these, so that none is left for somebody else to wait for.
 */
const WAIT = 'trap : TERM\n';

/** Those that have not ended: with process groups of their own they outlive this process, however it ends. */
const running: Set<ChildTransport> = new Set();

/** Has all of them end, for a process that ends itself and waits for nothing. */
export function endServers() {
  for (const transport of running) transport.terminate();
}
process.on('exit', endServers);

/**
 * The protocol with a server that a shell starts. Not the SDK's own: that one ends the server when a line is too long, and leaves what
 * a shell has started.
 */
export class ChildTransport extends StdioTransport {
  #name;
  #child;
  /** Resolves when it is there, and rejects if it cannot be. */
  #spawned;
  /** Resolves when it has ended and all that it has written is read. */
  #closed;
  /** Requests that the server has not answered. */
  #asked: Set<unknown> = new Set();
  #isInitialized = false;
  /** How many more messages it may send unasked, and when that was counted. */
  #unaskedLeft = MAX_UNASKED;
  #countedAt = performance.now();

  constructor({ name, command }: ServerCommand) {
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
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#closesInTime()) return;
      this.#kill(signal);
    }
    await this.#closesInTime();
  }

  /** Asks it, and all that it has started, to end. */
  terminate() {
    this.#kill('SIGTERM');
  }

  async send(message: any) {
    if ('id' in message && 'method' in message) this.#asked.add(message.id);
    if (message.method === 'notifications/cancelled') this.#asked.delete(message.params?.requestId);
    await super.send(message);
  }

  /**
   * @protected
   * @override
   */
  admits(message: any, chars: number) {
    if ('method' in message) {
      const isAnswerable = !('id' in message) || this.unsentBytes <= MAX_UNSENT_BYTES;
      return isAnswerable && chars <= MAX_UNASKED_CHARS;
    }
    if (!this.#asked.delete(message.id)) return false;
    this.#unaskedLeft++;
    if (!this.#isInitialized && chars > MAX_FIRST_CHARS) {
      this.#fail(message.id, `its answer to initialize has more than ${MAX_FIRST_CHARS} characters`);
      return false;
    }
    this.#isInitialized = true;
    if (message.error?.message?.length > MAX_ERROR_CHARS) {
      message.error.message = `${message.error.message.slice(0, MAX_ERROR_CHARS)}...`;
    }
    return true;
  }

  /**
   * @protected
   * @override
   */
  delayAfter(message?: any) {
    // Only what the SDK looks at takes time.
    if (message === undefined) return undefined;
    const now = performance.now();
    this.#unaskedLeft = Math.min(MAX_UNASKED, this.#unaskedLeft - 1 + ((now - this.#countedAt) / 1_000) * MAX_UNASKED);
    this.#countedAt = now;
    return this.#unaskedLeft >= 0 ? undefined : Math.ceil((-this.#unaskedLeft / MAX_UNASKED) * 1_000);
  }

  /**
   * @protected
   * @override
   */
  refuse({ id, error }: any, isUnreadable: boolean) {
    if (!isUnreadable || !this.#asked.delete(id)) return void this.onerror?.(new Error(error.message));
    this.#unaskedLeft++;
    this.#fail(id, error.message.replace(/^the message/, `the answer of the server ${this.#name}`), error.code);
  }

  /** Has a request fail. */
  #fail(id: any, message: string, code: number = -32_600) {
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Ends what a server that has ended has started, which may still hold its output. */
  async #endRest() {
    this.#kill('SIGTERM');
    if (await this.#closesInTime()) return;
    this.#kill('SIGKILL');
    this.#child.stdout.destroy();
  }

  /** @returns whether it has ended within a moment */
  async #closesInTime(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, GRACE_MS, false)));
    const isClosed = await Promise.race([this.#closed.then(() => true), late]);
    clearTimeout(timer);
    return isClosed;
  }

  #kill(signal: NodeJS.Signals) {
    const pid = Number(this.#child.pid);
    if (isWindows) return void this.#child.kill(signal);
    try {
      process.kill(-pid, signal);
    } catch {
      // None of them is left.
    }
  }
}

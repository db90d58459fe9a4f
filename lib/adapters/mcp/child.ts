import { spawn } from 'node:child_process';

import { heldAnswer } from './held-result';
import { passOnErrors } from './server-errors';
import { StdioTransport } from './stdio';
import { UnsolicitedMessages } from './unsolicited-messages';
import { clearTimeout, setTimeout } from '../../contract/clock';
import type { Foreign } from '../../contract/foreign';

/** Milliseconds that a server has to end, and to react to each signal. */
const GRACE_MS = 2_000;

/** Maximum length of a request or notification in characters. Longer ones are ignored. */
const MAX_UNSOLICITED_CHARS = 64 << 10;
/**
 * Maximum number of bytes that a server has not read. Above it, requests of the server are not answered, because each
 * answer would be buffered.
 */
const MAX_UNSENT_BYTES = 1 << 20;
/** Maximum length of the answer to `initialize`, in characters. */
const MAX_FIRST_CHARS = 256 << 10;
/** Maximum length of an error message, in characters. */
const MAX_ERROR_CHARS = 64 << 10;

const isWindows = process.platform === 'win32';

/**
 * The shell survives a signal to its process group longer than its children do. It therefore reaps them, so that no
 * other process must wait for them.
 */
const WAIT = 'trap : TERM\n';

/** Transports whose process has not ended. Each process has its own process group, so it would outlive this process. */
const running: Set<ChildTransport> = new Set();

/** Ends all servers. Used by a process that exits without waiting. */
export function endServers() {
  for (const transport of running) transport.terminate();
}
process.on('exit', endServers);

/**
 * Speaks the protocol with a server that a shell starts. The SDK's transport is not used, because it ends the server
 * when a line is too long and leaves the shell's children running.
 */
export class ChildTransport extends StdioTransport {
  #name;
  #child;
  /** Resolves when the process has started. Rejects if it cannot start. */
  #spawned;
  /** Resolves when the process has ended and its output has been read completely. */
  #closed;
  /** Requests that the server has not answered. */
  #asked: Map<unknown, Foreign> = new Map();
  #isModern;
  #isInitialized = false;
  #unsolicited = new UnsolicitedMessages();

  /** @param server.isModern whether version 2 of the SDK uses the transport */
  constructor({ name, command, isModern }: { name: string; command: string; isModern: boolean }) {
    const child = spawn(isWindows ? command : `${WAIT}${command}`, {
      shell: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // With its own process group, all processes that the shell starts can be ended.
      detached: !isWindows,
    });
    // If no descriptors are available, the pipes are missing and an `error` event is emitted too.
    child.on('error', () => {});
    if (!child.stdout || !child.stderr) throw new Error('there are no descriptors left for its pipes');
    super(child.stdout, child.stdin);
    passOnErrors(name, child.stderr);
    this.#name = name;
    this.#isModern = isModern;
    this.#child = child;
    this.#spawned = new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    this.#closed = new Promise((resolve) => child.once('close', resolve));
    running.add(this);
    void this.#closed.then(() => {
      running.delete(this);
      this.onclose?.();
    });
    child.once('exit', () => void this.#endRest());
    // The server can no longer answer.
    child.stdout.once('end', () => void this.close());
    // Writing to a process that has ended emits an error.
    child.stdin.on('error', (error) => this.onerror?.(error));
  }

  /** How the process ended. Undefined while it runs. */
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

  /** Asks the server and all processes that it started to end. */
  terminate() {
    this.#kill('SIGTERM');
  }

  async send(message: Foreign) {
    if ('id' in message && 'method' in message) this.#asked.set(message.id, pick(message));
    if (message.method === 'notifications/cancelled') this.#asked.delete(message.params?.requestId);
    await super.send(message);
  }

  /**
   * @protected
   * @override
   */
  admits(message: Foreign, chars: number) {
    if ('method' in message) {
      const isAnswerable = !('id' in message) || this.unsentBytes <= MAX_UNSENT_BYTES;
      return isAnswerable && chars <= MAX_UNSOLICITED_CHARS;
    }
    // Some servers answer with the number as a string. The SDK takes that, too.
    const id = this.#asked.has(message.id) ? message.id : Number(message.id);
    const asked = this.#asked.get(id);
    if (!this.#asked.delete(id)) return false;
    this.#unsolicited.answered();
    if (!this.#isInitialized && chars > MAX_FIRST_CHARS) {
      this.#fail(message.id, `its answer to initialize has more than ${MAX_FIRST_CHARS} characters`);
      return false;
    }
    this.#isInitialized = true;
    if (message.error?.message?.length > MAX_ERROR_CHARS) {
      message.error.message = `${message.error.message.slice(0, MAX_ERROR_CHARS)}...`;
    }
    const held = this.#isModern ? heldAnswer(message, asked) : message;
    if (held === message) return true;
    delete message.result;
    Object.assign(message, held);
    return true;
  }

  /**
   * @protected
   * @override
   */
  delayAfter(message?: Foreign) {
    // Only messages that the SDK processes take time.
    if (message === undefined) return undefined;
    const delay = this.#unsolicited.delayAfter();
    if (delay !== undefined) return delay;
    // The SDK handles notifications a moment later. When the answer arrives, it forgets the recipient of progress.
    return message.method === 'notifications/progress' ? 0 : undefined;
  }

  /**
   * @protected
   * @override
   */
  refuse({ id, error }: Foreign, isUnreadable: boolean) {
    if (!isUnreadable || !this.#asked.delete(id)) return void this.onerror?.(new Error(error.message));
    this.#unsolicited.answered();
    this.#fail(id, error.message.replace(/^the message/, `the answer of the server ${this.#name}`), error.code);
  }

  /** Fails a request. */
  #fail(id: Foreign, message: string, code: number = -32_600) {
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Ends the remaining processes of a server that has ended. They may still hold its output open. */
  async #endRest() {
    this.#kill('SIGTERM');
    if (await this.#closesInTime()) return;
    this.#kill('SIGKILL');
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  /** @returns whether the process ended within the grace period */
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
      // All processes of the group have ended.
    }
  }
}

function pick({ id, method }: Foreign) {
  return { id, method };
}

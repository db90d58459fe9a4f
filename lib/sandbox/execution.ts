import { describe } from '../contract/describe';
import { abortController } from '../contract/signals';
import { InvalidCallError, SdkCallError, callLimitExceeded, invalidState } from './errors';
import type { SandboxError } from './errors';
import type { SdkCall } from './api';
import type { ParamsReader } from './params';
import type { RateLimit } from './rate-limits';
import type { Foreign } from '../contract/foreign';

/** Maximum characters shown of a path within a program's result. */
const MAX_SHOWN = 200;

/** The answer to calls whose execution has ended: no caller needs it. */
const never = new Promise(() => {});

export type Adapter = (params: Record<string, unknown>, call: SdkCall) => unknown;

/** state that all executions of one manager share */
export interface Api {
  /** the method, or a message that says why it does not exist */
  methodOf: (source: string, method: string) => { reader: ParamsReader; adapter: Adapter } | string;
  rateLimitOf: (source: string) => RateLimit | undefined;
  /** Declarations of methods. */
  describe: (names: unknown, isAsync: boolean) => string;
  maxSdkCalls: number;
}

/** One execution from the host's side: the calls that it may make, the calls that it has made, and how it ended. */
export class Execution {
  kind;

  #api;
  #context;
  /** Ends the program. */
  #stop = abortController();
  /** The reason why the execution ended; undefined while it runs. */
  #end: { reason: unknown } | undefined;
  /** Created when the first adapter reads its signal. */
  #ended: AbortController | undefined;
  #calls = 0;
  #callsBySource: Map<string, number> = new Map();
  /** Source and method of unanswered calls, as the guest named them. */
  #unanswered: Set<unknown[]> = new Set();
  /** Answers by ticket, until the guest takes them. */
  #answers: Map<number, { value?: unknown; thrown?: { error: unknown } }> = new Map();
  #nextTicket = 1;
  /** Answered tickets that have not been reported to the guest. */
  #done: number[] = [];
  #waiting: ((ticket: number) => void) | undefined;
  /** The failure with which the host ended the execution, if it did. */
  failure: SandboxError | undefined;

  constructor(kind: 'search' | 'execute' | 'mutate', api: Api, context: unknown) {
    this.kind = kind;
    this.#api = api;
    this.#context = context;
  }

  /** Aborted when the program must end. */
  get stop() {
    return this.#stop.signal;
  }

  get isOver() {
    return this.#end !== undefined;
  }

  /** Aborted when the execution ends, for any reason. */
  get signal() {
    if (this.#ended === undefined) {
      this.#ended = abortController();
      if (this.#end !== undefined) this.#ended.abort(reasonOf(this.#end));
    }
    return this.#ended.signal;
  }

  get callsBySource() {
    return Object.fromEntries(this.#callsBySource);
  }

  /** Methods of unanswered calls. */
  get unanswered() {
    return [...new Set([...this.#unanswered].map(([source, method]) => `sdk.${source}.${method}`))];
  }

  /** Ends the execution from the host's side. */
  fail(failure: SandboxError) {
    this.failure ??= failure;
    this.abort(failure);
  }

  /** @param reason from a caller that aborted the execution */
  abort(reason: unknown) {
    this.end(reason);
    this.#stop.abort(reason);
  }

  /** Marks the execution as ended: the program has ended, or must end. */
  end(reason?: unknown) {
    this.#answers.clear();
    if (this.isOver) return;
    this.#end = { reason };
    this.#ended?.abort(reasonOf(this.#end));
  }

  /**
   * Makes one call of the guest.
   *
   * @param text the parameters as JSON
   * @param options.place byte offset of the call in the code
   * @param options.how `{ bytes, wantsResponse }`: where in the parameters bytes are, and whether the program wants
   * more than the body of the answer
   */
  async call(source: unknown, method: unknown, text: unknown, { place, how }: { place?: unknown; how?: unknown } = {}) {
    if (this.isOver) return never;
    // Counts before any step that can fail, so a guest that catches errors gains no extra calls.
    if (++this.#calls > this.#api.maxSdkCalls) {
      this.fail(callLimitExceeded(this.#api.maxSdkCalls));
      return never;
    }
    const at = Number.isInteger(place) ? (place as number) : -1;
    const names = [source, method];
    this.#unanswered.add(names);
    try {
      return await this.#answerOf(source, method, { text, at, how });
    } catch (error) {
      if (this.isOver) return never;
      if (error instanceof InvalidCallError) error.at = at;
      throw error;
    } finally {
      this.#unanswered.delete(names);
    }
  }

  async #answerOf(given: unknown, name: unknown, { text, at, how }: { text: unknown; at: number; how: Foreign }) {
    const { reader, adapter } = this.#methodOf(given, name);
    const [source, method] = [given, name] as string[];
    this.#callsBySource.set(source, (this.#callsBySource.get(source) ?? 0) + 1);
    let params;
    try {
      params = await reader.read(text, { bytes: how?.bytes, signal: this.signal });
    } catch (error) {
      if (this.isOver) return never;
      throw error;
    }
    if (this.isOver) return never;
    const leave = await this.#api.rateLimitOf(source)?.enter(this.signal);
    try {
      const value = await adapter(params, this.#callOf(source, method, how?.wantsResponse === true));
      return this.isOver ? never : value;
    } catch (thrown) {
      throw new SdkCallError(source, method, thrown, at);
    } finally {
      leave?.();
    }
  }

  /** The call information that an adapter receives. */
  #callOf(source: string, method: string, wantsResponse: boolean): SdkCall {
    const signal = () => this.signal;
    return {
      source,
      method,
      context: this.#context,
      ...(wantsResponse && { wantsResponse: true as const }),
      get signal() {
        return signal();
      },
    };
  }

  /** Starts a call whose answer the guest takes later. */
  start(source: unknown, method: unknown, text: unknown, how?: unknown) {
    const ticket = this.#nextTicket++;
    this.call(source, method, text, { how }).then(
      (value) => this.#answer(ticket, { value }),
      (error) => this.#answer(ticket, { thrown: { error } }),
    );
    return ticket;
  }

  /** @returns the next answered ticket */
  next(): Promise<number> | number {
    if (this.#done.length > 0) return this.#done.shift() as number;
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  take(ticket: unknown) {
    const answer = this.#answers.get(ticket as number);
    if (answer === undefined) throw new TypeError('there is no such call');
    this.#answers.delete(ticket as number);
    if (answer.thrown !== undefined) throw answer.thrown.error;
    return answer.value;
  }

  /** Fails the execution because the program's result is not plain data. */
  refuse(path: unknown, what: unknown) {
    if (!this.isOver) this.fail(invalidState([{ path: shown(path), message: `must be data, got ${shown(what)}` }]));
    return never;
  }

  /** Declares methods for the program. */
  describe(names: unknown, isAsync: unknown) {
    return this.isOver ? never : this.#api.describe(names, isAsync === true);
  }

  #answer(ticket: number, answer: { value?: unknown; thrown?: { error: unknown } }) {
    this.#answers.set(ticket, answer);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#done.push(ticket);
    else waiting(ticket);
  }

  #methodOf(source: unknown, method: unknown) {
    // Converting any other value to a string may never finish, for example with arrays that each contain another array
    // twice.
    if (typeof source !== 'string' || typeof method !== 'string') {
      const reason = `there is no method whose name is ${describe(typeof source === 'string' ? method : source)}`;
      throw new InvalidCallError('ERR_UNKNOWN_METHOD', reason, { path: 'sdk' });
    }
    const path = `sdk.${source}.${method}`;
    if (this.kind === 'search') {
      throw new InvalidCallError('ERR_UNKNOWN_METHOD', 'a search has no sdk', { path });
    }
    const found = this.#api.methodOf(source, method);
    if (typeof found === 'string') throw new InvalidCallError('ERR_UNKNOWN_METHOD', found, { path });
    return found;
  }
}

/** @param text of a guest */
function shown(text: unknown) {
  return typeof text === 'string' ? text.slice(0, MAX_SHOWN) : '';
}

function reasonOf({ reason }: { reason: unknown }) {
  return reason ?? new Error('the execution has ended');
}

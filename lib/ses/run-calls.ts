import { RunScope } from '../contract/run-scope';
import { ToolExceptions } from '../contract/tool-exceptions';
import { REPLY_KIND } from '../contract/boundary-numbers';
import { ConcurrencyLimiter } from '../contract/concurrency-limiter';
import { answerToolCall } from '../contract/tool-calls';
import wire = require('./transfer');
import { mayReadNow, readInSlices } from './read-scheduler';
import type { Foreign } from '../contract/foreign';
import type { NativeConnection } from './native-connection';
import type { Answer } from '../contract/tool-calls';
import type { NativeRefusal } from '../../native';

export interface UnreadCall {
  call: number;
  /** of the tool */
  id: number;
  isAsync: boolean;
  /** in the form of the native side */
  args: Foreign;
}

const now = Promise.resolve();

/** Tool calls of one run. Answers that arrive after the end of the run are dropped. */
export class RunCalls {
  #executor;
  #isOver = false;
  #scope = new RunScope();
  /** Calls that the host is working on. */
  #unanswered = 0;
  /** Counts the calls whose tools return promises. */
  #limiter;
  /** Bytes of the arguments of calls that wait for the limiter. */
  #waitingBytes = 0;
  /** Calls whose arguments have not been read yet, in order. */
  #unread: UnreadCall[] = [];
  /** Answers for `NativeExecutor.toolResults` that have not been sent yet. */
  #replies: unknown[] = [];
  #willSend = false;
  /** Those who want to know of an answer whether the guest has room for it, by the number of the call. */
  #told: Map<number, (refusal: string | undefined) => void> = new Map();
  #thrown = new ToolExceptions();

  constructor(executor: NativeConnection) {
    this.#executor = executor;
    this.#limiter = new ConcurrencyLimiter({ maxConcurrent: executor.maxConcurrentToolCalls });
  }

  get unanswered() {
    return this.#unanswered;
  }

  /** @returns the value that the host's tool threw, if it did */
  causeOf(call: number): { cause: unknown } | undefined {
    return this.#thrown.causeOf(call);
  }

  /** Later answers of tools are no longer needed. */
  end() {
    this.#isOver = true;
    this.#limiter.close();
    this.#unread = [];
    this.#replies = [];
    this.#tell(null);
    this.#scope.end();
  }

  /**
   * Calls a tool as soon as its arguments and those of earlier calls are read.
   *
   * @param id of the tool
   * @param args in the form of the native side
   */
  add(call: number, id: number, isAsync: boolean, args: Foreign) {
    if (this.#unread.length === 0 && mayReadNow(args)) {
      this.#begin(call, id, isAsync, wire.readArguments(args), bytesOf(args));
    } else {
      this.#unread.push({ call, id, isAsync, args });
      if (this.#unread.length === 1) void this.#readUnread();
    }
  }

  /** Reads arguments in turns of the event loop, one call after the other, so that tools are called in order. */
  async #readUnread() {
    for (let next = this.#unread[0]; next !== undefined; next = this.#unread[0]) {
      const { call, id, isAsync, args } = next;
      const read = mayReadNow(args)
        ? wire.readArguments(args)
        : await readInSlices(args, this.#scope).catch((error) => ({ error }) as const);
      if (this.#isOver) return;
      this.#unread.shift();
      this.#begin(call, id, isAsync, read, bytesOf(args));
    }
  }

  /** @param bytes of the arguments */
  #begin(call: number, id: number, isAsync: boolean, args: unknown[] | { error: unknown }, bytes: number) {
    const executor = this.#executor;
    const run = executor.runUnderWay();
    // The guest of a run that was ended from outside may still have been about to make a call. The call must have no
    // effect.
    if (run === undefined) return;
    const tool = executor.tools.get(id);
    const recorded = executor.recording?.callOf(call, tool, args);
    const isService = tool?.isService === true;
    if (!isService) this.#unanswered++;
    let isCounted =
      isService || recorded?.given !== undefined
        ? false
        : isAsync || (tool !== undefined && !tool.isBlocking && executor.promising.has(tool.fn));
    const mustWait = isCounted && !this.#limiter.hasRoom;
    // The guest already has a promise.
    let isPromised = false;
    const answer: Answer = {
      wire,
      maxTransferBytes: executor.maxTransferBytes,
      toolTimes: run.toolTimes,
      plan: run.plan,
      scope: this.#scope,
      onToolCall: executor.onToolCall,
      tells: true,
      reply: (status, payload, told) => {
        if (this.#isOver) return told?.(undefined);
        if (told !== undefined) this.#told.set(call, told);
        // Nothing traces services. Answers of tools that wait to be sent are not told yet.
        if (isService) return void executor.native.toolResult(call, status, payload);
        if (status === REPLY_KIND.PROMISE) {
          if (!isCounted) this.#limiter.enterNow();
          isCounted = true;
          if (tool !== undefined) executor.promising.add(tool.fn);
          if (isPromised) return;
        }
        this.#reply(call, status, payload, isAsync || isPromised);
        if (isCounted && status !== REPLY_KIND.PROMISE) this.#limiter.leave();
      },
      onThrown: (thrown) => {
        if (!this.#isOver) this.#thrown.keep(call, thrown);
      },
      recorded: recorded && {
        ...recorded,
        wait: (payload, memo) => {
          if (this.#isOver) return;
          recorded.wait(payload, memo);
          this.#unanswered--;
          if (isCounted) this.#limiter.leave();
        },
      },
    };
    const answerNow = () => run.context.runInAsyncScope(() => answerToolCall(tool, isAsync, args, answer));
    const begin = () => {
      const { recording } = executor;
      if (recording === undefined || !recorded?.isRepeated) return answerNow();
      recording.whenStored(() => {
        if (!recording.hasFailed && !this.#isOver) answerNow();
      });
    };
    if (!mustWait) {
      if (isCounted) this.#limiter.enterNow();
      return begin();
    }
    this.#waitingBytes += bytes;
    this.#limiter.enterLater(() => {
      this.#waitingBytes -= bytes;
      begin();
    });
    if (isAsync) return;
    // Otherwise the guest itself waits, so that the host does not have to keep more arguments.
    isPromised = this.#waitingBytes <= executor.maxTransferBytes;
    if (isPromised) this.#reply(call, REPLY_KIND.PROMISE, undefined, false);
  }

  /**
   * Passes an answer on, together with others of this turn if there may be some.
   *
   * @param canWait whether the guest can go on without the answer for now
   */
  #reply(call: number, status: number, payload: unknown, canWait: boolean) {
    if (status !== REPLY_KIND.PROMISE) this.#unanswered--;
    const isLast = !canWait || this.#unanswered <= 0;
    if (isLast && this.#replies.length === 0) {
      return this.#tell(this.#executor.native.toolResult(call, status, payload));
    }
    this.#replies.push(call, status, payload);
    if (isLast) return this.#sendReplies();
    if (this.#willSend) return;
    this.#willSend = true;
    // After the answers that are ready now.
    now.then(() => {
      this.#willSend = false;
      this.#sendReplies();
    });
  }

  #sendReplies() {
    if (this.#replies.length === 0) return;
    const replies = this.#replies;
    this.#replies = [];
    this.#tell(this.#executor.native.toolResults(replies));
  }

  /** @param refused of the answers that were passed on */
  #tell(refused: NativeRefusal[] | null) {
    if (this.#told.size === 0) return;
    const told = this.#told;
    this.#told = new Map();
    for (const [call, tell] of told) tell(refused?.find((it) => it.call === call)?.message);
  }
}

/**
 * The minimum size of arguments, in the form in which they arrive.
 *
 * @param args serialized bytes, or the values one by one
 */
function bytesOf(args: Foreign) {
  if (ArrayBuffer.isView(args)) return args.byteLength;
  let bytes = 0;
  for (const value of args) bytes += typeof value === 'string' ? value.length : (value?.byteLength ?? 0);
  return bytes;
}

import { WorkBudget, inSlices } from '../contract/budget';
import { setImmediate } from '../contract/clock';
import { ConcurrencyLimiter } from '../contract/concurrency-limiter';
import { wholeCharacters } from '../contract/cut-text';
import { hintOfThrown } from '../contract/hints';
import { RunScope } from '../contract/run-scope';
import { ToolExceptions } from '../contract/tool-exceptions';
import { REPLY_KIND } from '../contract/boundary-numbers';
import { answerToolCall } from '../contract/tool-calls';
import { TRANSFER_LIMIT_CODE, TransferLimitError, errorOf } from '../contract/errors';
import { SlowValueError } from '../ses/slices';
import { Deliveries } from './deliveries';
import { memoryExceeded } from './failures';
import { hintOf } from './hints';
import { decode, decodeSmall, isSmall, wire } from './values';
import type { Foreign } from '../contract/foreign';
import type { Made } from './artifacts';
import type { Loss, Tab } from './tab';
import type { CheckedBrowserOptions } from './options';
import type { Endowments } from './endowments';
import type { Log } from './log';
import type { Failures } from './failures';
import type { AsyncResource } from 'node:async_hooks';
import type { Options } from './values';
import type { ExecutorError } from '../contract/errors';
import type { Answer } from '../contract/tool-calls';
import type { PlanGuard } from '../contract/plan-guard';
import type { Tool } from '../contract/tool-registry';
import type { ToolTimes } from '../contract/tool-times';

/** Size limit of values for display: log entries and errors. The page truncates them first. */
const MAX_SHOWN_BYTES = 4 << 20;
/** Maximum number of requests that are refused or answered by the host. More are treated as a flood. */
const MAX_REQUESTS = 1_000;
/** Each artifact is one or two files, and the run ends only after they are written. */
const MAX_ARTIFACTS = 1_000;
/** UTF-16 units of an answer that are sent in one piece: one or two milliseconds. */
const PIECE_CHARS = 64 << 10;
/** UTF-16 units of an answer to a synchronous call that are sent in one piece: at most 20 milliseconds. */
const ASKED_CHARS = 512 << 10;
/** The cost of a piece in units of work: the clock is read after each one. */
const PIECE_STEPS = 64;

/**
 * How a run has ended: with a value or with an error. `tabAfter` is the state of its page: it no longer executes code
 * of the run, it still does and must be stopped, or it cannot be used again.
 */
export interface Ending {
  output?: unknown;
  isFinal?: boolean;
  error?: ExecutorError;
  /** the error that a tool has thrown */
  cause?: { cause: unknown };
  tabAfter: 'idle' | 'busy' | 'lost';
}

/** A tool that the run has called. */
export interface Called {
  path: string[];
  /** whether the failure lies between the tool and the page, not in the tool */
  isBridge: boolean;
  failure?: { name: string; message: string; code: string | null };
}

/** A call that the page has made. */
export interface Asked {
  call: number;
  /** undefined if the host has revoked it */
  tool: Tool | undefined;
  /** whether the page continues in the meantime */
  isAsync: boolean;
  /** whether the page waits for the host's answer in this turn of the event loop */
  waitsForTurn: boolean;
  /** the arguments, as serialized by the page */
  body: string;
}

/** One run in one tab. It ends once. Later messages from the page are dropped. */
export class Run {
  #id;
  #tab;
  #options;
  #endowments;
  #log;
  #failures;
  #context;
  #end: (ending: Ending) => void = () => {};
  #isOver = false;
  #deliveries = new Deliveries();
  /** The outcome, once the page has answered the questions for hints. */
  #ending: Ending | undefined;
  #scope = new RunScope();
  #requests = 0;
  /** Those that the host has made. */
  #made = { made: 0 };
  /** Bytes of arguments of unanswered calls. */
  #argumentBytes = 0;
  /** Counts asynchronous calls. */
  #limiter;
  /** Answers that have not been sent to the page. */
  #answers: unknown[] = [];
  /** The synchronous call that the page waits for; 0 if there is none. */
  #asking = 0;
  /** The rest of a long answer to that call, which the page asks for. */
  #rest: { kind: string; text: string } | undefined;
  #thrown = new ToolExceptions();
  /** Called tools by call, for failures. */
  #called: Map<number, Called> = new Map();
  /** Unanswered calls for which the guest has a promise. */
  #promised: Map<number, string> = new Map();
  #toolTimes;
  #plan;
  /** Reports whether the time in which the run only waits counts: see `ToolTimes.mayStopClock`. */
  onWaiting: (mayStopClock: boolean) => void = () => {};
  artifacts: Made[] = [];
  #artifactBytes = 0;
  toolCalls = 0;
  heapUsedBytes = 0;
  /** Settles when the run has ended. */
  ended: Promise<Ending>;

  /**
   * @param run.options of the executor
   * @param run.given the variables and tools that the executor was sent
   * @param run.context the asynchronous context of the caller
   */
  constructor({
    id,
    tab,
    options,
    toolTimes,
    plan,
    given,
    log,
    failures,
    context,
  }: {
    id: number;
    tab: Tab;
    options: CheckedBrowserOptions;
    toolTimes: ToolTimes;
    plan: PlanGuard | undefined;
    given: Endowments;
    log: Log;
    failures: Failures;
    context: AsyncResource;
  }) {
    this.#id = id;
    this.#tab = tab;
    this.#options = options;
    this.#limiter = new ConcurrencyLimiter({ maxConcurrent: options.maxConcurrentToolCalls });
    this.#toolTimes = toolTimes;
    this.#plan = plan;
    this.#endowments = given;
    this.#log = log;
    this.#failures = failures;
    this.#context = context;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  start(code: string, order: string) {
    this.#tab.serve({
      onTold: (payload) => this.#deliver(payload, () => this.#onTold(payload)),
      onAsked: (payload) => {
        if (this.#isOver) return this.#tab.refuseCall();
        this.#deliver(payload, () => this.#onAsked(payload));
      },
      onRequest: (request) => this.#context.runInAsyncScope(() => this.#onRequest(request)),
      onGone: (reason) => this.#deliveries.add(() => this.#onGone(reason)),
    });
    this.#tab.run(this.#id, code, order).then(
      (refusal) => refusal && this.settle({ error: this.#failures.refused(refusal), tabAfter: 'idle' }),
      // The tab is lost, and reports the reason itself.
      () => {},
    );
  }

  settle(ending: Ending) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deliveries.end();
    this.#scope.end();
    // The error that was thrown stays the reason, even if the page is lost while it answers questions.
    if (this.#ending !== undefined) ending = { ...this.#ending, tabAfter: ending.tabAfter };
    if (ending.tabAfter !== 'lost') this.#tab.refuseCall();
    if (ending.error === undefined) this.#warnOfDropped();
    this.#end(ending);
  }

  #deliver(payload: string, deliver: () => void | Promise<void>) {
    const { maxTransferBytes, maxArtifactBytes } = this.#options;
    // Sum of all messages that a page is allowed to send while one value is read.
    const maxChars = 2 * (maxTransferBytes + maxArtifactBytes) + MAX_SHOWN_BYTES;
    if (this.#deliveries.chars + payload.length > maxChars) {
      return this.settle({ error: this.#transferLimit(), tabAfter: 'busy' });
    }
    this.#deliveries.add(() => this.#context.runInAsyncScope(deliver), payload.length);
  }

  #onAsked(payload: string) {
    const taking = this.#onTold(payload);
    if (taking !== undefined) return taking.then(() => this.#refuseUnexpectedCall());
    if (this.#isOver) this.#tab.refuseCall();
    this.#refuseUnexpectedCall();
  }

  /** After the end of the run, the end has already refused the call. A waiting call may belong to the next run. */
  #refuseUnexpectedCall() {
    if (!this.#isOver && this.#asking === 0) this.#tab.refuseCall();
  }

  /** @returns never rejects */
  #onTold(payload: string): void | Promise<void> {
    if (this.#isOver || this.#ending !== undefined) return;
    const first = payload.indexOf(',');
    const last = payload.lastIndexOf(',', payload[0] === 'A' ? Infinity : payload.indexOf(',', first + 1));
    if (Number(payload.slice(1, first)) !== this.#id) return;
    const unreadable = (error: unknown) => this.#fail(this.#failures.unreadable(error));
    try {
      return this.#take(payload[0], payload.slice(first + 1, last), payload.slice(last + 1))?.catch(unreadable);
    } catch (error) {
      unreadable(error);
    }
  }

  #take(kind: string, head: string, body: string): void | Promise<void> {
    switch (kind) {
      case 'L':
        return this.#readShown(body, (args) => this.#log.call(head, this.#printed(args)));
      case 'W':
        return this.#readShown(body, (list) => this.#onUnhandled(head.split(';'), list));
      case 'T':
        return this.#onCall(head.split(';').map(Number), body);
      case 'U':
        return this.#onRefusedCall(head.split(';').map(Number));
      case 'N':
        return this.#respondRest();
      case 'A':
        return this.#onArtifact(JSON.parse(head), body);
      case 'X':
        return this.#readShown(body, (thrown) => this.#onThrown(head.split(';').map(Number), thrown));
    }
    this.heapUsedBytes = Number(head) || 0;
    if (kind === 'S') return this.#fail(this.#transferLimit());
    // The code may continue after its final answer.
    const isFinal = kind === 'F';
    return this.#readValue(body, (output) =>
      this.settle({ output, isFinal, tabAfter: isFinal ? 'busy' : 'idle' }),
    )?.catch((error) => {
      if (!(error instanceof SlowValueError)) throw error;
      this.#fail(this.#transferLimit());
    });
  }

  #warnOfDropped() {
    const count = this.#promised.size;
    if (count === 0) return;
    const names = [...new Set(this.#promised.values())].join(', ');
    const were = count === 1 ? 'call was' : 'calls were';
    const way = count === 1 ? '`await` it' : '`await` each, or all together with `await Promise.all([…])`';
    this.#log.add('warn', `${count} tool ${were} not awaited and dropped when the run ended: ${names}; ${way}`);
  }

  #readValue(body: string, take: (value: Foreign) => void) {
    return this.#read(body, { maxBytes: this.#options.maxTransferBytes, stackOf: this.#failures.stackOf }, take);
  }

  #readShown(body: string, take: (value: Foreign) => void) {
    const maxBytes = MAX_SHOWN_BYTES + 8 * this.#options.maxLogBytes;
    return this.#read(body, { maxBytes, stackOf: this.#failures.stackOf, isShown: true }, take);
  }

  /**
   * Passes on a value that the page has serialized. A large value is read in slices. If the run ends in the meantime,
   * the value is dropped.
   * @returns undefined for a small value
   */
  #read(body: string, options: Options, take: (value: Foreign) => void): void | Promise<void> {
    if (isSmall(body)) return take(decodeSmall(body, options));
    return decode(body, options, this.#scope.signal).then(
      (value) => (this.#isOver ? undefined : this.#context.runInAsyncScope(() => take(value))),
      (error) => {
        if (!this.#isOver) throw error;
      },
    );
  }

  #printed(args: Foreign) {
    return Array.isArray(args) ? args.map((arg) => this.#failures.printed(arg)) : args;
  }

  #fail(error: ExecutorError) {
    this.settle({ error, tabAfter: 'idle' });
  }

  #transferLimit() {
    const { maxTransferBytes } = this.#options;
    return errorOf(TRANSFER_LIMIT_CODE, { limit: maxTransferBytes }, { maxTransferBytes, value: 'output' });
  }

  #onThrown([heap, call]: number[], thrown: Foreign) {
    this.heapUsedBytes = heap || 0;
    const called = this.#called.get(call);
    const error = this.#failures.thrown(thrown, called);
    const cause = this.#thrown.causeOf(call);
    if (called !== undefined || !(thrown instanceof Error)) return this.settle({ error, cause, tabAfter: 'idle' });
    const causes = this.#failures.causes(thrown);
    this.#ending = { error, cause, tabAfter: 'idle' };
    void hintOf(error.details, this.#failures.code, this.#endowments, this.#tab, this.#options.origins).then(
      ({ hint, isAnswered }) => {
        const told = hintOfThrown(hint, causes);
        if (told !== undefined) error.details = { ...error.details, hint: told };
        this.settle({ tabAfter: isAnswered ? 'idle' : 'busy' });
      },
    );
  }

  /** @param list of the error */
  #onUnhandled([what, call]: string[], [error]: Foreign) {
    const words = what === 'rejection' ? 'Unhandled promise rejection' : 'Uncaught exception';
    // Errors of tools have their position in the tool.
    const text = Number(call) === 0 ? this.#failures.brief(error) : this.#failures.header(error);
    this.#log.add('warn', `${words}: ${text}`);
  }

  /** @returns whether one more call is allowed */
  #countCall(): boolean {
    const { maxToolCalls } = this.#options;
    this.toolCalls++;
    if (this.toolCalls <= maxToolCalls) return true;
    this.toolCalls = maxToolCalls;
    this.settle({
      error: errorOf('ERR_TOOL_CALL_LIMIT_EXCEEDED', { limit: maxToolCalls }, { maxToolCalls }),
      tabAfter: 'busy',
    });
    return false;
  }

  #onRefusedCall([id, call]: number[]) {
    if (!this.#countCall()) return;
    const tool = this.#endowments.get(id);
    if (tool !== undefined) this.#called.set(call, { path: tool.path, isBridge: true });
  }

  #onCall([id, call, waits]: number[], body: string): void | Promise<void> {
    if (!this.#countCall()) return;
    const tool = this.#endowments.get(id);
    if (tool !== undefined) this.#called.set(call, { path: tool.path, isBridge: false });
    const isAsync = waits !== 1;
    if (waits !== 0) this.#asking = call;
    const { maxTransferBytes } = this.#options;
    if (this.#argumentBytes + body.length > maxTransferBytes) {
      const message = `the arguments of all unanswered calls would take more than maxTransferBytes (${maxTransferBytes})`;
      return this.#reply(call, REPLY_KIND.ERROR, ['RangeError', message, TRANSFER_LIMIT_CODE, true]);
    }
    const asked = { call, tool, isAsync, waitsForTurn: waits === 2, body };
    this.#argumentBytes += body.length;
    this.#toolTimes.begin(tool);
    this.onWaiting(this.#toolTimes.mayStopClock);
    if (isAsync && tool !== undefined) this.#promised.set(call, tool.path.join('.'));
    if (isAsync && !this.#limiter.hasRoom) {
      this.#limiter.enterLater(() => this.#deliveries.add(() => this.#begin(asked)));
      if (asked.waitsForTurn) setImmediate(() => this.#promise(call));
      return;
    }
    if (isAsync) this.#limiter.enterNow();
    return this.#begin(asked);
  }

  /** @returns a promise that must settle before the page's next message is handled */
  #begin(asked: Asked): void | Promise<void> {
    const { call, tool, isAsync, waitsForTurn, body } = asked;
    const { maxTransferBytes, onToolCall } = this.#options;
    const answer: Answer = {
      wire,
      maxTransferBytes,
      scope: this.#scope,
      onToolCall,
      toolTimes: this.#toolTimes,
      plan: this.#plan,
      reply: (status, payload) => {
        if (this.#isOver) return;
        this.#reply(call, status, payload);
        if (status === REPLY_KIND.PROMISE) return;
        this.#argumentBytes -= body.length;
        this.#toolTimes.end(tool);
        this.onWaiting(this.#toolTimes.mayStopClock);
        if (isAsync) this.#limiter.leave();
      },
      onThrown: (thrown) => this.#thrown.keep(call, thrown),
    };
    const start = (values: unknown[] | { error: unknown }) => {
      if (waitsForTurn) setImmediate(() => this.#promise(call));
      this.#context.runInAsyncScope(() => answerToolCall(tool, isAsync, values, answer));
    };
    try {
      return this.#readValue(body, start)?.catch((error) => start({ error }));
    } catch (error) {
      start({ error });
    }
  }

  #reply(call: number, status: number, payload: Foreign) {
    const called = this.#called.get(call);
    if (status === REPLY_KIND.ERROR && called !== undefined) {
      const [name, message, code = null, isBridge] = payload;
      Object.assign(called, { isBridge, failure: { name, message, code } });
    }
    if (status === REPLY_KIND.PROMISE && called !== undefined) {
      this.#endowments.notePromise(called.path);
      this.#promised.set(call, called.path.join('.'));
    } else this.#promised.delete(call);
    const kind = status === REPLY_KIND.ERROR ? 'e' : status === REPLY_KIND.PROMISE ? 'p' : 'v';
    const text = status === REPLY_KIND.ERROR ? JSON.stringify(payload) : (payload ?? '');
    // The first answer to a synchronous call. If it is a promise, a second answer follows.
    if (call === this.#asking) {
      this.#asking = 0;
      if (text.length <= ASKED_CHARS) return this.#tab.respond(kind + text);
      this.#rest = { kind, text };
      return this.#respondRest();
    }
    if (kind === 'v' && text.length > PIECE_CHARS) {
      const budget = new WorkBudget({ parts: Infinity, bytes: Infinity, ms: Infinity });
      inSlices(this.#sending(call, text, budget), budget, this.#scope.signal).catch(() => {});
      return;
    }
    this.#answers.push(call, kind, text);
    // Sent together with other answers of this moment.
    if (this.#answers.length === 3) queueMicrotask(() => this.#sendAnswers());
  }

  /** Sends the next piece of a long answer to a synchronous call. If there is none, the page's question is refused. */
  #respondRest() {
    if (this.#rest === undefined) return;
    const { kind, text } = this.#rest;
    if (text.length <= ASKED_CHARS) {
      this.#rest = undefined;
      return this.#tab.respond(kind + text);
    }
    // No piece ends between the two units of a character: the browser would replace each of them.
    const end = wholeCharacters(text, ASKED_CHARS);
    this.#rest = { kind, text: text.slice(end) };
    this.#tab.respond(`+${text.slice(0, end)}`);
  }

  /** @param call that the page no longer waits for */
  #promise(call: number) {
    if (call !== this.#asking) return;
    this.#asking = 0;
    this.#tab.respond('p');
  }

  /** Sends a long answer in pieces. */
  *#sending(call: number, text: string, budget: WorkBudget) {
    let from = 0;
    for (; text.length - from > PIECE_CHARS; from += PIECE_CHARS) {
      this.#tab.answer([call, '+', text.slice(from, from + PIECE_CHARS)]);
      budget.spend(PIECE_STEPS);
      if (budget.shouldPause) yield;
    }
    this.#tab.answer([call, 'v', text.slice(from)]);
  }

  #sendAnswers() {
    const answers = this.#answers;
    this.#answers = [];
    if (!this.#isOver) this.#tab.answer(answers);
  }

  /** @param request undefined if it was refused */
  #onRequest(request: Foreign) {
    if (++this.#requests > MAX_REQUESTS + this.toolCalls) return this.#flood();
    if (request === undefined) return;
    const warn = (text: string) => this.#isOver || this.#log.add('warn', text);
    const { onRequest, policy } = this.#options;
    this.#tab.requests.answer(request, { onRequest, policy, made: this.#made, warn });
  }

  #flood() {
    const error = errorOf('ERR_TOOL_CALL_LIMIT_EXCEEDED', { limit: MAX_REQUESTS }, { requests: MAX_REQUESTS });
    error.message = `Request limit exceeded (${MAX_REQUESTS})`;
    this.settle({ error, tabAfter: 'lost' });
  }

  #onArtifact(
    {
      name,
      mimeType,
      isGuess,
      width,
      height,
    }: { name: unknown; mimeType: unknown; isGuess?: unknown; width?: unknown; height?: unknown },
    base64: string,
  ) {
    const data = Buffer.from(base64, 'base64');
    this.#artifactBytes += data.length;
    if (this.#artifactBytes > this.#options.maxArtifactBytes) {
      throw new TransferLimitError('the artifacts take more than maxArtifactBytes');
    }
    if (this.artifacts.length === MAX_ARTIFACTS) throw new TransferLimitError('there are too many artifacts');
    const size = typeof width === 'number' && typeof height === 'number' ? { width, height } : {};
    this.artifacts.push({ name: String(name), mimeType: String(mimeType), isGuess: isGuess === true, ...size, data });
  }

  #onGone(reason: Loss) {
    const error = reason === 'full' ? memoryExceeded(this.#options.memoryLimitMb) : this.#failures.gone(reason);
    this.settle({ error, tabAfter: 'lost' });
  }
}

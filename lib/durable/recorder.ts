import { within } from '../contract/current-call';
import { appendEntries, takeEntries } from './entries';
import { storeFailed } from './errors';
import { keyOfCall } from './head';
import type { ExecutorError } from '../contract/errors';
import type { ApprovedByPlan } from '../contract/current-call';
import type { Given, RecordedCall } from '../contract/waiting-call';
import type { RunScope } from '../contract/run-scope';
import type { Tool, ToolRegistry } from '../contract/tool-registry';
import type { Recording, RunLimits } from '../ses/recording';
import type { NativeJournal } from '../../native';
import type { Batch } from './entries';
import type { JournalStore } from './store';
import type { Durability, WaitingCall } from './types';
import type { KeptCalls } from './kept-calls';
import type { Note } from './notes';

/** What happens to a call of a run that continues. */
export interface Continuation {
  /** undefined: the tool is called again */
  given: Given | undefined;
  isApproved: boolean;
  /** whether the plan of the program was approved with it */
  isPlanApproved?: boolean;
  attempt: number;
  /** of a call that goes on waiting */
  waiting?: WaitingCall;
}

export interface RecorderOptions {
  id: string;
  /** what the keys of calls begin with */
  keyPrefix: string;
  journal: NativeJournal;
  /** undefined: nothing is kept */
  store: JournalStore | undefined;
  durability: Durability;
  timeZone: string | undefined;
  isRestored: boolean;
  programs: readonly string[] | undefined;
  /** undefined: no run continues on another worker */
  kept: KeptCalls | undefined;
  /** numbers the tools that the journal knows */
  adopt: (registry: ToolRegistry) => void;
  /** called once, when the store has failed */
  onFailure: () => void;
}

/** The largest payload of a call that waits, as JSON: 64 KiB. */
const MAX_PAYLOAD = 64 << 10;

/**
 * Keeps what the native side records. The native side holds back commands to the guest until they are stored, and
 * reports of the guest are held back here. If the store needs no promise, nothing here does either.
 */
export class Recorder implements Recording {
  readonly journal;
  readonly isRestored;
  readonly timeZone;
  readonly programs;
  readonly kept;
  /** Why nothing more is stored. */
  failure: ExecutorError | undefined;
  /** The calls of the run under way that wait, by the number that the native side knows them by. */
  readonly waiting: Map<number, WaitingCall> = new Map();
  /** What happens to the calls of a run that continues, by their number in the run. */
  continuations: Map<number, Continuation> = new Map();
  /** The tools that the run under way has called. */
  called: { key: string; tool: Tool | undefined }[] = [];
  registry: ToolRegistry | undefined;
  /** Counts a call of the run under way in the plan that somebody has approved. Returns whether it is in the plan. */
  approved: ApprovedByPlan | undefined;
  #options;
  #isStoring = false;
  /** Entries that are stored together by `commit()`, if they are held. */
  #held: { first: number; entries: Uint8Array[] } | undefined;
  #endCalls: (() => void) | undefined;
  /** Works that need what is being stored, and those that need what was recorded since. */
  #covered: (() => void)[] = [];
  #later: (() => void)[] = [];

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.journal = options.journal;
    this.isRestored = options.isRestored;
    this.timeZone = options.timeZone;
    this.programs = options.programs;
    this.kept = options.kept;
  }

  attach(registry: ToolRegistry, endCalls: () => void) {
    this.registry = registry;
    this.#endCalls = endCalls;
    this.#options.adopt(registry);
  }

  flush() {
    if (this.#isStoring || this.failure !== undefined) return;
    const taken = takeEntries(this.journal);
    if (taken === undefined) return;
    const next = taken.first + taken.entries.length;
    let stored;
    try {
      stored = this.#store(taken);
    } catch (error) {
      return this.#fail(error);
    }
    // What the isolate has recorded meanwhile is stored before it is reported.
    if (typeof stored === 'number') return this.journal.written(next);
    this.#isStoring = true;
    this.#covered = this.#later;
    this.#later = [];
    stored.then(
      () => this.#goOn(next),
      (error) => this.#fail(error),
    );
  }

  /** Stores nothing until `commit()`, and then everything together: all or none. */
  hold() {
    this.#held = { first: 0, entries: [] };
  }

  async commit(): Promise<void> {
    this.flush();
    const { first, entries } = this.#held ?? { first: 0, entries: [] };
    this.#held = undefined;
    const { store, id } = this.#options;
    try {
      if (store !== undefined && entries.length > 0) await appendEntries(store, id, first, entries, true);
    } catch (error) {
      this.#fail(error);
    }
    await this.stored();
  }

  get hasFailed() {
    return this.failure !== undefined;
  }

  whenStored(work: () => void) {
    // Pending calls of a session that has ended are settled, too.
    if (this.failure !== undefined) return work();
    this.#later.push(work);
    this.flush();
    if (!this.#isStoring) this.#work();
  }

  callOf(call: number, tool: Tool | undefined, args: unknown[] | { error: unknown }): RecordedCall {
    const [run, number] = this.journal.numbersOf(call);
    const key = keyOfCall(this.#options.keyPrefix, run, number);
    const continuation = this.continuations.get(number);
    this.continuations.delete(number);
    const { given, isApproved, attempt, waiting } = continuation ?? FIRST;
    let attempts = attempt - 1;
    // From now on the call no longer waits: it is in doubt if this process ends.
    const isRepeated = continuation !== undefined && given === undefined;
    if (isRepeated) {
      const isPlanApproved = continuation.isPlanApproved && { isPlanApproved: true };
      this.#note({ attempt: { call: number, attempt, isApproved, ...isPlanApproved } });
    }
    const isKnown = given !== undefined && !('pending' in given);
    if (tool?.isUnrecorded && !isKnown) this.journal.withhold(call);
    const about = { key, attempt, isApproved, isReplay: false };
    const { approved } = this;
    const byPlan: ApprovedByPlan | undefined =
      approved &&
      ((name, values) => {
        const isCovered = approved(name, values);
        if (isCovered) this.note({ planned: { call: number } });
        return isCovered;
      });
    return {
      key,
      given,
      isApproved,
      isRepeated,
      within: <T>(scope: RunScope, work: () => T) => within(about, scope, work),
      perform: <T>(scope: RunScope, work: (scope: RunScope) => T) => {
        attempts = attempt;
        if (!tool?.isService) this.called.push({ key, tool });
        if (tool?.revert !== undefined) this.note({ revertible: { call: number } });
        const perform = (ofCall: RunScope) => within(about, ofCall, () => work(ofCall), byPlan);
        return this.kept === undefined
          ? perform(scope)
          : this.kept.perform([run, number], scope, () => this.isMoving, perform);
      },
      wait: (payload, memo) => {
        const text = waiting === undefined ? textOf(payload) : undefined;
        if (text !== undefined)
          this.#note({ waiting: { call: number, payload: text, attempts, ...(memo !== undefined && { memo }) } });
        const shown = { payload: text === undefined ? undefined : JSON.parse(text).payload, isInDoubt: false };
        this.waiting.set(call, waiting ?? { key, name: nameOf(tool), args: Array.isArray(args) ? args : [], ...shown });
        this.journal.setWaiting([...this.waiting.keys()]);
        this.flush();
      },
    };
  }

  /** A run begins. */
  beginRun(continuations: Map<number, Continuation> = new Map(), approved?: ApprovedByPlan) {
    this.journal.setMovable(this.kept !== undefined);
    this.waiting.clear();
    this.called = [];
    this.approved = approved;
    this.continuations = continuations;
  }

  /**
   * The run under way continues here, after the worker of another isolate was lost. Not another time, so that a program
   * that ends its worker cannot end all.
   */
  takeOver(before: Recorder, continuations: Map<number, Continuation>, approved: ApprovedByPlan | undefined) {
    this.beginRun(continuations, approved);
    this.called = before.called;
    this.journal.setMovable(false);
  }

  /** Whether the worker was lost while the run only waited for answers, and the run may continue on another one. */
  get isMoving() {
    return this.journal.isMoving();
  }

  begun({ timeoutMs, toolTimeoutMs, maxOperations, language }: RunLimits) {
    const limits = Object.entries({ timeoutMs, toolTimeoutMs, maxOperations, language });
    const given = limits.filter(([, value]) => value !== null);
    if (given.length > 0) this.note({ options: Object.fromEntries(given) });
  }

  /** Adds a fact that the replay does not need. */
  note(note: Note) {
    this.#note(note);
    this.flush();
  }

  /** The outcome of a call of the executor. If something cannot be stored, the call fails for that reason. */
  async guard<T>(calling: Promise<T>): Promise<T> {
    try {
      return await calling;
    } catch (error) {
      throw this.failure ?? error;
    }
  }

  /** Settles when everything that was recorded is stored. */
  async stored(): Promise<void> {
    await new Promise<void>((resolve) => this.whenStored(resolve));
    if (this.failure !== undefined) throw this.failure;
  }

  #note(note: Note) {
    this.journal.note(JSON.stringify(note));
  }

  #store({ first, entries, answers, ends }: Batch) {
    const { store, id, durability } = this.#options;
    if (this.#held !== undefined) {
      if (this.#held.entries.length === 0) this.#held.first = first;
      this.#held.entries.push(...entries);
      return first + entries.length;
    }
    if (store === undefined) return first + entries.length;
    const sync = durability === 'call' || ends || (durability === 'turn' && answers);
    return appendEntries(store, id, first, entries, sync);
  }

  #goOn(next: number) {
    this.#isStoring = false;
    this.journal.written(next);
    const covered = this.#covered;
    this.#covered = [];
    for (const work of covered) work();
    this.flush();
    if (!this.#isStoring) this.#work();
  }

  #work() {
    const works = this.#later;
    this.#later = [];
    for (const work of works) work();
  }

  #fail(thrown: unknown) {
    this.#isStoring = false;
    this.failure = storeFailed(thrown);
    const { onFailure } = this.#options;
    const works = [...this.#covered, ...this.#later];
    this.#covered = [];
    this.#later = [];
    onFailure();
    for (const work of works) work();
    this.#endCalls?.();
  }
}

export function nameOf(tool: Tool | undefined) {
  return tool?.path.join('.') ?? '';
}

const FIRST: Continuation = { given: undefined, isApproved: false, attempt: 1 };

/** @throws {TypeError | RangeError} if it cannot be kept */
function textOf(payload: unknown) {
  let text;
  try {
    text = JSON.stringify({ payload });
  } catch (error) {
    throw new TypeError('the payload of waitForAnswer() must be JSON data', { cause: error });
  }
  if (text.length > MAX_PAYLOAD) {
    throw new RangeError(`the payload of waitForAnswer() must take at most ${MAX_PAYLOAD} characters as JSON`);
  }
  return text;
}

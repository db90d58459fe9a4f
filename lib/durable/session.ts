import { randomBytes, createHash } from 'node:crypto';

import { makeDisposable } from '../contract/await-using';
import { performance } from '../contract/clock';
import { describe } from '../contract/describe';
import { ExecutorError, abortedBeforeStart, describeThrown } from '../contract/errors';
import { describeOffer, describePrograms, offerOf, programsOf } from '../contract/executor';
import { REFUSALS, invalidState } from '../contract/lifecycle';
import { checkPlan } from '../contract/plan-guard';
import { checkSignal, objectOf, record } from '../contract/options';
import { recovered } from '../contract/readiness';
import { SharedStartup } from '../contract/shared-startup';
import { flattenTools, refuseNoTools } from '../contract/tool-registry';
import { RunScope } from '../contract/run-scope';
import { ToolTimes } from '../contract/tool-times';
import { describeTaskPrograms } from '../contract/task-programs';
import { traceRun, untraced } from '../contract/tracing';
import { describeForgetting, describePausedRun, isAnswer, runWaiting } from '../contract/waiting-call';
import { checkDurableOptions, checkId } from './options';
import { appendEntries, appendInSlices, lockSession, readEntries, takeEntries } from './entries';
import { engineDiffers, journalInvalid, limitReached } from './errors';
import { addon, compareHead, executorOptionsWith, headOfRestart, keyPrefixOf, newHead, ownTimeZone } from './head';
import { readHead, versionsOf } from './head';
import { divergenceOf, finishedCalls, historyOf } from './history';
import { makeExecutor, offerWithout } from './isolates';
import { NO_DATA, readPlainData, readingCode, restoring } from './plain-data';
import { NAMING_CODE, NO_PYTHON_DATA, namesIn, readPythonData, readingPython, restoringPython } from './python-data';
import { KeptCalls } from './kept-calls';
import { allWaiting, continuationsOf, openRunOf, planApprovedBy, takenOver } from './plan';
import { approvedByPlan, heldPlanOf, lastPlanned } from './held-plans';
import { Recorder, nameOf } from './recorder';
import { repeatCalls } from './repeats';
import { revertCalls, revertibleCalls } from './reverts';
import { limitedReplay } from './replays';
import { ProgramNotes, endedProgram, noteOf } from './task-programs';
import { journalConflict } from './store';
import type { ApprovedByPlan } from '../contract/current-call';
import type { AwaitUsing } from '../contract/await-using';
import type { KnownPrograms, Offer } from '../contract/executor';
import type { ExecutorOptions, Modules, RunOptions } from '../contract/executor-options';
import type { CodeOutput, DurableState, Executor, ExecutorState, GuestGlobal } from '../contract/executor-types';
import type { Isolation } from '../contract/executor-types';
import type { KnownProgram, TaskProgram, TaskPrograms } from '../contract/task-programs';
import type { Plan } from '../contract/plan';
import type { Tool, ToolRegistry } from '../contract/tool-registry';
import type { Tools } from '../contract/tool-types';
import type { PausedRun } from '../contract/waiting-call';
import type { RunFailure } from '../contract/run-failure';
import type { NativeJournal, NativeJournalContent } from '../../native';
import type { Head } from './head';
import type { DurableOptions } from './options';
import type { Note } from './notes';
import type { OpenRun } from './plan';
import type { PlainData, RestoringStep } from './plain-data';
import type { PythonData } from './python-data';
import type { Answer, Finished, ForkOptions, JournalEntry, LeftOut, Recovery, RevertedCall } from './types';
import type { Stale, Waiting, WaitingCall } from './types';

/** An isolate that continues a journal. */
interface Live {
  executor: ReturnType<typeof makeExecutor>;
  recorder: Recorder;
  /** what the journal had */
  content: NativeJournalContent;
  /** how long its replay took */
  replayMs: number;
  /** the number of runs that the session had when somebody looked last whether it is plain data */
  lookedAt: number | undefined;
}

/** A run that continues in another isolate. */
interface Moved {
  live: Live;
  running: Promise<CodeOutput>;
}

/** How a run goes on. */
interface Continuing {
  signal: AbortSignal | undefined;
  /** of a run that has begun without one */
  plan?: Plan | undefined;
  program?: TaskProgram | undefined;
}

/** A part of another session: only the first runs, and nothing is kept. */
interface View {
  /** absent: all */
  runs?: number;
  /** whether only the replay decides whether this process can offer what the session needs */
  isLenient?: boolean;
  /**
   * whether everything is replayed: without checkpoints, and with the run that has not ended, up to where the journal
   * ends
   */
  isComplete?: boolean;
}

/**
 * An executor whose session outlives its isolate and its process: everything that the session depends on is in a
 * journal, and the session is rebuilt from it without repeating an effect. A program can wait for days for the answer
 * to a tool call.
 *
 * @example
 * ```js
 * const tools = { pay: async (order) => waitForAnswer(order) };
 * const options = { store: fileStore('./sessions'), keys: { sign: secret }, tools };
 * const session = await DurableSession.open('order-7', options);
 * const { calls } = await session.start('await pay({ amount: 10 })'); // calls[0].key is 'order-7/1/1'
 *
 * // In another process, on another day:
 * const later = await DurableSession.open('order-7', options);
 * const { output } = await later.answer({ 'order-7/1/1': { result: 'paid' } });
 * ```
 */
export class DurableSession implements Executor {
  #settings;
  #view: View | undefined;
  #live: Live | undefined;
  /** That of the journal, as it was read last. */
  #head: Head | undefined;
  #opening = new SharedStartup();
  /** Whether the start under way replays a journal. */
  #isReplaying = false;
  /** The run that has not ended and that no isolate works on. */
  #open: OpenRun | undefined;
  #state: 'NEW' | 'DEAD' | 'READY' = 'NEW';
  /** Gives the session free for other hosts. */
  #unlock: (() => void | Promise<void>) | undefined;
  /** Functions that were sent after `open`, by top-level name. */
  #sent: Tools = {};
  /** Those that the guest does not have yet, because a run waits. */
  #unsent: Tools = {};
  #recovery: Recovery | undefined;
  /** Whether the next run is the first one since the session began again. */
  #isRecovered = false;
  /** Grows with `cleanup()`. */
  #epoch = 0;
  /** The last start and the last `cleanup()`, which the next start waits for. */
  #starting: Promise<void> = Promise.resolve();
  #ending: Promise<void> = Promise.resolve();
  /** Runs whose end is not recorded yet, which the next start and `cleanup()` wait for. */
  #settling: Promise<unknown> = Promise.resolve();
  /** The run that a plan was noted for last. */
  #planned = 0;
  /** The notes about programs of tasks, and the isolate that continues the journal with these notes. */
  #programs: { live: Live; notes: ProgramNotes } | undefined;
  /** The runs of programs of tasks. */
  #runs: WeakMap<TaskProgram, number> = new WeakMap();
  /** Reverts under way, which the next start and `cleanup()` wait for. */
  #reverting: Promise<unknown> = Promise.resolve();
  #revertScope = new RunScope();
  /** Answers are given one after the other. `cleanup()` waits for them. */
  #answering: Promise<unknown> = Promise.resolve();

  static {
    describeOffer(this.prototype, (session) => session.#offer);
    describePausedRun(this.prototype, (session) => session.#paused);
    describeTaskPrograms(this.prototype, (session) => session.#taskPrograms);
    describeForgetting(this.prototype, (session) => session.#removeJournal());
    describePrograms(this.prototype, (session) => {
      if (session.language === 'python') return undefined;
      return session.#live === undefined ? session.#unknownPrograms : programsOf(session.#live.executor);
    });
  }

  /**
   * Creates the session, or rebuilds it from its journal. Calls no tool, except for those with `record: "nothing"`: the
   * journal does not have their results.
   *
   * If the session has a run that has not ended, its state is `WAITING`. `waiting` lists the calls that somebody has to
   * decide about. `answer()` continues the run, also without answers if nothing waits.
   *
   * Rejects with `ERR_JOURNAL_CONFLICT`, `ERR_JOURNAL_INVALID`, `ERR_JOURNAL_LIMIT`, `ERR_REPLAY_DIVERGED`,
   * `ERR_REPLAY_ENGINE` or `ERR_SES_INIT_FAILED`, and with a `TypeError` or `RangeError` for wrong options.
   *
   * @param id 1 to 80 ASCII letters, digits and characters of `_-.:@/`
   */
  static async open(id: string, options: DurableOptions): Promise<DurableSession> {
    const session = new DurableSession(id, options);
    await session.init();
    return session;
  }

  /**
   * A session that `init()` opens. Use {@link DurableSession.open}.
   *
   * @internal
   */
  constructor(id: string, options: DurableOptions, view?: View) {
    this.#settings = checkDurableOptions(id, options);
    this.#view = view;
    this.#sent = { ...this.#settings.tools };
  }

  get id(): string {
    return this.#settings.id;
  }

  /** The language of guest code. */
  get language(): 'javascript' | 'python' {
    return this.#settings.engine ?? 'javascript';
  }

  /**
   * As for other executors. Also `REPLAYING` while the session is rebuilt, and `WAITING` while a run has not ended that
   * no isolate works on. It is never `DIRTY`: after a run that was lost, the next call rebuilds the session.
   */
  get state(): ExecutorState | DurableState {
    if (this.#opening.isUnderWay) return this.#isReplaying ? 'REPLAYING' : 'INITIALIZING';
    if (this.#open !== undefined) return 'WAITING';
    if (this.#state !== 'READY') return this.#state;
    const state = this.#live?.executor.state;
    return state === 'RUNNING' ? 'RUNNING' : 'READY';
  }

  /** Where the isolate lives. */
  get isolation(): Isolation | { mode: 'host' } | undefined {
    return this.#live?.executor.isolation;
  }

  /** What the session has kept from before it began again with `from: "data"`; undefined if it never did. */
  get recovery(): Recovery | undefined {
    return this.#recovery;
  }

  /** The calls of the waiting run that somebody has to decide about. */
  get waiting(): readonly WaitingCall[] {
    return waitingOf(this.#open);
  }

  /** Opens the session again after `cleanup()`. `open()` has done that for a new object. */
  async init(): Promise<void> {
    if (this.#state === 'READY' && !this.#opening.isUnderWay) {
      if (this.state === 'RUNNING') throw invalidState('RUNNING', 'init', REFUSALS.HAS_ISOLATE);
      return;
    }
    await this.#join();
  }

  /**
   * As for other executors. The variables are kept in the journal. Rejects with `ERR_RUN_WAITING` while a run waits.
   */
  async sendVariables(variables: Record<string, unknown>): Promise<void> {
    const live = this.#readyLive ?? (await this.#ready('sendVariables'));
    await live.recorder.guard(live.executor.sendVariables(variables));
  }

  /**
   * As for other executors. Tools that the session already has only get their functions again, even while a run waits.
   * Other tools reach the guest when no run waits.
   */
  async sendTools(tools: Tools): Promise<void> {
    refuseNoTools(tools);
    const functions = flattenTools(tools);
    const isWaiting = this.#open !== undefined;
    const live = isWaiting ? undefined : (this.#readyLive ?? (await this.#ready('sendTools')));
    const isKnown = live !== undefined && live.recorder.isRestored && live.recorder.registry?.bind(functions);
    if (live !== undefined && !isKnown) await live.recorder.guard(live.executor.sendTools(tools));
    Object.assign(this.#sent, tools);
    if (!isWaiting) return;
    Object.assign(this.#unsent, tools);
    // The rule for a call in doubt is that of its tool.
    if (this.#open !== undefined) this.#open = this.#openRun(this.#open.content);
  }

  /**
   * As for other executors. Every entry of the run is stored before the promise settles.
   *
   * Rejects with `ERR_RUN_WAITING` when the rest of the program waits for somebody; `details.calls` lists the calls.
   * After a run that was ended from outside, or whose worker was lost, the next run finds the state before it, and
   * `details.lostCalls` lists the tools that it had called.
   */
  async run(code: string, options?: RunOptions): Promise<CodeOutput> {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    return traceRun(this, code, () => this.#run(code, options));
  }

  /** As {@link run}, for callers that expect the program to wait: this is a result, and not an error. */
  async start(code: string, options?: RunOptions): Promise<Finished | Waiting> {
    return asResult(this.run(code, options));
  }

  /**
   * Answers calls that wait, all or some of them, by their keys, and continues the run. A call that is not answered
   * goes on waiting. Without any answer, a run continues that was interrupted by the end of its process.
   *
   * Rejects as `run()` would if the program fails.
   *
   * @param options.signal as of `run()`
   * @returns `stale` if none of these calls waits any more
   */
  async answer(
    answers: Record<string, Answer>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Finished | Waiting | Stale> {
    checkAnswers(answers);
    const { signal } = record(options, 'options', ['signal']);
    checkSignal(signal);
    return this.#answerQueued(answers, { signal });
  }

  async #answerQueued(answers: Record<string, Answer>, options: Continuing) {
    const { signal } = options;
    return this.#enqueue('answer', (epoch) => {
      if (signal?.aborted) throw abortedBeforeStart(signal.reason);
      return this.#answer({ ...answers }, options, epoch);
    });
  }

  /** Answers and reverts, one after the other. After `cleanup()`, none of those before it begins. */
  #enqueue<T>(operation: 'answer' | 'revert', begin: (epoch: number) => Promise<T>): Promise<T> {
    const epoch = this.#epoch;
    const work = this.#answering.then(() => {
      this.#refuseAfterCleanup(epoch, operation);
      return begin(epoch);
    });
    this.#answering = work.catch(() => {});
    return work;
  }

  /**
   * Undoes the effects of a run: calls the functions `revert` of its tools for the calls that have finished, the last
   * one first, and each at most once. A run that waits is given up, and the next run finds the state before it. The
   * variables of a run that has ended stay as they are.
   *
   * @param options.run the number of the run, default the last one
   * @returns the calls whose tools have a function `revert`, the last one that finished first
   */
  async revert(options?: { run?: number | undefined }): Promise<RevertedCall[]> {
    const { run } = record(options, 'options', ['run']);
    return this.#enqueue('revert', (epoch) => this.#revert(run, epoch));
  }

  /**
   * Creates another session that has the journal of this one, up to a number of runs. Both continue independently.
   *
   * Rejects with `ERR_JOURNAL_CONFLICT` if the id is in use.
   */
  async fork(id: string, options?: ForkOptions): Promise<DurableSession> {
    checkId(id);
    const { run, seed = 'fresh' } = record(options, 'options', ['run', 'seed']);
    if (seed !== 'fresh' && seed !== 'same') {
      throw new TypeError(`options.seed must be "fresh" or "same", got ${describe(seed)}`);
    }
    if (this.state === 'RUNNING') throw invalidState('RUNNING', 'fork', REFUSALS.BUSY);
    const { store, sign, verify, maxJournalBytes } = this.#settings;
    const { journal, content } = await this.#read();
    const runs = checkRun(run ?? this.#view?.runs ?? content.runs, content.runs, 'options.run');
    const head: Head = {
      ...readHead(content.head),
      created: new Date().toISOString(),
      fork: { id: this.id, run: runs },
    };
    const { NativeJournal } = addon();
    const other = new NativeJournal(id, sign, verify, maxJournalBytes);
    if (!(await journal.copyTo(other, JSON.stringify(head), runs, seed === 'same' ? null : randomBytes(32)))) {
      throw limitReached(maxJournalBytes);
    }
    const unlock = await lockSession(store, id);
    try {
      await appendInSlices(store, id, takeEntries(other)?.entries ?? []);
    } finally {
      await unlock?.();
    }
    const session = new DurableSession(id, this.#options());
    await session.init();
    return session;
  }

  /**
   * The session as it was after a number of runs, to look at it: code runs, nothing is kept, and its code cannot call
   * tools.
   *
   * @param position.run 0 for the state before the first run
   */
  async replayTo(position: { run: number }): Promise<DurableSession> {
    const { run } = record(position, 'position', ['run']);
    const { content } = await this.#read();
    const session = new DurableSession(this.id, this.#options(), { runs: checkRun(run, content.runs, 'position.run') });
    await session.init();
    return session;
  }

  /** The entries of the journal, for people and debuggers. */
  async *history(): AsyncIterable<JournalEntry> {
    const { journal, content } = await this.#read();
    yield* historyOf(this.#keyPrefix, journal, content);
  }

  /** Frees the isolate, and the session for other hosts. The journal is kept: `init()` opens it again. */
  async cleanup(): Promise<void> {
    this.#epoch++;
    this.#opening.forget();
    this.#open = undefined;
    this.#state = 'DEAD';
    const [starting, answering] = [this.#starting, this.#answering];
    this.#revertScope.end();
    this.#ending = (async () => {
      // Ends a replay that is under way.
      if (this.#live !== undefined) await freed(this.#live);
      await Promise.all([starting, answering, this.#settling, this.#reverting]);
      await this.#release();
    })();
    await this.#ending;
  }

  /**
   * Removes the journal, and begins a new one with the same id: what distinguishes its keys must be stored before
   * another process opens the session.
   */
  async #removeJournal() {
    await this.cleanup();
    const { id, store, sign, verify, maxJournalBytes, seed } = this.#settings;
    const head = { ...newHead(this.#settings), reset: randomBytes(4).toString('hex') };
    const journal = new (addon().NativeJournal)(id, sign, verify, maxJournalBytes);
    journal.begin(JSON.stringify(head), seedFrom(seed));
    await store.remove(id);
    const unlock = await lockSession(store, id);
    try {
      await appendInSlices(store, id, takeEntries(journal)?.entries ?? []);
    } finally {
      await unlock?.();
    }
    this.#head = head;
  }

  /** What the keys of calls begin with, as the journal said when it was read last. */
  get #keyPrefix() {
    return keyPrefixOf(this.id, this.#head ?? {});
  }

  async #run(code: string, options: RunOptions | undefined, program?: TaskProgram) {
    const plan = options?.plan && checkPlan(options.plan, 'options.plan');
    const live = this.#readyLive ?? (await this.#ready('run'));
    if (live.executor.state === 'READY') {
      live.recorder.beginRun();
      this.#notePlan(live, plan);
      if (program !== undefined) this.#noteProgram(live, program, code, live.recorder.journal.runs + 1);
    }
    const output = await this.#execute(live, code, plan === undefined ? options : { ...options, plan });
    // Runs of other callers may wait for this one.
    if (this.#readyLive === live && live.executor.state === 'READY' && this.#mayCheckpoint(live)) {
      await this.#join(() => this.#checkpointAfterRun(live));
    }
    return output;
  }

  /** Notes the plan before the run begins, so that no journal has the run without it. */
  #notePlan({ recorder }: Live, plan: Plan | undefined) {
    const run = recorder.journal.runs + 1;
    // A run that has not begun may have left one.
    if (plan === undefined && this.#planned !== run) return;
    this.#planned = run;
    recorder.note({ plan: { run, plan: plan ?? null } });
  }

  /** For adapters whose frameworks run a task again from its start. */
  get #taskPrograms(): TaskPrograms {
    return {
      find: (program, code) => this.#findProgram(program, code),
      run: (program, code, options) => traceRun(this, code, () => this.#run(code, options, program)),
      noteFailure: async (program, code, { failure, logs }) => {
        const [live, run] = [this.#live, this.#runs.get(program)];
        if (live === undefined || live.recorder.hasFailed || run === undefined) return;
        this.#noteProgram(live, program, code, run, { failure, logs, answers: program.answers });
        await live.recorder.stored();
      },
    };
  }

  async #findProgram(program: TaskProgram, code: string): Promise<KnownProgram> {
    const live = this.#readyLive;
    let notes = live !== undefined && this.#programs?.live === live ? this.#programs.notes : undefined;
    let found: Found | undefined;
    if (notes === undefined) {
      await live?.recorder.stored();
      found = await this.#read();
      notes = await ProgramNotes.read(found.journal, found.content);
    }
    if (live !== undefined && live === this.#readyLive) this.#programs = { live, notes };
    const sought = noteOf(program, this, code, 0);
    const open = found?.content.open?.run;
    const isOtherOpen = open !== undefined && notes.isOther(open, sought);
    const note = notes.find(sought);
    if (note === undefined || note.run === open) return { used: note?.used ?? 0, ended: undefined, isOtherOpen };
    found ??= await this.#read();
    return { used: note.used, ended: await endedProgram(found, note, program.answers), isOtherOpen };
  }

  /** Notes the program before its run begins or continues, so that no journal has the run without it. */
  #noteProgram(
    live: Live,
    program: TaskProgram,
    code: string,
    run: number,
    failed?: { failure: RunFailure | undefined; logs: string; answers: number },
  ) {
    this.#runs.set(program, run);
    const note = { ...noteOf(program, this, code, run), ...(failed && { failed }) };
    live.recorder.note({ program: note });
    if (this.#programs?.live === live) this.#programs.notes.add(note);
  }

  /** The isolate, if nothing has to be waited for. */
  get #readyLive() {
    if (this.#opening.isUnderWay || this.#open !== undefined || this.#state !== 'READY') return undefined;
    return this.#live !== undefined && !this.#isLost(this.#live) ? this.#live : undefined;
  }

  async #execute(live: Live, code: string, options: RunOptions | undefined): Promise<CodeOutput> {
    const running = live.recorder.guard(live.executor.run(code, options as object));
    const isFirst = this.#isRecovered;
    this.#isRecovered = false;
    let last = live;
    try {
      const output = await this.#settled(live, running, true).catch(async (error) => {
        if (!live.recorder.isMoving) throw error;
        const moved = await this.#move(live, code, options, error);
        last = moved.live;
        return moved.running;
      });
      return isFirst ? recovered(output) : output;
    } catch (error) {
      if (isFirst && error instanceof ExecutorError) error.details = recovered({ ...error.details });
      throw error;
    } finally {
      if (last !== live) live.recorder.kept?.end(last.recorder.journal.runs);
    }
  }

  /**
   * The outcome of a run, when everything that follows from it is recorded.
   *
   * @param mayMove whether the run may continue on another worker; then nothing follows yet
   */
  async #settled(live: Live, running: Promise<CodeOutput>, mayMove: boolean): Promise<CodeOutput> {
    let end = () => {};
    const ended = new Promise<void>((resolve) => void (end = resolve));
    this.#settling = Promise.all([this.#settling, ended]);
    try {
      // Nobody else waits for this promise: V8 finds the callers of a promise only if there is one.
      return await running;
    } catch (error) {
      throw mayMove && live.recorder.isMoving ? error : await this.#failed(live, error);
    } finally {
      end();
    }
  }

  /**
   * Continues a run on another worker, because its own was lost while the run only waited for answers.
   *
   * @param lost what the run rejects with if it cannot continue
   */
  async #move(live: Live, code: string, options: RunOptions | undefined, lost: unknown): Promise<Moved> {
    const epoch = this.#epoch;
    let moved: Moved | undefined;
    const begin = async () => {
      this.#isReplaying = true;
      try {
        moved = await this.#takeOver(live, code, options, lost, epoch);
      } catch {
        moved = { live, running: handled(this.#settled(live, rejected(lost), false)) };
      } finally {
        this.#isReplaying = false;
      }
    };
    // Another caller may be rebuilding the session already.
    while (moved === undefined && epoch === this.#epoch) await this.#join(begin).catch(() => {});
    return moved ?? { live, running: handled(this.#settled(live, rejected(lost), false)) };
  }

  /** The run begins before other callers learn that the session is ready. */
  async #takeOver(
    { recorder }: Live,
    code: string,
    options: RunOptions | undefined,
    lost: unknown,
    epoch: number,
  ): Promise<Moved> {
    await this.#release();
    await this.#claim();
    const found = await this.#read();
    this.#refuseAfterCleanup(epoch);
    const open = this.#openRun(found.content);
    if (open?.code !== code) throw lost;
    const continuations = takenOver(open.calls, recorder.kept);
    const approved = await approvedByPlan(found, open.approvedPlan, open.planned);
    const plan = await heldPlanOf(found, this.#finder(), options?.plan);
    this.#refuseAfterCleanup(epoch);
    this.#open = undefined;
    try {
      await this.#boot(found, { kept: recorder.kept });
    } catch {
      // The run is undone, as if it had not been waiting.
      found.journal.giveUp();
    }
    const live = this.#live as Live | undefined;
    if (live === undefined) throw lost;
    live.recorder.takeOver(recorder, continuations, approved);
    if (this.#isLost(live)) {
      await live.recorder.stored();
      return { live, running: handled(this.#settled(live, rejected(lost), false)) };
    }
    const running = live.executor.run(code, { ...options, plan, typecheck: 'off' } as object);
    return { live, running: handled(this.#settled(live, live.recorder.guard(running), false)) };
  }

  /** What a run rejects with. */
  async #failed(live: Live, error: unknown) {
    if (!(error instanceof ExecutorError) || live.recorder.hasFailed) return error;
    withDivergence(error, live.recorder.journal, live.content);
    if (error.code === 'ERR_RUN_WAITING') {
      await this.#pause(live);
      error.details = { calls: [...this.waiting] };
    } else if (this.#isLost(live)) {
      const calls = await this.#lostCalls(live);
      error.details = { ...error.details, stateLost: false, lostCalls: calls, undone: undoneText(calls) };
    }
    return error;
  }

  /** What a run that was lost had called. What can be reverted is. */
  async #lostCalls(live: Live) {
    const { called, journal } = live.recorder;
    const reverting = called.some(({ tool }) => tool?.revert !== undefined)
      ? this.#revertCalls(
          journal.runs,
          this.#keeper(journal, () => live.recorder.stored()),
        )
      : [];
    this.#reverting = Promise.resolve(reverting).catch(() => {});
    const reverted = new Map((await reverting).map((call) => [call.key, call]));
    return called
      .filter(({ tool }) => !tool?.isUnrecorded)
      .map(({ key, tool }) => {
        const { status, error } = reverted.get(key) ?? {};
        return { key, name: nameOf(tool), ...(status && { revert: status }), ...(error && { error }) };
      });
  }

  async #revert(run: number | undefined, epoch: number): Promise<RevertedCall[]> {
    if (this.#view !== undefined) throw new TypeError('this is a view of the session: it reverts no calls');
    if (this.#opening.isUnderWay) await this.#join();
    this.#refuseAfterCleanup(epoch, 'revert');
    const { state } = this;
    if (state === 'NEW' || state === 'DEAD') throw invalidState(state, 'revert', REFUSALS.NO_ISOLATE);
    if (state === 'RUNNING') throw invalidState(state, 'revert', REFUSALS.BUSY);
    await this.#reverting;
    this.#refuseAfterCleanup(epoch, 'revert');
    const live = this.#readyLive;
    const work = live === undefined ? this.#revertStored(run, epoch) : this.#revertWith(live, run);
    this.#reverting = work.catch(() => {});
    return work;
  }

  /** Reverts calls of a session that has an isolate, which stays as it is. */
  #revertWith({ recorder }: Live, run: number | undefined) {
    const { runs } = recorder.journal;
    const keep = this.#keeper(recorder.journal, () => recorder.stored());
    return this.#revertCalls(checkRun(run ?? runs, runs, 'options.run'), keep);
  }

  /** The same without an isolate. */
  async #revertStored(run: number | undefined, epoch: number) {
    const { id, store } = this.#settings;
    await this.#claim();
    try {
      this.#refuseAfterCleanup(epoch, 'revert');
      const { journal, content } = await this.#read();
      this.#refuseAfterCleanup(epoch, 'revert');
      const storeTaken = async () => {
        const taken = takeEntries(journal);
        if (taken !== undefined) await appendEntries(store, id, taken.first, taken.entries, true);
      };
      const number = checkRun(run ?? content.runs, content.runs, 'options.run');
      if (content.open?.run === number) {
        journal.giveUp();
        await storeTaken();
        this.#open = undefined;
        await this.#noteWaiting(undefined);
        this.#refuseAfterCleanup(epoch, 'revert');
      }
      return await this.#revertCalls(number, this.#keeper(journal, storeTaken));
    } finally {
      await this.#release();
    }
  }

  /** @param stored settles when everything that the journal has recorded is stored */
  #keeper(journal: NativeJournal, stored: () => Promise<void>) {
    return async (note: Note) => {
      if (!journal.note(JSON.stringify(note))) throw limitReached(this.#settings.maxJournalBytes);
      await stored();
    };
  }

  /** @param note settles when the note is stored, and rejects if it is not */
  async #revertCalls(run: number, note: (note: Note) => Promise<void>): Promise<RevertedCall[]> {
    const functions = flattenTools(this.#sent);
    const scope = (this.#revertScope = new RunScope());
    const times = new ToolTimes(this.#settings.executor.toolTimeoutMs as number | undefined);
    await this.#live?.recorder.stored();
    return revertCalls(await revertibleCalls(this.#keyPrefix, run, this.history()), {
      toolOf: (name) => functions.find((tool) => nameOf(tool) === name),
      limitOf: (tool) => times.limitOf(tool),
      note,
      scope,
    });
  }

  /** Everything that is left of a run waits. No isolate is kept, and other hosts may answer. */
  async #pause(live: Live) {
    const epoch = this.#epoch;
    await live.recorder.stored();
    const { content } = await this.#read();
    if (epoch !== this.#epoch) return;
    const open = (this.#open = this.#openRun(content));
    await this.#release();
    await this.#noteWaiting(open);
  }

  /**
   * Tells the store which run waits. The journal has it already, so a failure only leaves the store's list out of date.
   */
  async #noteWaiting(open: OpenRun | undefined) {
    const { store, id } = this.#settings;
    if (store.noteWaiting === undefined || this.#view !== undefined) return;
    const calls = waitingOf(open).map(({ key, name, isInDoubt }) => ({ key, name, isInDoubt }));
    try {
      await store.noteWaiting(id, open === undefined ? undefined : { calls });
    } catch (error) {
      const { message } = describeThrown(error);
      process.emitWarning(`The list of sessions that wait is not up to date for ${id}: ${message}`, {
        code: 'SES_EXECUTOR_WAITING_LIST',
      });
    }
  }

  /** The isolate, which is rebuilt if it was lost. */
  async #ready(operation: 'run' | 'sendVariables' | 'sendTools'): Promise<Live> {
    for (;;) {
      const { state } = this;
      if (state === 'WAITING') throw runWaiting(this.waiting);
      if (state === 'NEW' || state === 'DEAD') throw invalidState(state, operation, REFUSALS.NO_ISOLATE);
      const live = this.#readyLive;
      if (live !== undefined) return live;
      await this.#join();
    }
  }

  /** The start under way, or another one. */
  #join(begin: () => Promise<void> = () => this.#rebuild()) {
    return this.#opening.join(() => {
      const start = begin();
      this.#starting = start.catch(() => {});
      return start;
    });
  }

  #isLost({ executor }: Live) {
    return executor.state === 'DIRTY' || executor.state === 'DEAD';
  }

  async #rebuild() {
    const epoch = this.#epoch;
    try {
      await this.#ending.catch(() => {});
      // Otherwise they would go on with a journal that this start makes old.
      await this.#settling;
      await this.#reverting;
      await this.#release();
      await this.#claim();
      const found = await this.#read({ usesCheckpoints: !this.#view?.isComplete });
      this.#refuseAfterCleanup(epoch);
      this.#isReplaying = !found.isNew;
      this.#recovery = found.head.recovery;
      if (this.#settings.from === 'data' && !found.isNew) {
        await this.#startFromData(found, epoch);
        this.#state = 'READY';
        return;
      }
      const { variables } = this.#settings;
      if (this.#view === undefined && isUnfinished(found, variables)) {
        await this.#restart(found, epoch, variables === undefined ? [] : [{ variables }], undefined);
        this.#state = 'READY';
        return;
      }
      this.#open = this.#view === undefined ? this.#openRun(found.content) : undefined;
      // It never fails, and needs nothing of the isolate.
      const noted = found.isNew ? undefined : this.#noteWaiting(this.#open);
      // The isolate is made when the run continues.
      if (this.#open !== undefined) await this.#release();
      else await this.#start(found, epoch);
      await noted;
      this.#refuseAfterCleanup(epoch);
      this.#state = 'READY';
    } catch (error) {
      if (epoch === this.#epoch) this.#state = 'DEAD';
      await this.#release().catch(() => {});
      throw error;
    } finally {
      this.#isReplaying = false;
    }
  }

  #refuseAfterCleanup(epoch: number, operation = 'init') {
    if (epoch !== this.#epoch) throw invalidState('DEAD', operation, REFUSALS.CLEANED_UP);
  }

  /** Begins the session again, with the variables that are plain data. */
  async #startFromData(found: Found, epoch: number) {
    const { run, data } = await this.#plainData(found.content, epoch);
    const { names, leftOut, restoring } = data;
    const recovery = { run, names, leftOut };
    await this.#restart(found, epoch, restoring, recovery);
    [this.#recovery, this.#isRecovered, this.#settings.from] = [recovery, true, 'journal'];
  }

  /** Begins the session again. The journal gets everything that makes the new isolate, or nothing of it. */
  async #restart(
    { journal, head, content }: Found,
    epoch: number,
    steps: readonly RestoringStep[],
    recovery: Recovery | undefined,
  ) {
    const next = (this.#head = headOfRestart(head, this.#settings, recovery));
    const { seed } = this.#settings;
    // The same seed would repeat the numbers that the session has drawn.
    journal.restart(JSON.stringify(next), seedFrom(seed === undefined ? undefined : `${seed}/${content.next}`));
    const found = { bytes: 0, journal, head: next, isNew: true, differs: [], content: EMPTY };
    const live = await this.#boot(found, { isHeld: true });
    const { recorder, executor } = live;
    const given = new Set<string>();
    const send = async (names: string[]) => {
      for (const name of names) given.add(name);
      const tools = Object.fromEntries(names.map((name) => [name, this.#sent[name]]));
      if (names.length > 0) await recorder.guard(executor.sendTools(tools));
    };
    for (const step of steps) {
      if ('tools' in step) await send(step.tools.filter((name) => Object.hasOwn(this.#sent, name)));
      else if ('variables' in step) await recorder.guard(executor.sendVariables(step.variables));
      else {
        journal.beginInternal();
        const options = head.engine === 'python' ? undefined : { typecheck: 'off' };
        await recorder.guard(executor.run(step.code, options as object));
      }
    }
    await send(Object.keys(this.#sent).filter((name) => !given.has(name)));
    this.#unsent = {};
    this.#refuseAfterCleanup(epoch);
    await live.recorder.commit();
    return live;
  }

  /**
   * Replaces what took long to replay by the state that it has led to, if that is plain data only, and not too large.
   * Otherwise something would be lost. So it is with modules and globals that have a state. Looks again when the
   * session has twice as many runs.
   *
   * @returns the isolate, if it stays
   */
  async #checkpoint(live: Live, { head, content, bytes }: Found, epoch: number): Promise<Live | undefined> {
    const { runs, tools, withheld } = content;
    const { recorder, executor } = live;
    live.lookedAt = runs;
    const { globals, modules, typecheck = 'off' } = executorOptionsWith(head, this.#settings) as ExecutorOptions;
    // Variables may have results that the journal must not have. Type checks know earlier programs.
    if (withheld.length > 0 || typecheck !== 'off' || globals?.some((group) => STATEFUL.has(group))) return live;
    if (mayHaveImported(modules, content.programs)) return live;
    const names = [...new Set([...tools.map(({ path }) => path[0]), ...Object.keys(this.#sent)])];
    const code = readingCode(names, globals ?? [], this.#roomFor(live, bytes));
    recorder.hold();
    recorder.journal.beginInternal();
    const limits = { maxOperations: Infinity, timeoutMs: this.#settings.replayTimeoutMs };
    // Reading may exceed a limit. Then nothing is replaced.
    const read = await recorder.guard(executor.run(code, limits)).catch(() => undefined);
    const data = read === undefined ? undefined : readPlainData(read.output);
    const isWhole = data?.isWhole && tools.every(({ path }) => Object.hasOwn(this.#sent, path[0]));
    this.#refuseAfterCleanup(epoch);
    if (isWhole) {
      await freed(live);
      const restarted = await this.#restart(await this.#read(), epoch, restoring(data), head.recovery);
      restarted.lookedAt = runs;
      return undefined;
    }
    await recorder.commit();
    if (!this.#isLost(live)) return live;
    await freed(live);
    return this.#boot(await this.#read());
  }

  /**
   * The most bytes that a checkpoint may take. Later runs need room, too. If only the size of what is repeated is
   * large, a checkpoint has to halve it.
   *
   * @param used bytes of the journal
   */
  #roomFor(live: Live, used: number) {
    const [repeated] = live.recorder.journal.repeated();
    const room = (this.#settings.maxJournalBytes - used) / 2;
    return Math.floor(isSlow(live) ? room : Math.min(room, repeated / 2));
  }

  /**
   * Keeps the memory of Python, so that the next replay begins with it. What it cannot hold exactly is replayed. Looks
   * again when the session has twice as many runs.
   */
  async #checkpointMemory(live: Live) {
    const { recorder } = live;
    live.lookedAt = recorder.journal.runs;
    const refusal = await recorder.journal.checkpoint(engineText());
    if (refusal === null) live.replayMs = 0;
    await recorder.stored();
  }

  /** Whether a replay would take long, and it was not shown recently that the session cannot have a checkpoint. */
  #mayCheckpoint(live: Live) {
    const { executor, lookedAt } = live;
    const { journal } = live.recorder;
    if (this.#view !== undefined) return false;
    // The memory of a process of a fleet is not kept.
    if (this.language === 'python' && executor.isolation?.mode === 'remote') return false;
    const isLong = isSlow(live) || journal.repeated()[0] >= CHECKPOINT_BYTES;
    return isLong && (lookedAt === undefined || journal.runs >= 2 * lookedAt);
  }

  /** The same in a session that has just executed a run. If it fails, the next call rebuilds the session. */
  async #checkpointAfterRun(live: Live) {
    const epoch = this.#epoch;
    try {
      await live.recorder.stored();
      if (this.language === 'python') return await this.#checkpointMemory(live);
      const found = await this.#read();
      this.#refuseAfterCleanup(epoch);
      await this.#checkpoint(live, found, epoch);
    } catch {
      // What failed is not part of the run. The state of the session tells.
      if (epoch === this.#epoch) await this.#release().catch(() => {});
    }
  }

  /** The plain variables after the last run whose replay does what the journal says. */
  async #plainData({ runs: all, open, tools }: NativeJournalContent, epoch: number) {
    const known = tools.map(({ path }) => path[0]);
    const names = [...new Set([...known, ...Object.keys(this.#sent)])];
    const gone = [...new Set(known)].filter((name) => !Object.hasOwn(this.#sent, name));
    for (let runs = all; runs >= 0;) {
      const view = new DurableSession(this.id, this.#options(), { runs, isLenient: true });
      try {
        await view.init();
        const data = await this.#kept(view, names);
        data.leftOut.push(...gone.map((name) => ({ name, reason: 'a tool' })));
        return { run: open?.run === runs ? runs - 1 : runs, data };
      } catch (error) {
        const run = error instanceof ExecutorError && isOfReplay(error) ? error.details?.run : undefined;
        if (typeof run !== 'number') throw error;
        runs = Math.min(run, runs) - 1;
      } finally {
        await view.cleanup();
      }
      this.#refuseAfterCleanup(epoch);
    }
    return { run: 0, data: this.language === 'python' ? keptPython(NO_PYTHON_DATA) : kept(NO_DATA) };
  }

  /**
   * The plain variables of a view.
   *
   * @param tools names that are not variables
   */
  async #kept(view: DurableSession, tools: string[]): Promise<Kept> {
    const limits = { maxOperations: Infinity, timeoutMs: this.#settings.replayTimeoutMs };
    const isPython = view.language === 'python';
    const options: RunOptions = isPython ? limits : { ...limits, typecheck: 'off' };
    const read = async (code: string) => (await view.run(code, options)).output;
    if (!isPython) {
      const { globals = [] } = view.#offer;
      return kept(readPlainData(await read(readingCode(tools, globals))));
    }
    const names = namesIn(await read(NAMING_CODE), tools);
    return keptPython(readPythonData(await read(readingPython(names))));
  }

  /**
   * Makes the isolate, with the state that the journal has, and gives it what a new session or a new version of the
   * host adds.
   */
  async #start(found: Found, epoch: number) {
    let live: Live | undefined = await this.#boot(found);
    const { variables } = this.#settings;
    if (!found.isNew && this.#mayCheckpoint(live)) {
      if (this.language === 'python') await this.#checkpointMemory(live);
      else live = await this.#checkpoint(live, found, epoch);
    }
    // Else the session has begun again, with its tools.
    if (live === undefined) return;
    if (found.isNew && variables !== undefined) await live.recorder.guard(live.executor.sendVariables(variables));
    // A view cannot call tools.
    if (this.#view === undefined) await this.#supplement(live, found);
    if (this.#view?.isComplete) await this.#repeatOpenRun(live, found);
  }

  /** Replays the run that has not ended. What it would do after the end of the journal does not count. */
  async #repeatOpenRun(live: Live, found: Found) {
    const open = this.#openRun(found.content);
    if (open === undefined) return;
    const { executor, recorder } = live;
    const plan = await heldPlanOf(found, this.#finder(), undefined);
    recorder.beginRun(allWaiting(open.calls));
    const running = executor.run(open.code, { ...open.options, plan, typecheck: 'off' } as object);
    await recorder.guard(running).catch((error) => {
      if (!(error instanceof ExecutorError)) throw error;
      if (isOfReplay(error)) throw withDivergence(error, recorder.journal, found.content);
    });
  }

  /** Sends tools that the guest does not have yet. */
  async #supplement(live: Live, { isNew, differs, content }: Found) {
    const unsent = isNew ? this.#sent : { ...newTools(this.#sent, content), ...this.#unsent };
    this.#unsent = {};
    const isKnown = !isNew && live.recorder.registry?.bind(flattenTools(unsent));
    if (Object.keys(unsent).length > 0 && !isKnown) await live.recorder.guard(live.executor.sendTools(unsent));
    if (differs.length > 0) live.recorder.note({ engine: newHead(this.#settings).versions });
    await live.recorder.stored();
  }

  /** As {@link #bootWith}. If a checkpoint cannot be restored, everything is repeated. */
  async #boot(found: Found, how: Booting = {}): Promise<Live> {
    const epoch = this.#epoch;
    try {
      return await this.#bootWith(found, how);
    } catch (error) {
      const isOfCheckpoint = error instanceof ExecutorError && error.details?.cause === 'checkpoint';
      if (!isOfCheckpoint || this.#live === undefined) throw error;
      await freed(this.#live);
      Object.assign(found, await this.#read({ usesCheckpoints: false }));
      this.#refuseAfterCleanup(epoch);
      return this.#bootWith(found, how);
    }
  }

  async #bootWith(found: Found, { isHeld = false, kept }: Booting): Promise<Live> {
    const { id, durability, store } = this.#settings;
    const { head, journal, content, isNew } = found;
    const isElsewhere = head.timeZone !== ownTimeZone();
    const options = executorOptionsWith(head, this.#settings);
    if (isElsewhere && options.isolation === 'thread') {
      const reason = `its time zone is ${head.timeZone}, which needs isolation: "process"`;
      throw engineDiffers('timeZone', head.timeZone, ownTimeZone(), reason);
    }
    const recorder: Recorder = new Recorder({
      id,
      keyPrefix: keyPrefixOf(id, head),
      journal,
      store: this.#view === undefined ? store : undefined,
      durability,
      timeZone: isElsewhere ? head.timeZone : undefined,
      isRestored: !isNew,
      programs: content.programs,
      kept: options.isolation === 'remote' ? (kept ?? new KeptCalls()) : undefined,
      adopt: (registry) => this.#adopt(registry, content),
      onFailure: () => {
        if (this.#live?.recorder !== recorder) return;
        this.#state = 'DEAD';
        void this.#release().catch(() => {});
      },
    });
    const place = { ...options, isolation: options.isolation ?? 'process' };
    const executor = untraced(makeExecutor(head.engine, isElsewhere ? place : options, recorder));
    const live: Live = { executor, recorder, content, replayMs: 0, lookedAt: content.lookedAt };
    this.#live = live;
    this.#planned = lastPlanned(journal);
    if (isHeld) recorder.hold();
    try {
      const init = () => recorder.guard(executor.init());
      const scope = new RunScope();
      const epoch = this.#epoch;
      const replay = async () => {
        this.#refuseAfterCleanup(epoch);
        await repeatCalls(keyPrefixOf(id, head), found, { functions: flattenTools(this.#sent), options, scope });
        const began = performance.now();
        if (!scope.isOver) await init();
        live.replayMs = performance.now() - began;
      };
      const stop = () => {
        scope.end();
        void executor.cleanup();
      };
      if (isNew) await init();
      else await limitedReplay(ownerOf(options), this.#settings.replayTimeoutMs, replay, stop);
    } catch (error) {
      throw withDivergence(error, journal, content);
    }
    return live;
  }

  /** Gives the tools that the guest has their functions. */
  #adopt(registry: ToolRegistry, { tools }: Pick<NativeJournalContent, 'tools'>) {
    const toolOf = this.#finder();
    const isView = this.#view !== undefined;
    registry.adopt(
      tools.map(({ id, path, isAsync }) => {
        const refusal = isView ? 'this is a view of the session: it calls no tools' : 'the host has not sent it';
        const known = registry.ownAt(path) ?? toolOf(path);
        return { id, tool: known !== undefined && !isView ? known : placeholder(path, isAsync, refusal) };
      }),
    );
  }

  /** Finds the functions of tools that the host has sent. */
  #finder() {
    const functions = flattenTools(this.#sent);
    return (path: string[]) => functions.find((tool) => isSamePath(tool.path, path));
  }

  #openRun(content: NativeJournalContent) {
    const toolOf = this.#finder();
    const ruleOf = (path: string[]) => {
      const tool = toolOf(path);
      return tool && (tool.inDoubt ?? (tool.isUnrecorded ? 'repeat' : this.#settings.inDoubt));
    };
    return openRunOf(this.#keyPrefix, content, ruleOf);
  }

  /** What code can use. While a run waits there is no isolate. */
  get #offer(): Offer {
    if (this.#live !== undefined) return offerOf(this.#live.executor);
    if (this.#head === undefined) return {};
    const options = executorOptionsWith(this.#head, this.#settings);
    return { ...offerWithout(this.#head.engine, options), tools: flattenTools(this.#sent) };
  }

  get #unknownPrograms(): KnownPrograms {
    const { language, maxCodeBytes } = this.#head === undefined ? {} : executorOptionsWith(this.#head, this.#settings);
    return { texts: undefined, options: { language, maxCodeBytes } as KnownPrograms['options'] };
  }

  /** For adapters, which continue a run by its code. */
  get #paused(): PausedRun | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    return {
      code: open.code,
      calls: this.waiting,
      memos: new Map(open.calls.map(({ key, memo }) => [key, memo])),
      finished: async () => {
        const { journal, content } = await this.#read();
        return finishedCalls(journal, content);
      },
      answer: async (answers, { signal, plan, program }) => {
        checkAnswers(answers);
        const result = await this.#answerQueued(answers, { signal, plan, program });
        if (result.status === 'finished') return result.output;
        if (result.status === 'waiting') throw runWaiting(result.calls);
        throw journalConflict('somebody else has answered these calls');
      },
    };
  }

  async #answer(
    answers: Record<string, Answer>,
    options: Continuing,
    epoch: number,
  ): Promise<Finished | Waiting | Stale> {
    // A call while the run paused may be rebuilding the session.
    if (this.#opening.isUnderWay) await this.#join();
    this.#refuseAfterCleanup(epoch, 'answer');
    if (this.state === 'NEW' || this.state === 'DEAD') throw invalidState(this.state, 'answer', REFUSALS.NO_ISOLATE);
    if (this.#open === undefined) return { status: 'stale' };
    await this.#claim();
    let found: Found;
    let continuations: ReturnType<typeof continuationsOf>;
    let open: OpenRun | undefined;
    let approved: ApprovedByPlan | undefined;
    let plan: Plan | undefined;
    try {
      this.#refuseAfterCleanup(epoch, 'answer');
      // Another host may have continued the run.
      found = await this.#read();
      this.#refuseAfterCleanup(epoch, 'answer');
      open = this.#open = this.#openRun(found.content);
      const calls = open?.calls ?? [];
      continuations = continuationsOf(calls, answers);
      const approvedPlan = planApprovedBy(calls, answers) ?? open?.approvedPlan;
      approved = await approvedByPlan(found, approvedPlan, open?.planned ?? []);
      plan = await heldPlanOf(found, this.#finder(), options.plan);
      this.#refuseAfterCleanup(epoch, 'answer');
    } catch (error) {
      await this.#release();
      throw error;
    }
    const isAnswered = open?.calls.some(({ key }) => Object.hasOwn(answers, key)) ?? false;
    if (open === undefined || (Object.keys(answers).length > 0 && !isAnswered)) {
      await this.#release();
      return { status: 'stale' };
    }
    return this.#continue(found, open, continuations, { ...options, plan, approved }, epoch);
  }

  async #continue(
    found: Found,
    open: OpenRun,
    continuations: ReturnType<typeof continuationsOf>,
    { signal, plan, program, approved }: Continuing & { approved: ApprovedByPlan | undefined },
    epoch: number,
  ) {
    let live: Live;
    try {
      live = await this.#boot(found);
      this.#refuseAfterCleanup(epoch, 'answer');
    } catch (error) {
      this.#open = undefined;
      this.#state = 'DEAD';
      await this.#release().catch(() => {});
      throw error;
    }
    live.recorder.beginRun(continuations, approved);
    if (program !== undefined) this.#noteProgram(live, program, open.code, open.run);
    this.#open = undefined;
    try {
      // The program was checked before it began, and the tools may have other definitions now.
      return await asResult(this.#execute(live, open.code, { ...open.options, signal, plan, typecheck: 'off' }));
    } finally {
      if (this.#readyLive === live) await this.#supplement(live, found);
      // After `cleanup()` the run has not ended.
      const hasEnded = epoch === this.#epoch && this.#open === undefined && !live.recorder.hasFailed;
      if (hasEnded) await this.#noteWaiting(undefined);
    }
  }

  /** Reads and checks the journal. */
  async #read({ usesCheckpoints = true } = {}): Promise<Found> {
    const { id, store, sign, verify, maxJournalBytes, seed } = this.#settings;
    const journal = new (addon().NativeJournal)(id, sign, verify, maxJournalBytes);
    const { count, bytes } = await readEntries(store, id, journal, maxJournalBytes);
    if (count === 0) {
      const head = (this.#head = newHead(this.#settings));
      journal.begin(JSON.stringify(head), seedFrom(seed));
      return { bytes, journal, head, isNew: true, differs: [], content: EMPTY };
    }
    const isRemote = this.#settings.executor.isolation === 'remote';
    const engine = usesCheckpoints && !isRemote && hasMemory(journal) ? engineText() : undefined;
    const content = await journal.load(this.#view?.runs, engine);
    const { flaw } = content;
    if (flaw?.kind === 'limit') throw limitReached(maxJournalBytes);
    if (flaw !== undefined) throw journalInvalid(flaw.kind, flaw.entry, flaw.message);
    const head = (this.#head = readHead(content.head));
    const isLenient = this.#view?.isLenient ?? this.#settings.from === 'data';
    const differs = isLenient ? [] : compareHead(head, this.#settings);
    this.#settings.engine = head.engine;
    if (!content.isSeeded) journal.addSeed(seedFrom(seed));
    return { bytes, journal, head, isNew: false, differs, content };
  }

  /** Claims the session for this host. */
  async #claim() {
    if (this.#view !== undefined || this.#unlock !== undefined) return;
    this.#unlock = await lockSession(this.#settings.store, this.id);
  }

  /** Ends the isolate and releases the session. */
  async #release() {
    const [live, unlock] = [this.#live, this.#unlock];
    this.#live = undefined;
    this.#unlock = undefined;
    try {
      if (live !== undefined) await freed(live);
      // What was recorded is stored before another host may continue.
      if (live !== undefined && !live.recorder.hasFailed) await live.recorder.stored().catch(() => {});
    } finally {
      await unlock?.();
    }
  }

  /** Options for another session of the same kind. */
  #options(): DurableOptions {
    const { store, sign, verify, engine, executor, durability, onEngineChange, inDoubt } = this.#settings;
    const { maxJournalBytes, replayTimeoutMs } = this.#settings;
    const keys = sign === null ? undefined : { sign, verify };
    const limits = { maxJournalBytes, replayTimeoutMs };
    const options = { store, keys, engine, executor, durability, onEngineChange, inDoubt, ...limits };
    const hasTools = this.#settings.tools !== undefined || Object.keys(this.#sent).length > 0;
    return { ...options, ...(hasTools && { tools: this.#sent }) } as DurableOptions;
  }
}
export interface DurableSession extends AwaitUsing {}
makeDisposable(DurableSession.prototype, DurableSession.prototype.cleanup);

/** Ends the isolate. What its end does to a job under way is not recorded. */
async function freed({ executor, recorder }: Live) {
  recorder.journal.close();
  try {
    await executor.cleanup();
  } catch (error) {
    // All calls end if the store fails meanwhile, and this one, too.
    if (!recorder.hasFailed) throw error;
    await executor.cleanup();
  }
}

/** Says what differs, if the replay has failed. */
function withDivergence(error: unknown, journal: NativeJournal, content: NativeJournalContent) {
  if (error instanceof ExecutorError && error.code === 'ERR_REPLAY_DIVERGED') {
    error.details = { ...error.details, ...divergenceOf(journal, content) };
  }
  return error;
}

/** A promise whose rejection may be handled later. */
function handled<T>(promise: Promise<T>) {
  promise.catch(() => {});
  return promise;
}

function rejected(error: unknown): Promise<never> {
  return handled(Promise.reject(error));
}

/** Says which engines can go on with the memory of a session of Python. */
function engineText() {
  return JSON.stringify(versionsOf('python'));
}

/** Whether checkpoints of the session are those of Python. The first entry has not been verified yet. */
function hasMemory(journal: NativeJournal) {
  return journal.entry(0)?.text?.includes('"engine":"python"') === true;
}

function isOfReplay({ code }: ExecutorError) {
  return code === 'ERR_REPLAY_DIVERGED' || code === 'ERR_REPLAY_ENGINE';
}

function ownerOf({ owner }: Record<string, unknown>) {
  return typeof owner === 'string' ? owner : '';
}

/** A journal that was read. */
interface Found {
  /** of all entries */
  bytes: number;
  journal: NativeJournal;
  head: Head;
  /** whether it has no entry yet */
  isNew: boolean;
  /** what differs from the engine that recorded it */
  differs: string[];
  content: NativeJournalContent;
}

/**
 * Whether the process that has made the journal ended before the guest had the variables of a new session. Those of
 * Python begin with its settings: the modules that it may import, and its limits.
 */
function isUnfinished({ isNew, head, journal, content }: Found, variables: unknown) {
  if (isNew || content.runs > 0 || head.recovery !== undefined) return false;
  let missing = (head.engine === 'python' ? 1 : 0) + (variables === undefined ? 0 : 1);
  for (let number = 0; number < content.next && missing > 0; number++) {
    // The end of a job follows directly on its variables.
    if (journal.outline(number)?.type !== 'variables') continue;
    const { type, error } = journal.outline(number + 1) ?? {};
    if (type === 'end' && error === undefined) missing--;
  }
  return missing > 0;
}

/** A replay that takes longer, or repeats more, is worth a checkpoint: 2 s, 16 MiB. */
const CHECKPOINT_MS = 2000;
const CHECKPOINT_BYTES = 16 << 20;

/** Whether the replay takes long, whatever it repeats. */
function isSlow({ recorder, replayMs }: Live) {
  const [, workedMs] = recorder.journal.repeated();
  return replayMs + workedMs >= CHECKPOINT_MS;
}

/** How an isolate is made. */
interface Booting {
  /** whether nothing is stored until all is */
  isHeld?: boolean;
  kept?: KeptCalls | undefined;
}

/** Groups of globals whose state cannot be restored: numbers of timers, and the time since the isolate was made. */
const STATEFUL: ReadonlySet<string> = new Set<GuestGlobal>(['timers', 'performance']);

/**
 * Whether code may have loaded a module that has variables.
 *
 * @param programs what the session has executed; undefined if that is not known
 */
function mayHaveImported(modules: Modules = {}, programs: readonly string[] | undefined) {
  if (!Object.values(modules).some((module) => typeof module === 'string')) return false;
  return programs === undefined || programs.some((code) => /\bimport\b/.test(code));
}

/** What is kept of a session that begins again. */
interface Kept {
  names: string[];
  leftOut: LeftOut[];
  restoring: RestoringStep[];
}

function kept(data: PlainData): Kept {
  const names = data.variables.filter(({ kind }) => kind !== 'tool').map(({ name }) => name);
  return { names, leftOut: data.leftOut, restoring: restoring(data) };
}

function keptPython(data: PythonData): Kept {
  return { names: [...data.variables.keys()], leftOut: data.leftOut, restoring: restoringPython(data) };
}

const EMPTY: NativeJournalContent = {
  replayedBytes: 0,
  head: '',
  next: 0,
  runs: 0,
  isSeeded: true,
  tools: [],
  notes: [],
  withheld: [],
};

function seedFrom(text: string | undefined) {
  return text === undefined ? randomBytes(32) : createHash('sha256').update(text).digest();
}

async function asResult(running: Promise<CodeOutput>): Promise<Finished | Waiting> {
  try {
    return { status: 'finished', output: await running };
  } catch (error) {
    if (!(error instanceof ExecutorError) || error.code !== 'ERR_RUN_WAITING') throw error;
    return { status: 'waiting', calls: (error.details?.calls ?? []) as WaitingCall[] };
  }
}

/** @throws {TypeError} */
function checkAnswers(answers: unknown) {
  for (const [key, answer] of Object.entries(objectOf(answers, 'answers'))) {
    const path = `answers[${JSON.stringify(key)}]`;
    if (isAnswer(objectOf(answer, path))) continue;
    throw new TypeError(`${path} must be { result }, { error: { message } }, { approve: true } or { approve: "plan" }`);
  }
}

/** @throws {TypeError | RangeError} */
function checkRun(run: unknown, runs: number, path: string) {
  if (!Number.isInteger(run)) throw new TypeError(`${path} must be an integer, got ${describe(run)}`);
  if (Number(run) >= 0 && Number(run) <= runs) return Number(run);
  throw new RangeError(`${path} must be from 0 to ${runs}, the number of runs, got ${describe(run)}`);
}

/** The calls of a run that somebody has to decide about. */
function waitingOf(open: OpenRun | undefined): WaitingCall[] {
  return (open?.calls ?? []).flatMap(({ waiting }) => (waiting === undefined ? [] : [waiting]));
}

function isSamePath(one: string[], other: string[]) {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

/** A tool that the guest has and the host does not. */
function placeholder(path: string[], isAsync: boolean, reason: string): Tool {
  const fn = () => {
    throw new Error(`${path.join('.')} cannot be called: ${reason}`);
  };
  return { path, fn, self: undefined, isAsync, isBlocking: false, length: 0 };
}

/** The tools, by top-level names, that a session does not have yet. */
function newTools(tools: Tools, { tools: known }: Pick<NativeJournalContent, 'tools'>): Tools {
  const names = new Set(
    flattenTools(tools)
      .filter(({ path }) => !known.some((other) => isSamePath(other.path, path)))
      .map(({ path }) => path[0]),
  );
  return Object.fromEntries(Object.entries(tools).filter(([name]) => names.has(name)));
}

/** Most calls that a hint names. */
const MAX_NAMES = 8;

/** What a model has to know of a run that was lost. */
function undoneText(called: readonly { name: string; revert?: string }[]) {
  const reverted = namesOf(called.filter(({ revert }) => revert === 'reverted'));
  const others = namesOf(called.filter(({ revert }) => revert !== 'reverted'));
  const effects = [
    ...(called.length === 0 ? ['It had called no tools.'] : []),
    ...(others === '' ? [] : [`It had called ${others}, which may have taken effect.`]),
    ...(reverted === '' ? [] : [`These calls were reverted: ${reverted}.`]),
  ];
  return `The run was undone: the next run finds the variables from before it. ${effects.join(' ')}`;
}

/** The names of calls as text. */
function namesOf(called: readonly { name: string }[]) {
  const counts = new Map<string, number>();
  for (const { name } of called) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].map(([name, count]) => (count === 1 ? `\`${name}\`` : `\`${name}\` (${count} times)`));
  return names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ' and others' : '');
}

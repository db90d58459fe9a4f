// Generated from the items of the addon by scripts/generate.mjs. Do not edit: run `npm run generate`.
// What the addon gives to `lib/`; the public contract is index.d.ts.

/** Findings in the source of a module, before it runs. */
export declare function checkModule(
  code: string,
  specifier: string,
  options: NativePrepareOptions,
): Array<NativeDiagnostic>;

export declare function codeFrame(code: string, line: number, column: number, message: string): string;

export declare function engineStats(): NativeEngineStats;

/** The answers of all workers of a pool, as JSON texts. `timeout_ms`: how long the first answer may take. */
export declare function fleetStatus(fleet: NativeFleet, timeoutMs: number): Promise<string[]>;

/** If `type` is "text", `text` is present. If it is "image", the other fields are. */
export interface NativeBlock {
  type: 'text' | 'image';
  text?: string;
  mimeType?: string;
  data?: string;
}

export interface NativeDiagnostic {
  rule: string;
  severity: 'ERROR' | 'WARNING' | 'INFO';
  message: string;
  line?: number;
  column?: number;
  fix?: string;
}

/** The channel through which the executors of this environment report. */
export declare class NativeDispatcher {
  /**
   * `deliver(executor, kind, ...parts)` is called on the Node.js thread. The kinds and their parts:
   * - 0, settled: call, ending, payload, figures and log
   * - 1, tool calls: for each call its number, tool, isAsync, and the number of arguments with the arguments, or -1
   *   with their serialized bytes
   * - 2, log entries: text, levels, times, lengths
   * - 3: nothing
   */
  constructor(deliver: (executor: number, kind: number, ...parts: any[]) => void);
}

export interface NativeDivergence {
  expected?: NativeJournalEntry;
  actual?: NativeJournalEntry;
}

/**
 * An engine by its name, with its settings. `settings`: values that only the engine reads. `cache`: absolute path of a
 * folder for results that take long to compute.
 */
export interface NativeEngine {
  name: string;
  settings: Record<string, Array<string>>;
  cache?: string;
  folders: Array<NativeFolder>;
}

/** Counters of the process. */
export interface NativeEngineStats {
  live: number;
  warm: number;
  parked: number;
  parkedBytes: number;
  stuck: number;
  stuckBytes: number;
  terminated: number;
}

/** A failure as the fields of `ExecutorError`. `details` is JSON text. */
export interface NativeError {
  code: string;
  severity: string;
  retryable: boolean;
  message: string;
  details: string;
  toolCallId?: number;
}

/** One executor; see `index.d.ts` for the public contract. */
export declare class NativeExecutor {
  /**
   * `number`: identifies the executor in calls of the dispatcher's `deliver`. `isolation`: if absent, isolates live
   * on threads. `engine`: if absent, isolates are hardened realms.
   */
  constructor(
    options: unknown[],
    dispatcher: NativeDispatcher,
    number: number,
    isolation?: NativeIsolation | undefined | null,
    engine?: NativeEngine | undefined | null,
    journal?: NativeJournal | undefined | null,
  );
  get state(): 'NEW' | 'INITIALIZING' | 'READY' | 'RUNNING' | 'DIRTY' | 'DEAD';
  /** The worker process. Undefined while there is none. */
  get worker(): NativeWorker | null;
  init(call: number): NativeOutcome | null;
  /** `payload`: kind and value of each of `names`, or the serialized array of values. */
  sendVariables(call: number, names: Array<string>, payload: unknown[] | Uint8Array): NativeOutcome | null;
  sendTools(call: number, tools: Array<NativeTool>): NativeOutcome | null;
  /**
   * If a limit is null, the executor's limit applies. `limits_calls`: the host answers each tool call within a time
   * limit.
   */
  run(
    call: number,
    code: string,
    maxOperations: number | undefined | null,
    timeoutMs: number | undefined | null,
    limitsCalls: boolean,
    language?: string | undefined | null,
  ): NativeOutcome | null;
  abort(call: number, reason: string): void;
  cleanup(call: number): NativeOutcome | null;
  /**
   * The status is the kind of a value, 4 for the error `[name, message, code, bridge]`, or 5 if the tool returned a
   * promise. Returns whether the guest has no room for the result, and gets an error in its place; null: it has.
   */
  toolResult(call: number, status: number, payload: unknown): Array<NativeRefusal> | null;
  /**
   * Several results together: call, status and payload of each. Returns those for which the guest has no room, as
   * `toolResult`.
   */
  toolResults(replies: unknown[]): Array<NativeRefusal> | null;
}

/** Only fields that apply are present. */
export interface NativeFileDetails {
  truncation?: NativeTruncation;
  diff?: string;
  diffTruncated?: boolean;
  firstChangedLine?: number;
  matchLimitReached?: number;
  linesTruncated?: boolean;
  resultLimitReached?: number;
  leftOut?: NativeLeftOut;
  entryLimitReached?: number;
  stoppedBy?: string;
}

export interface NativeFileLimits {
  maxLines: number;
  maxBytes: number;
  maxImageBytes: number;
  maxFileBytes: number;
  maxResults: number;
  maxEntries: number;
  maxSearchMs: number;
}

/**
 * Either `content` and `details`, or `text`, or `bytes`, or `stat`, or `code` and `message` of an error. `receipt`:
 * present for a large result.
 */
export interface NativeFileOutcome {
  content?: Array<NativeBlock>;
  details?: NativeFileDetails;
  text?: string;
  bytes?: Uint8Array;
  stat?: NativeFileStat;
  code?: string;
  message?: string;
  receipt?: NativeFileReceipt;
}

/** Delays calls while too many results wait to be taken. A collected result counts as taken. */
export declare class NativeFileReceipt {
  /** The result has been taken. */
  sign(): void;
}

/** The file or folder at a path. `modifiedMs`: milliseconds since the Unix epoch. */
export interface NativeFileStat {
  type: 'file' | 'directory' | 'other';
  size: number;
  modifiedMs?: number;
}

/** Ends calls of file tools whose results are no longer needed. */
export declare class NativeFileStop {
  constructor();
  /** From now on, calls that received this object do not start, and their searches end. */
  stop(): void;
}

/** The file tools over one root; see `lib/files/tools.ts` for the public contract. */
export declare class NativeFileTools {
  /**
   * Throws if the root cannot be opened. Each call resolves with its outcome. It rejects only if no thread can be
   * started.
   */
  constructor(root: string, limits: NativeFileLimits);
  read(
    path: string,
    offset: number | undefined | null,
    limit: number | undefined | null,
    stop: NativeFileStop,
  ): Promise<NativeFileOutcome>;
  readText(path: string, stop: NativeFileStop): Promise<NativeFileOutcome>;
  /**
   * Reads a text file that the caller splits immediately, as JSON or into lines. `instead`: what to do with a file
   * of more than `most` bytes, or of too many parts.
   */
  readParts(
    path: string,
    isJson: boolean,
    most: number,
    instead: string,
    stop: NativeFileStop,
  ): Promise<NativeFileOutcome>;
  readBytes(path: string, stop: NativeFileStop): Promise<NativeFileOutcome>;
  stat(path: string, stop: NativeFileStop): Promise<NativeFileOutcome>;
  move(from: string, to: string, overwrite: boolean, stop: NativeFileStop): Promise<NativeFileOutcome>;
  remove(path: string, recursive: boolean, stop: NativeFileStop): Promise<NativeFileOutcome>;
  write(path: string, content: string, stop: NativeFileStop): Promise<NativeFileOutcome>;
  edit(path: string, oldText: string, newText: string, stop: NativeFileStop): Promise<NativeFileOutcome>;
  grep(request: NativeGrep, stop: NativeFileStop): Promise<NativeFileOutcome>;
  find(
    pattern: string,
    path: string | undefined | null,
    limit: number | undefined | null,
    stop: NativeFileStop,
  ): Promise<NativeFileOutcome>;
  ls(
    path: string | undefined | null,
    limit: number | undefined | null,
    stop: NativeFileStop,
  ): Promise<NativeFileOutcome>;
}

/** The fleet whose workers have the processes. `credentials`: path of a file. */
export interface NativeFleet {
  servers: Array<string>;
  pool: string;
  credentials?: string;
}

/** A worker that has not started yet, or serves. */
export declare class NativeFleetWorker {
  constructor(options: NativeFleetWorkerOptions);
  /** Connects and takes sessions. */
  start(): Promise<void>;
  /** Takes no more sessions from now on, waits until those that it has are over, and ends the rest after `grace_ms`. */
  drain(graceMs: number): Promise<void>;
  get stats(): NativeFleetWorkerStats;
}

/** Options of a worker. `sandbox`: the least that each session has. */
export interface NativeFleetWorkerOptions {
  fleet: NativeFleet;
  name: string;
  node: string;
  version: string;
  capacity: number;
  sandbox: string;
  spares: number;
  maxMemoryMb: number;
  offers: Array<NativeOffer>;
}

/** The state of a worker at one moment. */
export interface NativeFleetWorkerStats {
  capacity: number;
  sessions: number;
  opened: number;
  refused: number;
  lost: number;
  sentBytes: number;
  receivedBytes: number;
  isDraining: boolean;
  isConnected: boolean;
  awayMs: number;
}

/**
 * A folder that isolates can access. `root`: absolute path. `list`: name of the file in the folder that lists the code
 * in it.
 */
export interface NativeFolder {
  name: string;
  root: string;
  readOnly: boolean;
  list?: string;
}

export interface NativeGrep {
  pattern: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  literal?: boolean;
  context?: number;
  limit?: number;
}

/** `at` is a position in UTF-16 units. */
export interface NativeInsertion {
  at: number;
  text: string;
}

/**
 * A separate process for each isolate. `environment`: time zone and locale as `NAME=value`. `remote`: if absent, the
 * processes are on this machine.
 */
export interface NativeIsolation {
  sandbox: string;
  spares?: number;
  environment: Array<string>;
  remote?: NativeFleet;
}

export declare class NativeJournal {
  /** `sign`: null, entries carry no code. */
  constructor(id: string, sign: Uint8Array | undefined | null, verify: Array<Uint8Array>, maxBytes: number);
  /** Begins a new journal. */
  begin(head: string, seed: Uint8Array): void;
  /** Adds a seed to a journal without one. */
  addSeed(seed: Uint8Array): void;
  /** Takes the next entry of an existing journal, for `load`. */
  add(entry: Uint8Array): void;
  /**
   * Reads the entries of an existing journal, up to the end of run `runs`. `engine`: checkpoints with this text are
   * used. Nothing else may use the journal meanwhile.
   */
  load(runs?: number | undefined | null, engine?: string | undefined | null): Promise<NativeJournalContent>;
  /**
   * Asks the isolate for its state, and records it: a later replay begins with it if `load` is called with the same
   * `engine`. Resolves to the reason if there is no checkpoint.
   */
  checkpoint(engine: string): Promise<string | null>;
  /** Begins the session again in a journal that was read: what it has until now is not repeated. */
  restart(head: string, seed: Uint8Array): void;
  /** The next run is one of the owner's: it is recorded, and does not count. */
  beginInternal(): void;
  /** Whether a run stays open if its worker is lost while it only waits for answers. */
  setMovable(isMovable: boolean): void;
  /** Whether the worker was lost, and the run under way has stayed open. */
  isMoving(): boolean;
  /** Gives up the run that has not ended. It counts as lost. */
  giveUp(): void;
  /** The result of this call is not kept. In a replay, `provide` has to give it. */
  withhold(call: number): void;
  /**
   * The answer to a call whose result the journal does not have, as of `NativeExecutor.toolResult`. Returns whether
   * it is the one that the call had.
   */
  provide(run: number, call: number, status: number, payload: unknown): boolean;
  /**
   * Writes the entries that were recorded since the last call to `room`, in the form of `Batch::write` in
   * `crates/journal`: to create objects for each of them would take longer than everything else.
   *
   * Returns how many bytes these are, 0 without entries. A negative number: they need as many bytes, and nothing was
   * written.
   */
  take(room: Uint8Array): number;
  /** All entries with a number below `next` are stored. */
  written(next: number): void;
  /** Records nothing more of the isolate, which may still work. What is under way counts as lost. */
  close(): void;
  /** Adds text that the replay ignores. Returns whether it fits. */
  note(text: string): boolean;
  /** These calls wait for somebody. When the guest waits for nothing else, the run ends with ERR_RUN_WAITING. */
  setWaiting(calls: Array<number>): void;
  /** The number of the run under way, and the number of one of its calls, both from 1. */
  numbersOf(call: number): [run: number, call: number];
  /** Runs that were begun. */
  get runs(): number;
  /**
   * What a replay would repeat: bytes of entries, and the milliseconds that the isolate has worked since it was
   * made.
   */
  repeated(): [bytes: number, workedMs: number];
  /**
   * Copies the first `runs` runs of the journal that was read. `seed`: of later runs; null keeps the seed. Returns
   * whether everything fits into `other`. Nothing else may use the two journals meanwhile.
   */
  copyTo(other: NativeJournal, head: string, runs: number, seed?: Uint8Array | undefined | null): Promise<boolean>;
  /**
   * What the entry `number` of a journal that was read says, until its replay ends; null if it is not an entry that
   * this version writes.
   */
  entry(number: number): NativeJournalEntry | null;
  /** The same, with null in place of the results of tools: to create large values takes long. */
  outline(number: number): NativeJournalEntry | null;
  /**
   * The numbers of the entries of a type that belong to run `run`, for `entry`. To find them is cheap: their content
   * is not read.
   */
  find(kind: 'note' | 'call' | 'answers', run: number): Array<number>;
  /** Where a replay has left the journal: what the journal has, and what the isolate did instead. */
  diverged(): NativeDivergence;
}

/**
 * One of `value` and `error` is present, unless a tool that was called synchronously returned a promise, or the result
 * is not kept.
 */
export interface NativeJournalAnswer {
  id: number;
  value?: NativeSuccess;
  error?: NativeToolError;
  isWithheld: boolean;
}

export interface NativeJournalCall {
  /** What answers name. */
  id: number;
  /** The number of the call in its run, from 1. */
  number: number;
  tool: number;
  /** A list of values, or their serialized bytes. */
  args: unknown;
}

/** What a journal holds, or why it cannot be used: then it is empty. */
export interface NativeJournalContent {
  head: string;
  next: number;
  runs: number;
  isSeeded: boolean;
  tools: Array<NativeJournalTool>;
  notes: Array<string>;
  open?: NativeOpenRun;
  programs?: Array<string>;
  /** Calls whose answers the replay needs and the journal does not have, oldest first. */
  withheld: Array<NativeWithheldCall>;
  /** Bytes of the entries that a replay repeats. */
  replayedBytes: number;
  /** The run before the last internal run, if that is not the one with which the session began again. */
  lookedAt?: number;
  flaw?: NativeJournalFlaw;
}

/** What one entry says. Which fields it has depends on `type`. */
export interface NativeJournalEntry {
  type: string;
  run: number;
  /** JSON of a head or a note, the code of a run, or the message of a log entry. */
  text?: string;
  /** The level of a log entry. */
  level?: number;
  /** The time that the guest sees, in milliseconds since the Unix epoch. */
  nowMs?: number;
  /** Names of variables. */
  names?: Array<string>;
  tools?: Array<NativeJournalTool>;
  calls?: Array<NativeJournalCall>;
  answers?: Array<NativeJournalAnswer>;
  /** A job has ended with this value. */
  output?: NativeSuccess;
  error?: NativeError;
}

/** Why a journal cannot be used. */
export interface NativeJournalFlaw {
  kind: 'form' | 'mac' | 'order' | 'limit';
  entry: number;
  message: string;
}

export interface NativeJournalTool {
  id: number;
  path: Array<string>;
  isAsync: boolean;
}

/** Only counts above 0 are present. */
export interface NativeLeftOut {
  ignoredFolders?: number;
  ignoredFiles?: number;
  binaryFiles?: number;
  utf16Files?: number;
  largeFiles?: number;
  unreadable?: number;
}

/** The value at a path on a page: see `LookUp` of crates/hints. */
export interface NativeLookUp {
  kind: string;
  names: Array<string>;
  builtIns: Array<string>;
}

/** An ES module: either `source`, or `names`, `values` (serialized bytes of an array) and `functions`. */
export interface NativeModule {
  specifier: string;
  source?: string;
  names?: Array<string>;
  values?: Uint8Array;
  functions?: Array<NativeTool>;
}

/**
 * An engine that a worker has besides the realm. `digest`: of its code. `packages`: those in its folders, each as
 * `name==version digest`.
 */
export interface NativeOffer {
  engine: NativeEngine;
  digest: string;
  packages: Array<string>;
}

/** A call without an answer. `args`: a list of values, or their serialized bytes. */
export interface NativeOpenCall {
  call: number;
  id: number;
  args: unknown;
}

export interface NativeOpenRun {
  run: number;
  code: string;
  calls: Array<NativeOpenCall>;
}

/** The outcome of a call that was decided immediately. Without `error`: success. */
export interface NativeOutcome {
  error?: NativeError;
}

/** An error that a program on a page has thrown, with facts about the page. */
export interface NativePageError {
  name: string;
  message: string;
  /** The original code. */
  source: string;
  /** The position of the error in the original code. */
  line?: number;
  column?: number;
  /** Tools that return promises. */
  asyncTools: Array<string>;
  /** The page's answer to the question of an earlier [`page_hint`]. */
  found?: NativeLookUp;
}

/**
 * `hint`: what to do about the error. Otherwise, if `member` is present, the page must be asked for the value at
 * `path`, which starts at its global, and for the member of that value.
 */
export interface NativePageHint {
  hint?: string;
  path: Array<string>;
  member?: string;
}

/** What earlier programs have left on a page, for later programs. */
export declare class NativePageHistory {
  /** The history of a new page. */
  constructor();
}

/**
 * `code` is a function without parameters. It returns the value of the program, or a promise of the value. It is empty
 * if the program was refused.
 */
export declare class NativePageProgram {
  get code(): string;
  get diagnostics(): Array<NativeDiagnostic>;
  /** The module whose import was refused. */
  get module(): string | null;
  /** The position in the original code for a position in `code`. Null outside the program. */
  original(line: number, column: number): NativePlace | null;
  /** A message of the browser, in terms of the original program. */
  written(message: string): string;
}

export interface NativePageRequest {
  code: string;
  language: string;
  timeoutMs: number;
  maxCodeBytes: number;
}

/** A position in the original code. Line and column count from 1. The column is in UTF-16 units. */
export interface NativePlace {
  line: number;
  column: number;
}

/**
 * `tools`: the keys from the global to each tool. `earlier`: the programs that the session has run, if they are known.
 * `front`: the name of a function that calls the value of the program.
 */
export interface NativePlanRequest {
  tools: Array<Array<string>>;
  earlier?: Array<string>;
  front?: string;
}

/** The options that VALIDATE and TRANSFORM depend on. */
export interface NativePrepareOptions {
  maxOperations: number;
  timeoutMs: number;
  authorizedImports: Array<string>;
  maxLogBytes: number;
  maxCodeBytes: number;
  language: string;
  globals: Array<string>;
}

/** `transformedCode` is empty if the program was refused. */
export interface NativeProgram {
  transformedCode: string;
  diagnostics: Array<NativeDiagnostic>;
}

/** A result of a tool for which the guest has no room. */
export interface NativeRefusal {
  call: number;
  /** Of the error that the guest gets. */
  message: string;
}

export interface NativeSdkProgram {
  style: 'sync' | 'async';
  insertions: Array<NativeInsertion>;
}

/** `kit`: the global through which insertions reach the preparation of the isolate. */
export interface NativeSdkProgramRequest {
  code: string;
  kit: string;
  kind: 'search' | 'execute' | 'mutate';
  style: 'auto' | 'sync' | 'async';
}

export interface NativeSuccess {
  /** As deliveries have it. */
  value: unknown;
}

/** A host function: `path` leads from the global to it. */
export interface NativeTool {
  path: Array<string>;
  id: number;
  isAsync: boolean;
  length: number;
  isLimited: boolean;
}

export interface NativeToolError {
  name: string;
  message: string;
}

export interface NativeTruncation {
  truncated: boolean;
  truncatedBy: string;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

export interface NativeVersions {
  v8: string;
  icu: string;
}

/** A call whose answer the journal does not have. `args`: as of [`NativeOpenCall`]. */
export interface NativeWithheldCall {
  run: number;
  call: number;
  id: number;
  args: unknown;
  /** The number of the entry. */
  entry: number;
}

/**
 * The process of an isolate, and the parts of its sandbox that are in force. `pid`: present while the process exists
 * on this machine. `worker`, `node`: names of another machine's worker and of that machine.
 */
export interface NativeWorker {
  pid?: number;
  worker?: string;
  node?: string;
  landlock: boolean;
  seccomp: boolean;
}

/** The hint for an error, or the question that the page must answer first. */
export declare function pageHint(error: NativePageError): Promise<NativePageHint>;

/** The plan of a program as JSON. The caller waits. */
export declare function planProgram(code: string, request: NativePlanRequest, options: NativePrepareOptions): string;

/** The same on a thread of the pool. */
export declare function planProgramLater(
  code: string,
  request: NativePlanRequest,
  options: NativePrepareOptions,
): Promise<string>;

/** Prepares a program that a page runs. `history`: for a page that runs several programs. */
export declare function preparePage(
  request: NativePageRequest,
  history?: NativePageHistory | undefined | null,
): Promise<NativePageProgram>;

export declare function prepareProgram(code: string, options: NativePrepareOptions): NativeProgram;

/** Adds to a program the code that it needs to call the SDK. */
export declare function sdkProgram(request: NativeSdkProgramRequest): Promise<NativeSdkProgram>;

export declare function validateCode(code: string, options: NativePrepareOptions): Array<NativeDiagnostic>;

/** The versions of V8 and ICU in the addon. `process.versions` has those of Node.js. */
export declare function versions(): NativeVersions;

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
   * promise.
   */
  toolResult(call: number, status: number, payload: unknown): void;
  /** Several results together: call, status and payload of each. */
  toolResults(replies: unknown[]): void;
}

/** Only fields that apply are present. */
export interface NativeFileDetails {
  truncation?: NativeTruncation;
  diff?: string;
  diffTruncated?: boolean;
  firstChangedLine?: number;
  matchLimitReached?: number;
  linesTruncated?: boolean;
  filesSkipped?: number;
  resultLimitReached?: number;
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

/** A separate process for each isolate. `surroundings`: time zone and locale as `NAME=value`. */
export interface NativeIsolation {
  sandbox: string;
  spares?: number;
  surroundings: Array<string>;
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

/** The options that VALIDATE and TRANSFORM depend on. */
export interface NativePrepareOptions {
  maxOperations: number;
  timeoutMs: number;
  authorizedImports: Array<string>;
  maxLogBytes: number;
  maxCodeBytes: number;
  language: string;
}

/** `transformedCode` is empty if the program was refused. */
export interface NativeProgram {
  transformedCode: string;
  diagnostics: Array<NativeDiagnostic>;
}

export interface NativeSandboxProgram {
  style: 'sync' | 'async';
  insertions: Array<NativeInsertion>;
}

/** `kit`: the global through which insertions reach the sandbox. */
export interface NativeSandboxRequest {
  code: string;
  kit: string;
  kind: 'search' | 'execute' | 'mutate';
  style: 'auto' | 'sync' | 'async';
}

/** A host function: `path` leads from the global to it. */
export interface NativeTool {
  path: Array<string>;
  id: number;
  isAsync: boolean;
  length: number;
  isLimited: boolean;
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

/** The process of an isolate, and the parts of its sandbox that are in force. `pid`: present while the process exists. */
export interface NativeWorker {
  pid?: number;
  landlock: boolean;
  seccomp: boolean;
}

/** The hint for an error, or the question that the page must answer first. */
export declare function pageHint(error: NativePageError): Promise<NativePageHint>;

/** Prepares a program that a page runs. `history`: for a page that runs several programs. */
export declare function preparePage(
  request: NativePageRequest,
  history?: NativePageHistory | undefined | null,
): Promise<NativePageProgram>;

export declare function prepareProgram(code: string, options: NativePrepareOptions): NativeProgram;

/** Adds the parts of a sandbox to a program. */
export declare function sandboxProgram(request: NativeSandboxRequest): Promise<NativeSandboxProgram>;

export declare function validateCode(code: string, options: NativePrepareOptions): Array<NativeDiagnostic>;

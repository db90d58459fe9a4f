/**
 * `ses-executor/browser`: runs agent-written code in a page of a real headless Chrome. The page has the DOM, Canvas,
 * WebGL and the other browser APIs, but no network by default.
 *
 * @packageDocumentation
 */

import type {
  CodeOutput,
  Executor,
  ExecutorError,
  ExecutorState,
  Language,
  LogEntry,
  LogLevel,
  OnToolCall,
  RunOptions,
  Tools,
} from '../../index';

/**
 * The network access of a page. The page itself has no network. This process makes the requests, at most 16 of a page
 * at the same time, and ends them when the page ends. A response may have 32 MiB. All requests and responses of a page
 * that are in progress may have 64 MiB together.
 */
export interface NetworkOptions {
  /**
   * Allowed origins, such as `https://api.example.com`. Redirects to other origins are refused. Unencrypted origins are
   * possible only on this machine, such as `http://localhost:8080`: pages are secure contexts, and Chrome blocks their
   * other unencrypted requests. Default none.
   */
  allow?: readonly string[] | undefined;
  /**
   * Called before each request, including requests that follow redirects. `false` refuses the request. Default: no
   * request is refused.
   */
  onRequest?: ((request: { url: string; method: string; headers: Record<string, string> }) => unknown) | undefined;
}

/** Options of a {@link BrowserExecutor}. All are optional and fixed at construction. */
export interface BrowserExecutorOptions {
  /**
   * `"run"`: each run has its own page, which is closed when the run ends. Nothing of an earlier run is left, including
   * storage and cookies. `"session"`: one page until `cleanup()`, in which variables and functions stay available.
   * Default `"run"`.
   */
  isolation?: 'run' | 'session' | undefined;
  /** Deadline of one run in milliseconds. An integer from 1 to 2,147,483,647; default 30,000. */
  timeoutMs?: number | undefined;
  /** As for `SESExecutor`. Default `"reject"`. */
  runConcurrency?: 'reject' | 'queue' | undefined;
  /** As for `SESExecutor`. Default 0. */
  maxQueuedRuns?: number | undefined;
  /** As for `SESExecutor`. Default 262,144 (256 KiB). */
  maxLogBytes?: number | undefined;
  /** Console levels that are collected. Default all. */
  collectConsoleLevels?: readonly LogLevel[] | undefined;
  /**
   * Memory limit in MiB for the page's process, and separately for the data of pages in the browser's own processes. A
   * run that exceeds it fails with `ERR_MEMORY_LIMIT_EXCEEDED`. Memory is checked every 50 ms, so a page may exceed the
   * limit for a moment. Between the runs of a session it is checked every 500 ms, and the next run fails. Linux only.
   * An integer from 64 to 65,536; default 512.
   */
  memoryLimitMb?: number | undefined;
  /** As for `SESExecutor`. Default 1,048,576 (1 MiB). */
  maxCodeBytes?: number | undefined;
  /** As for `SESExecutor`. Default 1,000. */
  maxToolCalls?: number | undefined;
  /** As for `SESExecutor`. Default 64. */
  maxConcurrentToolCalls?: number | undefined;
  /**
   * Milliseconds within which a tool has to answer a call; see `SESExecutor`. While a run only waits for such tools,
   * only the page's processor time counts against `timeoutMs` (on Linux; elsewhere all elapsed time counts). Default:
   * not limited.
   */
  toolTimeoutMs?: number | undefined;
  /** Maximum UTF-16 units of one value in serialized form. Default 16,777,216 (16 MiB), at most 256 MiB. */
  maxTransferBytes?: number | undefined;
  /** As for `SESExecutor`. Default `false`. */
  autoInit?: boolean | undefined;
  /** As for `SESExecutor`, with `isolation: 'session'`: the next call creates a new page. Default `false`. */
  recover?: boolean | undefined;
  /** As for `SESExecutor`. Default `"auto"`. */
  language?: Language | undefined;
  /** As for `SESExecutor`. */
  onToolCall?: OnToolCall | undefined;
  /** As for `SESExecutor`. */
  onLog?: ((entry: LogEntry) => void) | undefined;
  /**
   * Path of the browser's program. Default: the environment variable CHROME_PATH, else the first in the usual places.
   */
  executablePath?: string | undefined;
  /**
   * Whether Chrome uses its sandbox. Use `false` only for code that you trust like your own; it emits a warning.
   * Default `true`.
   */
  sandbox?: boolean | undefined;
  /**
   * Whether runs use a `SESExecutor`, with a warning, if no browser can be started. `false`: `init()` fails with
   * `ERR_BROWSER_INIT_FAILED`. Default `true`.
   */
  fallback?: boolean | undefined;
  /**
   * Number of pages that are created ahead, an integer from 0 to 16. Executors with the same options share them.
   * Default 1. Unless it is 0, the number grows to the highest number of concurrent runs in the last 10 to 20 seconds,
   * at most 8.
   */
  warmTabs?: number | undefined;
  /** Folder for artifacts, which is created if necessary. Default: none; artifacts then have their bytes in `data`. */
  artifactsDir?: string | undefined;
  /**
   * Maximum total bytes of the artifacts of one run. A run may have at most 1,000 artifacts. Default 67,108,864 (64
   * MiB), at most 256 MiB.
   */
  maxArtifactBytes?: number | undefined;
  /** The network access of pages. Default none. */
  network?: NetworkOptions | undefined;
}

/** Limits and input of one run. The limits are those of `SESExecutor`. */
export interface BrowserRunOptions extends Omit<RunOptions, 'maxOperations'> {
  /** Value of the global `input`. */
  input?: unknown;
}

/** A picture or a file that a run has produced. */
export interface Artifact {
  /**
   * Path of the file. Absent without `artifactsDir`, and if the folder could not be written to, which the log reports
   * as a warning. A JSON file next to it, `path + ".json"`, contains all these fields.
   */
  path?: string;
  /** Unique name of the file. Its extension matches the type. */
  name: string;
  /** The name passed to `saveArtifact()`, up to 255 characters. Absent for the run's canvas. */
  givenName?: string;
  /**
   * Content type. For strings, bytes and Blobs without a type, it is derived from the extension of the given name, if
   * that is known.
   */
  mimeType: string;
  /** Width in pixels, for pictures. */
  width?: number;
  /** Height in pixels, for pictures. */
  height?: number;
  /** Length of the content in bytes. */
  bytes: number;
  /** SHA-256 of the content, hexadecimal. */
  sha256: string;
  /** Time of creation, ISO 8601 in UTC. */
  createdAt: string;
  /** The content, if there is no `path`. */
  data?: Uint8Array;
}

/**
 * The result of a run. In its `stats`, `operations` is 0, and `heapUsedBytes` is the last value that the browser
 * reported to the page.
 */
export interface BrowserOutput extends CodeOutput {
  /** The run's canvas, if the run has used `getCanvas()`, and the artifacts kept with `saveArtifact()`. */
  artifacts: Artifact[];
}

/** The error with which a run of a {@link BrowserExecutor} rejects. */
export interface BrowserExecutorError extends ExecutorError {
  /**
   * The artifacts that the run kept with `saveArtifact()` before it failed. Absent if no browser was available. Not
   * enumerable.
   */
  artifacts?: Artifact[];
}

/**
 * Runs guest code in pages of Chrome. The first `init()` starts the browser. Executors of this process with the same
 * `executablePath` and `sandbox` share it. The browser ends with the process, or half a minute after the last
 * `cleanup()`.
 *
 * In addition to variables and tools, guest code has `input`, `final_answer(value)`, `getCanvas(width, height)` and
 * `saveArtifact(name, blob | canvas | bytes | text)`.
 *
 * @example
 * ```js
 * const executor = new BrowserExecutor({ artifactsDir: 'charts' });
 * await executor.init();
 * const { artifacts } = await executor.run('getCanvas(400, 300).getContext("2d").fillRect(10, 10, 50, 50)');
 * await executor.cleanup();
 * ```
 */
export class BrowserExecutor implements Executor {
  /**
   * @throws `TypeError` for options of the wrong type and unknown ones
   * @throws `RangeError` for options out of bounds
   */
  constructor(options?: BrowserExecutorOptions);

  /** The current state, as for `SESExecutor`. */
  get state(): ExecutorState;

  /** Whether each run has its own page, or all runs share one; see the option. */
  get isolation(): 'run' | 'session';

  /** Starts the browser if none is running. Rejects with `ERR_BROWSER_INIT_FAILED` and `ERR_INVALID_STATE`. */
  init(): Promise<void>;

  /**
   * Passes these variables to each following run, as structured clones. Legal in `READY`. With `runConcurrency:
   * "queue"` it is also legal in `RUNNING`, where the call waits for its turn.
   */
  sendVariables(variables: Record<string, unknown>): Promise<void>;

  /** Passes these functions to each following run. Legal in the states of {@link sendVariables}. */
  sendTools(tools: Tools): Promise<void>;

  /**
   * Runs guest code. After a deadline or an abort the executor is `READY`, or `DIRTY` with `isolation: "session"`.
   * Rejects like `SESExecutor.run`, with {@link BrowserExecutorError}, and with `ERR_BROWSER_CRASHED`.
   */
  run(code: string, options?: BrowserRunOptions): Promise<BrowserOutput>;

  /** Ends the current run and closes its page. Legal in any state; afterwards the state is `DEAD`. */
  cleanup(): Promise<void>;

  /** `cleanup()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

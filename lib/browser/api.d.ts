/**
 * `ses-executor/browser`: runs agent-written code in a page of a real headless Chrome, with the DOM, Canvas, WebGL and the rest
 * of what browsers have, and without a network.
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
 * What a page can have requests to. The page itself has no network: this process makes the requests, 16 of a page at once, and ends them
 * with the page. An answer may have 32 MiB; what is under way of a page, sent and got, 64 MiB.
 */
export interface NetworkOptions {
  /**
   * Origins, such as `https://api.example.com`; redirects to others are refused. Without encryption only those of this machine, such as
   * `http://localhost:8080`: pages are secure contexts, which Chrome lets request nothing else. Default none.
   */
  allow?: readonly string[] | undefined;
  /** Asked before each request, those that redirects lead to included; `false` refuses it. Default: none is refused. */
  onRequest?: ((request: { url: string; method: string; headers: Record<string, string> }) => unknown) | undefined;
}

/** What a {@link BrowserExecutor} is made with. All of it is optional and fixed at construction. */
export interface BrowserExecutorOptions {
  /**
   * `"run"`: each run has a page of its own, in which nothing of an earlier run is left, storage and cookies included; it is
   * closed when the run ends. `"session"`: one page until `cleanup()`, in which variables and functions live on. Default
   * `"run"`.
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
   * Memory that the page's process may hold, in MiB, and the same for what pages keep in the browser's own process; beyond it
   * a run fails with `ERR_MEMORY_LIMIT_EXCEEDED`. It is looked at every 50 ms, so that a page may hold more for a moment, and every
   * 500 ms between the runs of a session, the next of which fails then. Linux only. An integer from 64 to 65,536; default 512.
   */
  memoryLimitMb?: number | undefined;
  /** As for `SESExecutor`. Default 1,048,576 (1 MiB). */
  maxCodeBytes?: number | undefined;
  /** As for `SESExecutor`. Default 1,000. */
  maxToolCalls?: number | undefined;
  /** As for `SESExecutor`. Default 64. */
  maxConcurrentToolCalls?: number | undefined;
  /**
   * Milliseconds within which a tool has to answer a call; see `SESExecutor`. While a run waits for nothing else, only what its
   * page computes counts against `timeoutMs` (Linux; elsewhere all the time does). Default: not limited.
   */
  toolTimeoutMs?: number | undefined;
  /** UTF-16 units that one value may take as text on its way. Default 16,777,216 (16 MiB), at most 256 MiB. */
  maxTransferBytes?: number | undefined;
  /** As for `SESExecutor`. Default `false`. */
  autoInit?: boolean | undefined;
  /** As for `SESExecutor`, with `isolation: 'session'`: the next call makes another page. Default `false`. */
  recover?: boolean | undefined;
  /** As for `SESExecutor`. Default `"auto"`. */
  language?: Language | undefined;
  /** As for `SESExecutor`. */
  onToolCall?: OnToolCall | undefined;
  /** As for `SESExecutor`. */
  onLog?: ((entry: LogEntry) => void) | undefined;
  /** The browser's program. Default: the environment variable CHROME_PATH, else the first in the usual places. */
  executablePath?: string | undefined;
  /** Whether Chrome has its sandbox. `false` is for code that you trust as your own, and warns. Default `true`. */
  sandbox?: boolean | undefined;
  /**
   * Whether runs go to a `SESExecutor`, with a warning, where no browser can be started. `false`: `init()` fails with
   * `ERR_BROWSER_INIT_FAILED`. Default `true`.
   */
  fallback?: boolean | undefined;
  /**
   * Pages that are made ahead, an integer from 0 to 16; executors with the same options share them. Default 1. Unless it is 0, there
   * are as many as runs were under way at once in the last 10 to 20 seconds, 8 at most.
   */
  warmTabs?: number | undefined;
  /** Folder for artifacts, made if need be. Default: none, artifacts have their bytes in `data`. */
  artifactsDir?: string | undefined;
  /** Bytes that the artifacts of one run, 1,000 at most, may take together. Default 67,108,864 (64 MiB), at most 256 MiB. */
  maxArtifactBytes?: number | undefined;
  /** What pages can have requests to. Default nothing. */
  network?: NetworkOptions | undefined;
}

/** Limits of one run, as for `SESExecutor`, and its input. */
export interface BrowserRunOptions extends Omit<RunOptions, 'maxOperations'> {
  /** Value of the global `input`. */
  input?: unknown;
}

/** A picture or a file that a run has made. */
export interface Artifact {
  /**
   * Where it is; absent without `artifactsDir`, and where that could not be written to, as a warning in the log says. Beside it is a
   * JSON file with all of this, `path + ".json"`.
   */
  path?: string;
  /** Name of the file, which no other artifact has. Its extension is that of the type. */
  name: string;
  /** What `saveArtifact()` was called with, up to 255 characters; absent of the run's canvas. */
  givenName?: string;
  /** That of the content; of texts, bytes and Blobs without a type what the name's extension stands for, where that is known. */
  mimeType: string;
  /** Of pictures: pixels. */
  width?: number;
  /** Of pictures: pixels. */
  height?: number;
  /** Its length. */
  bytes: number;
  /** Of its bytes, hexadecimal. */
  sha256: string;
  /** ISO 8601 in UTC. */
  createdAt: string;
  /** Its bytes, if it has no `path`. */
  data?: Uint8Array;
}

/** What a run gives. Of its `stats`, `operations` is 0, and `heapUsedBytes` is what the browser last told the page. */
export interface BrowserOutput extends CodeOutput {
  /** The run's canvas, if it has used `getCanvas()`, and what it has kept with `saveArtifact()`. */
  artifacts: Artifact[];
}

/** What a run of a {@link BrowserExecutor} rejects with. */
export interface BrowserExecutorError extends ExecutorError {
  /** What the run had kept with `saveArtifact()` until it failed; absent where there was no browser. Not enumerable. */
  artifacts?: Artifact[];
}

/**
 * Runs guest code in pages of Chrome. The browser is started by the first `init()`, shared by the executors of this process with
 * the same `executablePath` and `sandbox`, and ends with the process, or half a minute after the last `cleanup()`.
 *
 * Besides variables and tools, guest code has `input`, `final_answer(value)`, `getCanvas(width, height)` and
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

  /** The state now, as of `SESExecutor`. */
  get state(): ExecutorState;

  /** What a run shares with those before it, as the option says. */
  get isolation(): 'run' | 'session';

  /** Starts the browser if there is none. Rejects with `ERR_BROWSER_INIT_FAILED` and `ERR_INVALID_STATE`. */
  init(): Promise<void>;

  /**
   * Gives each following run these variables, as structured clones. Legal in `READY`, and with `runConcurrency: "queue"` also in
   * `RUNNING`, where it waits for its turn.
   */
  sendVariables(variables: Record<string, unknown>): Promise<void>;

  /** Gives each following run these functions. Legal in the states of {@link sendVariables}. */
  sendTools(tools: Tools): Promise<void>;

  /**
   * Runs guest code. After a deadline or an abort the executor is `READY`, with `isolation: "session"` it is `DIRTY`. Rejects as
   * `SESExecutor.run`, with {@link BrowserExecutorError}, and with `ERR_BROWSER_CRASHED`.
   */
  run(code: string, options?: BrowserRunOptions): Promise<BrowserOutput>;

  /** Ends the run under way and closes its page, in any state; the state is `DEAD` then. */
  cleanup(): Promise<void>;

  /** `cleanup()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

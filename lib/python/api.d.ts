/**
 * Runs agent-written Python with `PyodideExecutor`, which follows the specification of the smolagents-ts class of the
 * same name. Section numbers refer to that specification.
 *
 * @packageDocumentation
 */

import type {
  CodeOutput,
  Executor,
  ExecutorError,
  ExecutorOptions,
  ExecutorState,
  Isolation,
  Tools,
} from '../../index';

/** A handle of the browser's File System Access API (section 3.1). */
export interface FileSystemHandle {
  readonly kind: 'file' | 'directory';
  readonly name: string;
}

export interface FileSystemDirectoryHandle extends FileSystemHandle {
  readonly kind: 'directory';
  requestPermission(descriptor?: { mode: 'read' | 'readwrite' }): Promise<'granted' | 'denied'>;
}

/**
 * Options of all executors that also apply to Python. With `engine: "host"` these are only `autoInit`, `onLog` and
 * `onToolCall`.
 */
export type SharedOptions = Omit<
  ExecutorOptions,
  | 'authorizedImports'
  | 'hardenToolResults'
  | 'keepState'
  | 'language'
  | 'maxConcurrentToolCalls'
  | 'maxOperations'
  | 'modules'
  | 'recover'
>;

/** Options of a {@link PyodideExecutor} (section 3.1). */
export interface PyodideExecutorOptions extends SharedOptions {
  /**
   * Modules that guest code may import. `"pkg"` and `"pkg.*"` allow a package and its contents; `"*"` allows all
   * modules. Default: the argument of the constructor, else {@link BASE_BUILTIN_MODULES}.
   */
  authorized_imports?: readonly string[] | undefined;
  /** Maximum lines that one run may execute, including lines of functions from earlier runs. Default 100,000. */
  max_operations?: number | undefined;
  /** Maximum total iterations of all `while` loops in one run. Default 10,000. */
  max_while_iterations?: number | undefined;
  /** Which of `eval`, `exec`, `compile`, `open` and `input` guest code may call. Default none. */
  allowed_dangerous_builtins?: readonly string[] | undefined;
  /** What is mounted: a folder of this computer, or a folder handle from a browser. Default `"nodefs"`. */
  fsMode?: 'nodefs' | 'nativefs' | undefined;
  /**
   * The folder to mount. It must be `readOnly` if it contains the folder for snapshots, as the home folder does.
   * Default: the current folder of the process.
   */
  workDir?: string | undefined;
  /** The mount point for guests, also in `os.environ["PYODIDE_MOUNT_POINT"]`. Default `"/mnt"`. */
  mountPoint?: string | undefined;
  /** The folder to mount with `fsMode: "nativefs"`, which requires it. */
  directoryHandle?: FileSystemDirectoryHandle | undefined;
  /**
   * Whether a folder is mounted. Default `true`, as in the specification. In a worker process this needs landlock
   * (Linux 5.13).
   */
  mount?: boolean | undefined;
  /** Whether the mounted folder is read-only. Default `false`. */
  readOnly?: boolean | undefined;
  /**
   * A folder of packages that {@link addPackages} or `ses-executor python add` has filled. Guests find it as
   * `/packages`, on `sys.path`, read-only. `authorized_imports` controls which of its modules they may import. Default
   * none.
   */
  packages?: string | undefined;
  /**
   * The engine that runs the code. `"isolate"`: Pyodide in a V8 isolate of this package, with a deadline, a memory
   * limit, and no access to the host. `"host"`: plain Pyodide in the realm of the host, **unprotected**. Code can end
   * or block the process, use all of its memory and run commands. It is meant for browsers and for comparison. Default
   * `"isolate"`.
   */
  engine?: 'isolate' | 'host' | undefined;
}

/** Limits of one run. */
export interface PythonRunOptions {
  /** As {@link PyodideExecutorOptions.max_operations}, for this run. */
  maxOperations?: number | undefined;
  /** As `timeoutMs` of the executor, for this run. Needs an isolate. */
  timeoutMs?: number | undefined;
  /** As `toolTimeoutMs` of the executor, for this run. Needs an isolate. */
  toolTimeoutMs?: number | undefined;
  /** Ends the run when it is aborted. Needs an isolate. */
  signal?: AbortSignal | undefined;
}

/**
 * Code that failed. `message` is `Error executing code: <cause>\nLogs:\n<logs>` (section 7.2), where the cause is the
 * exception with its line. `code` and `details` contain the same information for programs. `details` has `name`,
 * `message`, `line`, `column`, `traceback` and more.
 */
export interface AgentExecutionError extends Omit<ExecutorError, 'name'> {
  readonly name: 'AgentExecutionError';
}
export const AgentExecutionError: {
  new (...args: never[]): AgentExecutionError;
  readonly prototype: AgentExecutionError;
};

/**
 * Adds wheels to a folder of packages, which is created if necessary. It accepts pure wheels (`py3-none-any`), and
 * wheels for the installed Pyodide (such as `cp314-cp314-pyemscripten_2026_0_wasm32`). Each wheel is checked against
 * its own list of files, unpacked, compiled and recorded in `ses-executor-packages.json`. This happens in an isolate
 * that can access only this folder. Another version of a package is replaced. Nothing is downloaded, and dependencies
 * are not resolved.
 *
 * @param wheels paths of files that end in `.whl`
 * @returns the added packages, in order
 * @throws `Error` for a file that is not a wheel, a broken wheel, or a wheel for another target. Wheels before it stay
 * added.
 */
export function addPackages(folder: string, wheels: readonly string[]): Promise<{ name: string; version: string }[]>;

/** Modules that guest code may import by default (section 10). */
export const BASE_BUILTIN_MODULES: readonly string[];

/**
 * Runs Python step by step. Variables persist between runs. `sendVariables`, `sendTools` and `run` start Python if
 * necessary. After a deadline, the next call uses a new interpreter.
 *
 * @example
 * ```js
 * const executor = new PyodideExecutor(['math'], { mount: false });
 * await executor.sendTools({ add: async (a, b) => a + b });
 * const { output } = await executor.run('import math\nadd(1, math.floor(2.5))');
 * ```
 */
export class PyodideExecutor implements Executor {
  /**
   * @throws `Error` for `fsMode: "nativefs"` without `directoryHandle`
   * @throws `TypeError` for options of the wrong type and unknown ones
   * @throws `RangeError` for options out of bounds
   */
  constructor(authorizedImports?: readonly string[], options?: PyodideExecutorOptions);

  get state(): ExecutorState;

  /** The language of guest code. */
  readonly language: 'python';

  /** The place where Python runs. */
  get isolation(): Isolation | { mode: 'host' };

  /**
   * Starts Python and mounts the folder. A folder that cannot be mounted is only reported on the console (section 4.1).
   */
  init(): Promise<void>;

  /** Sets variables (section 4.4). Values are copied. Objects become dictionaries whose keys are also attributes. */
  sendVariables(variables: Record<string, unknown>): Promise<void>;

  /**
   * Sets tools (section 4.3): host functions, and Python sources by the names of the functions that they define. All
   * are plain functions in Python. With the engine `"host"`, tools that return promises must be awaited.
   */
  sendTools(tools: Tools, pythonToolsMap?: Record<string, string>): Promise<void>;

  /** Runs code (section 4.5). Rejects with {@link AgentExecutionError}. */
  run(code: string, options?: PythonRunOptions): Promise<CodeOutput>;

  /** Ends Python (section 4.6). The next call starts it again. */
  cleanup(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void>;
}

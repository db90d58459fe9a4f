/**
 * Runs the Python that an AI agent writes: `PyodideExecutor`, after the specification of smolagents-ts's class of that name.
 * Sections refer to that specification.
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

/** Options of all executors that Python has, too. With `engine: "host"` only `autoInit`, `onLog` and `onToolCall`. */
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

/** What a {@link PyodideExecutor} is made with (section 3.1). */
export interface PyodideExecutorOptions extends SharedOptions {
  /**
   * Modules that guest code may import: `"pkg"` and `"pkg.*"` allow a package and what is in it, `"*"` allows all. Default: the
   * argument of the constructor, else {@link BASE_BUILTIN_MODULES}.
   */
  authorized_imports?: readonly string[] | undefined;
  /** Lines that one run may execute, functions of earlier runs included. Default 100,000. */
  max_operations?: number | undefined;
  /** Iterations of `while` loops that one run may take, over all of them. Default 10,000. */
  max_while_iterations?: number | undefined;
  /** Which of `eval`, `exec`, `compile`, `open` and `input` guest code may call. Default none. */
  allowed_dangerous_builtins?: readonly string[] | undefined;
  /** How files are mounted: a folder of this computer, or one that a browser gives. Default `"nodefs"`. */
  fsMode?: 'nodefs' | 'nativefs' | undefined;
  /**
   * The folder that is mounted; it has to be `readOnly` if snapshots are kept in it, as in the home. Default the current folder of the
   * process.
   */
  workDir?: string | undefined;
  /** Where guests find it; also in `os.environ["PYODIDE_MOUNT_POINT"]`. Default `"/mnt"`. */
  mountPoint?: string | undefined;
  /** The folder that is mounted with `fsMode: "nativefs"`, where it is required. */
  directoryHandle?: FileSystemDirectoryHandle | undefined;
  /** Whether anything is mounted. Default `true`, as the specification says. In a worker process this needs landlock (Linux 5.13). */
  mount?: boolean | undefined;
  /** Whether the mounted folder can be read only. Default `false`. */
  readOnly?: boolean | undefined;
  /**
   * A folder of packages that {@link addPackages} or `ses-executor python add` has filled. Guests find it as `/packages`, on
   * `sys.path`, for reading only; what they may import of it `authorized_imports` says. Default none.
   */
  packages?: string | undefined;
  /**
   * What runs the code. `"isolate"`: Pyodide in a V8 isolate of this package, with deadline, limit of memory, and no way into
   * the host. `"host"`: plain Pyodide in the realm of the host, **unprotected**: code can end or block the process, take its memory and
   * run commands. For browsers, and to compare. Default `"isolate"`.
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
 * Code that failed: `message` is `Error executing code: <cause>\nLogs:\n<logs>` (section 7.2), where the cause is the exception with
 * its line. `code`, `details` with `name`, `message`, `line`, `column`, `traceback` and more say the same for programs.
 */
export interface AgentExecutionError extends Omit<ExecutorError, 'name'> {
  readonly name: 'AgentExecutionError';
}
export const AgentExecutionError: {
  new (...args: never[]): AgentExecutionError;
  readonly prototype: AgentExecutionError;
};

/**
 * Adds wheels to a folder of packages, which is made if there is none: pure ones (`py3-none-any`), and those that are built for
 * the installed Pyodide (such as `cp314-cp314-pyemscripten_2026_0_wasm32`). Each is checked against its own list of files, unpacked,
 * compiled and noted in `ses-executor-packages.json`, in an isolate that has this folder only. Another version of a package is
 * replaced. Nothing is downloaded, and what a package needs is not looked for.
 *
 * @param wheels paths of files that end in `.whl`
 * @returns what was added, in order
 * @throws `Error` for what is no wheel, a broken one, or one for something else; those before it stay
 */
export function addPackages(folder: string, wheels: readonly string[]): Promise<{ name: string; version: string }[]>;

/** What guest code may import by default (section 10). */
export const BASE_BUILTIN_MODULES: readonly string[];

/**
 * Runs Python step by step, with variables that live on. `sendVariables`, `sendTools` and `run` start it when they are called; after
 * a deadline the next call finds a fresh interpreter.
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

  /** What guests write. */
  readonly language: 'python';

  /** Where Python runs. */
  get isolation(): Isolation | { mode: 'host' };

  /** Starts Python and mounts the folder; a folder that cannot be mounted is only reported on the console (section 4.1). */
  init(): Promise<void>;

  /** Sets variables (section 4.4): values are copied, objects become dictionaries whose keys are attributes, too. */
  sendVariables(variables: Record<string, unknown>): Promise<void>;

  /**
   * Sets tools (section 4.3): functions of the host, and sources of Python by the names of the functions that they define. All are plain
   * functions in Python; with the engine `"host"` those that give promises have to be awaited.
   */
  sendTools(tools: Tools, pythonToolsMap?: Record<string, string>): Promise<void>;

  /** Runs code (section 4.5). Rejects with {@link AgentExecutionError}. */
  run(code: string, options?: PythonRunOptions): Promise<CodeOutput>;

  /** Ends Python (section 4.6); the next call starts it anew. */
  cleanup(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void>;
}

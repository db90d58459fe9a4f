import { describe } from '../contract/describe';
import { BASE_BUILTIN_MODULES } from '../contract/python-modules';
import { checkSome, record, requireFleet } from '../contract/options';
import type { Offer } from '../contract/executor';
import type { ExecutorOptions } from '../contract/executor-options';
import type { Given } from '../contract/options';
import type { Plan } from '../contract/plan';

export { BASE_BUILTIN_MODULES };

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
  | 'globals'
  | 'hardenToolResults'
  | 'keepState'
  | 'language'
  | 'maxConcurrentToolCalls'
  | 'maxOperations'
  | 'modules'
  | 'recover'
  | 'typecheck'
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
  /** As `plan` of other executors: the run makes no tool call that is not in the plan. */
  plan?: Plan | undefined;
}

/** Options of all executors that also apply to an isolate for Python: those in the contract's table. */
const ISOLATE_OPTIONS = [
  'timeoutMs',
  'toolTimeoutMs',
  'runConcurrency',
  'maxQueuedRuns',
  'maxLogBytes',
  'collectConsoleLevels',
  'memoryLimitMb',
  'maxCodeBytes',
  'maxToolCalls',
  'maxTransferBytes',
  'maxCpuMs',
  'network',
  'owner',
  'maxParkedMb',
  'warmPool',
  'isolation',
  'remote',
  'sandbox',
  'spares',
];
/** Modules that code may import because of `network` (`prelude/72_network.py`). */
const NETWORK_MODULES = ['urllib.request', 'urllib.error', 'urllib.parse', 'requests', 'pyodide.http'];
/** With less memory, Pyodide cannot boot, because V8 also needs its part. */
const MIN_MEMORY_LIMIT_MB = 64;
/** Options that work without an isolate. */
const HOST_OPTIONS = ['autoInit', 'onToolCall', 'onLog'];

/** Options that only Python has, with their conditions. */
const OWN_OPTIONS: Record<string, Condition> = {
  authorized_imports: { expected: 'an array of module names', accepts: isTexts },
  max_operations: { expected: 'a positive integer or Infinity', accepts: isLimit },
  max_while_iterations: { expected: 'a positive integer or Infinity', accepts: isLimit },
  allowed_dangerous_builtins: { expected: 'an array of names', accepts: isTexts },
  fsMode: { expected: '"nodefs" or "nativefs"', accepts: isOneOf('nodefs', 'nativefs') },
  workDir: { expected: 'the path of a folder', accepts: isText },
  mountPoint: { expected: 'an absolute path', accepts: isAbsolute },
  directoryHandle: { expected: 'a directory handle', accepts: (value) => typeof value === 'object' },
  engine: { expected: '"isolate" or "host"', accepts: isOneOf('isolate', 'host') },
  mount: { expected: 'a boolean', accepts: (value) => typeof value === 'boolean' },
  readOnly: { expected: 'a boolean', accepts: (value) => typeof value === 'boolean' },
  packages: { expected: 'the path of a folder', accepts: isText },
};

const KNOWN = [...Object.keys(OWN_OPTIONS), ...ISOLATE_OPTIONS, ...HOST_OPTIONS];

/** The condition for the value of an option. */
interface Condition {
  expected: string;
  accepts: (value: unknown) => boolean;
}

/** @internal */
export interface PythonOptions {
  engine: 'isolate' | 'host';
  authorizedImports: string[];
  maxOperations: number;
  maxWhileIterations: number;
  allowedDangerousBuiltins: string[];
  fsMode: 'nodefs' | 'nativefs';
  /** undefined: nothing is mounted */
  workDir: string | undefined;
  mountPoint: string;
  directoryHandle: FileSystemDirectoryHandle | undefined;
  readOnly: boolean;
  /** folder that `addPackages` has filled */
  packages: string | undefined;
  autoInit: boolean;
  /** options of the underlying executor */
  executor: SharedOptions;
}

function refuseUnless({ expected, accepts }: Condition, name: string, value: unknown) {
  if (value === undefined || accepts(value)) return;
  throw new TypeError(`options.${name} must be ${expected}, got ${describe(value)}`);
}

/**
 * Refuses an operation count that no run can have.
 *
 * @internal
 * @param options of a run
 * @throws {TypeError}
 */
export function checkRunCount(options: PythonRunOptions | undefined): PythonRunOptions | undefined {
  refuseUnless(OWN_OPTIONS.max_operations, 'maxOperations', options?.maxOperations);
  return options?.maxOperations === Infinity ? { ...options, maxOperations: Number.MAX_SAFE_INTEGER } : options;
}

/**
 * Options of a `PyodideExecutor`, with their defaults and priorities (specification, section 3.2).
 *
 * @internal
 * @param others names of options that are checked elsewhere, for messages
 * @throws {TypeError | RangeError}
 */
export function checkPythonOptions(
  authorizedImports: unknown,
  options: unknown,
  others: readonly string[] = [],
): PythonOptions {
  if (authorizedImports !== undefined && !isTexts(authorizedImports)) {
    throw new TypeError(`authorizedImports must be an array of module names, got ${describe(authorizedImports)}`);
  }
  const given = record(options, 'options', [...others, ...KNOWN]);
  for (const [name, row] of Object.entries(OWN_OPTIONS)) refuseUnless(row, name, given[name]);
  const isRemote = given.isolation === 'remote';
  if (isRemote) refuseFolders(given);
  const { engine = 'isolate', fsMode = 'nodefs', mount = !isRemote } = given;
  if (fsMode === 'nativefs' && !given.directoryHandle) {
    throw new Error('directoryHandle is required when fsMode is "nativefs"');
  }
  const executor = executorOptions(given, engine);
  return {
    engine,
    authorizedImports: [...(given.authorized_imports ?? authorizedImports ?? BASE_BUILTIN_MODULES)],
    maxOperations: countOf(given.max_operations ?? 100_000),
    maxWhileIterations: countOf(given.max_while_iterations ?? 10_000),
    allowedDangerousBuiltins: [...(given.allowed_dangerous_builtins ?? [])],
    fsMode,
    workDir: mount ? (given.workDir ?? currentFolder()) : undefined,
    mountPoint: given.mountPoint ?? '/mnt',
    directoryHandle: given.directoryHandle,
    readOnly: given.readOnly ?? false,
    packages: given.packages,
    autoInit: executor.autoInit ?? true,
    executor,
  };
}

/**
 * The features that code can use with these options.
 *
 * @internal
 */
export function offerWith({ authorizedImports, fsMode, workDir, mountPoint, executor }: PythonOptions): Offer {
  const hasFolder = fsMode === 'nativefs' || workDir !== undefined;
  const { network } = executor;
  const imports = network === undefined ? authorizedImports : [...new Set([...authorizedImports, ...NETWORK_MODULES])];
  return { imports, ...(hasFolder && { folder: mountPoint }), ...(network !== undefined && { network }) };
}

/** Folders of this computer, which workers of a fleet do not have. */
const FOLDER_OPTIONS = ['workDir', 'directoryHandle'];

/** @throws {TypeError} */
function refuseFolders(given: Given) {
  const name = FOLDER_OPTIONS.find((option) => given[option] !== undefined) ?? (given.mount === true && 'mount');
  if (name)
    throw new TypeError(`options.${name} needs a folder of this computer, which isolation: "remote" does not have`);
}

/** The options that belong to executors. */
function executorOptions(given: Given, engine: string): SharedOptions {
  const found: Given = {};
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(OWN_OPTIONS, name) || value === undefined) continue;
    if (ISOLATE_OPTIONS.includes(name) && engine === 'host') {
      throw new TypeError(`options.${name} needs an isolate: engine "host" runs Python unprotected, without limits`);
    }
    found[name] = value;
  }
  if (found.memoryLimitMb < MIN_MEMORY_LIMIT_MB) {
    const expected = `an integer >= ${MIN_MEMORY_LIMIT_MB} for Python`;
    throw new RangeError(`options.memoryLimitMb must be ${expected}, got ${describe(found.memoryLimitMb)}`);
  }
  return requireFleet({ ...found, ...checkSome(found, Object.keys(found)) });
}

function currentFolder() {
  return typeof process === 'object' ? process.cwd() : '/';
}

function isOneOf(...values: unknown[]) {
  return (value: unknown) => values.includes(value);
}

function isAbsolute(value: unknown) {
  return isText(value) && value.startsWith('/');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

/** Python counts in integers. */
export function countOf(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}

function isCount(value: unknown) {
  return value === Infinity || (Number.isSafeInteger(value) && Number(value) > 0);
}

function isLimit(value: unknown) {
  return value === Infinity || isCount(value);
}

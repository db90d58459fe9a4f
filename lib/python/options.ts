import { describe } from '../contract/describe';
import { checkSome, record } from '../contract/options';
import type { Offer } from '../contract/executor';

/** Modules that guest code may import by default (specification, appendix A). */
export const BASE_BUILTIN_MODULES = Object.freeze([
  'collections',
  'datetime',
  'itertools',
  'json',
  'math',
  'queue',
  'random',
  're',
  'stat',
  'statistics',
  'time',
  'unicodedata',
]);

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
  'owner',
  'maxParkedMb',
  'warmPool',
  'isolation',
  'sandbox',
  'spares',
];
/** With less memory, Pyodide cannot boot, because V8 also needs its part. */
const MIN_MEMORY_LIMIT_MB = 64;
/** Options that work without an isolate. */
const HOST_OPTIONS = ['autoInit', 'onToolCall', 'onLog'];

/** Options that only Python has, with their conditions. */
const OWN_OPTIONS: Record<string, { expected: string; accepts: (value: any) => boolean }> = {
  authorized_imports: { expected: 'an array of module names', accepts: isTexts },
  max_operations: { expected: 'a positive integer', accepts: isCount },
  max_while_iterations: { expected: 'a positive integer', accepts: isCount },
  allowed_dangerous_builtins: { expected: 'an array of names', accepts: isTexts },
  fsMode: { expected: '"nodefs" or "nativefs"', accepts: (value) => ['nodefs', 'nativefs'].includes(value) },
  workDir: { expected: 'the path of a folder', accepts: isText },
  mountPoint: { expected: 'an absolute path', accepts: (value) => isText(value) && value.startsWith('/') },
  directoryHandle: { expected: 'a directory handle', accepts: (value) => typeof value === 'object' },
  engine: { expected: '"isolate" or "host"', accepts: (value) => ['isolate', 'host'].includes(value) },
  mount: { expected: 'a boolean', accepts: (value) => typeof value === 'boolean' },
  readOnly: { expected: 'a boolean', accepts: (value) => typeof value === 'boolean' },
  packages: { expected: 'the path of a folder', accepts: isText },
};

const KNOWN = [...Object.keys(OWN_OPTIONS), ...ISOLATE_OPTIONS, ...HOST_OPTIONS];

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
  directoryHandle: any;
  readOnly: boolean;
  /** folder that `addPackages` has filled */
  packages: string | undefined;
  autoInit: boolean;
  /** options of the underlying executor */
  executor: Record<string, any>;
}

function refuseUnless(
  { expected, accepts }: { expected: string; accepts: (value: any) => boolean },
  name: string,
  value: unknown,
) {
  if (value === undefined || accepts(value)) return;
  throw new TypeError(`options.${name} must be ${expected}, got ${describe(value)}`);
}

/**
 * Refuses an operation count that no run can have.
 *
 * @param options of a run
 * @throws {TypeError}
 */
export function checkRunCount(options: any) {
  refuseUnless(OWN_OPTIONS.max_operations, 'maxOperations', options?.maxOperations);
}

/**
 * Options of a `PyodideExecutor`, with their defaults and priorities (specification, section 3.2).
 *
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
  const { engine = 'isolate', fsMode = 'nodefs', mount = true } = given;
  if (fsMode === 'nativefs' && !given.directoryHandle) {
    throw new Error('directoryHandle is required when fsMode is "nativefs"');
  }
  const executor = executorOptions(given, engine);
  return {
    engine,
    authorizedImports: [...(given.authorized_imports ?? authorizedImports ?? BASE_BUILTIN_MODULES)],
    maxOperations: given.max_operations ?? 100_000,
    maxWhileIterations: given.max_while_iterations ?? 10_000,
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

/** The features that code can use with these options. */
export function offerWith({ authorizedImports, fsMode, workDir, mountPoint }: PythonOptions): Offer {
  const hasFolder = fsMode === 'nativefs' || workDir !== undefined;
  return { imports: authorizedImports, ...(hasFolder && { folder: mountPoint }) };
}

/** The options that belong to executors. */
function executorOptions(given: Record<string, any>, engine: string) {
  const found: Record<string, any> = {};
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
  checkSome(found, Object.keys(found));
  return found;
}

function currentFolder() {
  return typeof process === 'object' ? process.cwd() : '/';
}

function isText(value: unknown) {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown) {
  return Array.isArray(value) && value.every(isText);
}

function isCount(value: any) {
  return Number.isSafeInteger(value) && value > 0;
}

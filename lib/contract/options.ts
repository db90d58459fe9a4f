import { className, describe, isPlainObject, memberPath } from './describe';
import { CODE_TOOL_OPTIONS, OPTIONS, optionRow } from './option-table';
import { checkNetwork } from './network-policy';
import type { Foreign } from './foreign';
import type { OptionRow } from './option-table';
import type { ExecutorOptions, Language } from './executor-options';
import type { GuestGlobal, LogLevel } from './executor-types';
import type { CheckedNetwork } from './network-policy';

export type WithoutDefault =
  'network' | 'toolTimeoutMs' | 'maxCpuMs' | 'warmPool' | 'spares' | 'onToolCall' | 'onLog' | 'remote';

/** Options as a caller passed them, or checked ones of several kinds of executors. */
export type Given = Record<string, Foreign>;

/** What is done about mistakes in types. */
export type TypeCheck = NonNullable<ExecutorOptions['typecheck']>;

export type Lists = { authorizedImports: string[]; collectConsoleLevels: LogLevel[]; globals: GuestGlobal[] };

/** A fleet, with its defaults. */
export interface Fleet {
  servers: string[];
  pool: string;
  credentials: string | undefined;
}

export type CheckedOptions = Required<Omit<ExecutorOptions, WithoutDefault | keyof Lists>> &
  Pick<ExecutorOptions, Exclude<WithoutDefault, 'network' | 'remote'>> &
  Lists & { network: CheckedNetwork | undefined; remote?: Fleet | undefined };

/** Limits of one run that are absent are `null`. */
export interface CheckedRunOptions {
  maxOperations: number | null;
  timeoutMs: number | null;
  toolTimeoutMs: number | null;
  signal: AbortSignal | undefined;
  /** as the caller passed it */
  plan: unknown;
  language: Language | null;
  typecheck: TypeCheck | null;
}

/** Any number of operations. The default where users write programs for themselves, or a deadline is enough. */
export const NO_LIMIT = Infinity;

const NAMES = OPTIONS.map(({ name }) => name);
/** The options that a run can set. Absent ones are null. */
const RUN_ROWS = OPTIONS.filter(({ perRun }) => perRun).map((row) => ({ ...row, fallback: null }));
/** Options of runs that are not limits. Absent ones are undefined. */
const OTHER_RUN_NAMES = ['signal', 'plan'];
const RUN_NAMES = [...RUN_ROWS.map(({ name }) => name), ...OTHER_RUN_NAMES];

/** For a run without options. */
const NO_RUN_OPTIONS = Object.freeze(
  Object.fromEntries(RUN_NAMES.map((name) => [name, OTHER_RUN_NAMES.includes(name) ? undefined : null])),
) as unknown as CheckedRunOptions;

/** How each type of option is checked: the value, or the fallback. */
const CHECKS = {
  number,
  integer,
  boolean: ofType,
  string: ofType,
  function: ofType,
  oneOf,
  strings,
  modules: anything,
  network: (value: unknown) => checkNetwork(value),
  remote: remoteOf,
};

/**
 * @param others names of options that are checked elsewhere, for messages
 * @throws {TypeError} for wrong types and unknown names
 * @throws {RangeError} for wrong values
 */
export function checkOptions(options: unknown, others: readonly string[] = []): CheckedOptions {
  const values = checked(record(options, 'options', [...others, ...NAMES]), OPTIONS) as CheckedOptions;
  return requireFleet(values);
}

/**
 * Options of executors that another class also takes and passes on to the executors that it creates.
 *
 * @throws {TypeError | RangeError}
 */
export function checkSome(given: Given, names: readonly string[]): Given {
  return checked(
    given,
    OPTIONS.filter(({ name }) => names.includes(name)),
  );
}

/**
 * Refuses `isolation: "remote"` without a fleet.
 *
 * @returns the options
 * @throws {TypeError}
 */
export function requireFleet<T extends { isolation?: unknown; remote?: unknown }>(options: T): T {
  if (options.isolation === 'remote' && options.remote === undefined) {
    throw new TypeError('options.remote is required with isolation: "remote"');
  }
  return options;
}

/**
 * Options of code tools that are numbers. Other options of `given` are ignored.
 *
 * @throws {TypeError | RangeError}
 */
export function checkCodeToolOptions(given: Given): Given {
  return checked(given, CODE_TOOL_OPTIONS);
}

/**
 * Options of one run. Absent ones are `null`, which means those of the executor.
 *
 * @throws {TypeError} for wrong types and unknown names
 * @throws {RangeError} for an unknown language
 */
export function checkRunOptions(options: unknown): CheckedRunOptions {
  // Most runs have no options.
  if (options === undefined) return NO_RUN_OPTIONS;
  const given = record(options, 'options', RUN_NAMES);
  const { signal, plan } = given;
  checkSignal(signal);
  const limits = checked(given, RUN_ROWS);
  limits.signal = signal;
  limits.plan = plan;
  return limits as CheckedRunOptions;
}

/**
 * For executors that cannot check types.
 *
 * @param guests what they run
 * @throws {TypeError}
 */
export function refuseTypeCheck({ typecheck }: CheckedRunOptions, guests: string) {
  if (typecheck === null || typecheck === 'off') return;
  throw new TypeError(`options.typecheck must be "off" for ${guests}, got ${describe(typecheck)}`);
}

/**
 * Options of another kind of executor.
 *
 * @param others names of options that are checked elsewhere
 * @throws {TypeError} for wrong types and unknown names
 * @throws {RangeError} for wrong values
 */
export function checkRows(options: unknown, rows: OptionRow[], others: string[] = []): Given {
  const given = record(options, 'options', [...rows.map(({ name }) => name), ...others]);
  return { ...given, ...checked(given, rows) };
}

/**
 * The values of absent options, by their rows. Most options are absent, and executors are created often. Copying an
 * object takes less time than adding its properties one by one.
 */
const DEFAULTS: WeakMap<OptionRow[], Given> = new WeakMap();

function checked(given: Given, rows: OptionRow[]) {
  const values: Given = { ...defaultsOf(rows) };
  for (const row of rows) {
    const { name, type, fallback } = row;
    const value = given[name];
    if (value !== undefined) values[name] = CHECKS[type](value, row);
    else if (Array.isArray(fallback)) values[name] = [...fallback];
  }
  return values;
}

function defaultsOf(rows: OptionRow[]) {
  let defaults = DEFAULTS.get(rows);
  if (defaults === undefined) {
    defaults = Object.fromEntries(rows.map(({ name, fallback }) => [name, fallback]));
    DEFAULTS.set(rows, defaults);
  }
  return defaults;
}

/** @throws {TypeError} */
export function checkSignal(signal: unknown) {
  if (signal === undefined || isAbortSignal(signal)) return;
  throw new TypeError(`options.signal must be an AbortSignal, got ${describe(signal)}`);
}

/** Checks only the members that are used, because signals may come from another realm or a polyfill. */
function isAbortSignal(value: unknown): value is AbortSignal {
  if (typeof value !== 'object' || value === null) return false;
  const { aborted, addEventListener, removeEventListener } = value as Partial<AbortSignal>;
  return (
    typeof aborted === 'boolean' && typeof addEventListener === 'function' && typeof removeEventListener === 'function'
  );
}

/** A copy of an object of options, so that each option is read once. */
export function record(options: unknown, path: string, known: readonly string[]): Given {
  if (options === undefined) return {};
  const given = { ...optionsOf(options, path, known) };
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const close = closest(name, known);
    const hint =
      close === undefined ? `the options are ${known.join(', ')}` : `did you mean ${memberPath(path, close)}?`;
    throw new TypeError(`${memberPath(path, name)} is not an option; ${hint}`);
  }
  return given;
}

/**
 * An object whose own properties are options. Instances of classes are accepted too.
 *
 * @param known names of options
 * @throws {TypeError} if inherited properties would be lost, or if it is something else, such as a promise of options
 */
export function optionsOf(value: unknown, path: string, known: readonly string[] = NAMES): Given {
  const given = objectOf(value, path);
  if (isPlainObject(given)) return given;
  const expected = `${path} must be a plain object`;
  if (isAbortSignal(given)) {
    throw new TypeError(`${expected}, got an AbortSignal${known.includes('signal') ? '; pass { signal }' : ''}`);
  }
  if (typeof given.then === 'function') throw new TypeError(`${expected}, got a promise; await it first`);
  if (Object.keys(given).length === 0) throw new TypeError(`${expected}, got an instance of ${className(given)}`);
  const inherited = known.find((name) => name in given && !Object.hasOwn(given, name));
  if (inherited === undefined) return given;
  throw new TypeError(`${memberPath(path, inherited)} must be a property of ${path} itself, and not of its class`);
}

/** @throws {TypeError} if it is not an object, or is an array */
export function objectOf(value: unknown, path: string): Given {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new TypeError(`${path} must be an object, got ${describe(value)}`);
}

function number(value: unknown, { name }: Pick<OptionRow, 'name'>) {
  return ofType(value, { name, type: 'number' }) as number;
}

function ofType(value: unknown, { name, type }: Pick<OptionRow, 'name' | 'type'>) {
  if (typeof value !== type) throw new TypeError(`options.${name} must be a ${type}, got ${describe(value)}`);
  return value;
}

function integer(value: unknown, { name, min = -Infinity, max = Infinity, mayBeInfinite }: OptionRow) {
  const given = number(value, { name });
  if (Number.isInteger(given) && given >= min && given <= max) return given;
  if (mayBeInfinite && given === Infinity) return given;
  const bound = given > max ? `an integer <= ${max}` : `an integer >= ${min}`;
  throw new RangeError(`options.${name} must be ${bound}, got ${describe(value)}`);
}

function oneOf(value: unknown, { name, values = [] }: OptionRow) {
  if (typeof value === 'string' && values.includes(value)) return value;
  const expected = `options.${name} must be ${alternatives(values)}, got ${describe(value)}`;
  throw typeof value === 'string' ? new RangeError(expected) : new TypeError(expected);
}

/**
 * The option `language` of classes that also create executors for Python.
 *
 * @throws {TypeError | RangeError}
 */
export function checkAnyLanguage(value: unknown) {
  const row = optionRow('language');
  if (value !== undefined) oneOf(value, { ...row, values: [...(row.values ?? []), 'python'] });
}

/** A list of non-empty strings, or of those in `values`. */
function strings(value: unknown, { name, values }: OptionRow) {
  if (!Array.isArray(value)) throw new TypeError(`options.${name} must be an array, got ${describe(value)}`);
  const expected = values === undefined ? 'a non-empty string' : alternatives(values);
  return Array.from(value, (item, index) => {
    const message = `options.${name}[${index}] must be ${expected}, got ${describe(item)}`;
    if (typeof item !== 'string') throw new TypeError(message);
    if (values === undefined ? item === '' : !values.includes(item)) throw new RangeError(message);
    return item;
  });
}

const FLEET_NAMES = ['servers', 'pool', 'credentials'];
/** Names that can be a part of a subject of NATS. */
const NAME = /^[\w-]{1,64}$/;
const SERVER = /^(nats|tls):\/\/\S+$/;

/** The fleet of an executor. Checked options are accepted again. */
function remoteOf(value: unknown): Fleet {
  const { servers, pool = 'default', credentials } = record(value, 'options.remote', FLEET_NAMES);
  const list: unknown = typeof servers === 'string' ? servers.split(',').map((server) => server.trim()) : servers;
  if (!Array.isArray(list) || !list.every((server) => typeof server === 'string')) {
    throw new TypeError(`options.remote.servers must be an address or an array of addresses, got ${describe(servers)}`);
  }
  if (list.length === 0) throw new RangeError('options.remote.servers must have an address');
  // The address is not shown: it may contain a password.
  const wrong = list.findIndex((server) => !SERVER.test(server));
  if (wrong !== -1) throw new RangeError(`options.remote.servers[${wrong}] must be like nats://host:4222`);
  if (typeof pool !== 'string' || !NAME.test(pool)) {
    throw new RangeError(`options.remote.pool must have letters, digits, - and _ only, got ${describe(pool)}`);
  }
  if (credentials !== undefined && (typeof credentials !== 'string' || credentials === '')) {
    throw new TypeError(`options.remote.credentials must be the path of a file, got ${describe(credentials)}`);
  }
  return { servers: [...list], pool, credentials };
}

function anything(value: unknown) {
  return value;
}

function alternatives(names: string[]) {
  return names.map((name) => JSON.stringify(name)).join(' or ');
}

/**
 * If a name shares at least this many first units with a known name, and they are most of it, that name is suggested.
 */
const MIN_PREFIX = 5;
/** Edits between a name and the name that is suggested for it. They are also at most half of it, rounded up. */
const MAX_EDITS = 3;
/** Known names that are compared character by character. Third parties may choose them, and their number. */
const MAX_COMPARED = 200;

/**
 * The known name with the same beginning, such as `maxOperations` for `maxOps`; otherwise one that is at most three
 * edits away, if any. Of a short name, at most half may be edited, rounded up.
 */
export function closest(name: string, known: readonly string[]) {
  const given = name.slice(0, 64).toLowerCase();
  const maxEdits = Math.min(MAX_EDITS, Math.ceil(given.length / 2));
  const ranked = known
    .map((candidate) => {
      const lower = candidate.toLowerCase();
      const prefix = commonPrefix(given, lower);
      return { candidate, lower, beginsAlike: prefix >= MIN_PREFIX && prefix >= given.length * 0.75 };
    })
    .filter(({ lower, beginsAlike }) => beginsAlike || Math.abs(lower.length - given.length) <= maxEdits)
    .slice(0, MAX_COMPARED)
    .map((each) => ({ ...each, edits: editDistance(given, each.lower) }))
    .filter(({ edits, beginsAlike }) => beginsAlike || edits <= maxEdits)
    .sort((a, b) => Number(b.beginsAlike) - Number(a.beginsAlike) || a.edits - b.edits);
  return ranked[0]?.candidate;
}

/** Returns the length of the common prefix of two strings, in UTF-16 units. */
function commonPrefix(a: string, b: string) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** Returns the Levenshtein distance. */
function editDistance(from: string, to: string) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[to.length];
}

export { NAMES as OPTION_NAMES };

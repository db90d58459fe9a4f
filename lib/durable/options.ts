import { describe } from '../contract/describe';
import { objectOf, record } from '../contract/options';
import { flattenTools } from '../contract/tool-registry';
import { namesOfVariables } from '../contract/variables';
import { checkPythonOptions } from '../python/options';
import { refuseWrongOptions } from '../ses/check-options';
import { checkInDoubt } from './calls';
import type { ExecutorOptions } from '../contract/executor-options';
import type { Tools } from '../contract/tool-types';
import type { InDoubt } from '../contract/tool-traits';
import type { PyodideExecutorOptions } from '../python/options';
import type { JournalStore } from './store';
import type { Durability } from './types';

/** Keys of the HMAC chain of a journal. */
export interface JournalKeys {
  /** The key for new entries: a string or bytes. Use 32 random bytes. */
  sign: string | Uint8Array;
  /** Further keys that are accepted in existing entries: those before the last rotation. */
  verify?: readonly (string | Uint8Array)[] | undefined;
}

/** Options of {@link DurableSession.open}. */
export interface DurableOptions {
  /** Where the journal is. */
  store: JournalStore;
  /** Code that can write to a journal controls its session. Required unless the store is in memory. */
  keys?: JournalKeys | undefined;
  /**
   * The language of a new session, default `"javascript"`, which includes TypeScript. A session that exists has its
   * own.
   */
  engine?: 'javascript' | 'python' | undefined;
  /**
   * Options of the executor. The journal keeps those that matter for a replay, so an option that is absent later keeps
   * its value. `keepState`, `autoInit` and `recover: true` cannot be combined with a journal. `recover: "replay"` is
   * what a session does in any case. With Python, nothing is mounted unless `workDir` is given, and its files are not
   * part of the journal.
   */
  executor?:
    | (Omit<ExecutorOptions, 'recover'> & { recover?: boolean | 'replay' | undefined })
    | (Omit<PyodideExecutorOptions, 'recover'> & { recover?: boolean | 'replay' | undefined })
    | undefined;
  /** The functions that guest code can call. A session that exists needs those that it had, by the same names. */
  tools?: Tools | undefined;
  /** Variables of a new session. A session that exists has its own. */
  variables?: Record<string, unknown> | undefined;
  /**
   * When entries must survive a loss of power; they survive the end of the process in any case. `"call"`: before each
   * tool call and each answer. `"turn"`: each answer, before anything that follows from it leaves the guest. `"run"`:
   * before `run()` settles. Default `"turn"`.
   */
  durability?: Durability | undefined;
  /**
   * What to do if the session was recorded by another version of this package, by another engine or with other options.
   * `"verify"`: replay the journal, compare everything, and continue if nothing differs. `"refuse"`: fail with
   * `ERR_REPLAY_ENGINE`. Default `"verify"`.
   */
  onEngineChange?: 'verify' | 'refuse' | undefined;
  /** As {@link DurableTool.inDoubt}, for tools that do not set it. Default `"wait"`. */
  inDoubt?: InDoubt | undefined;
  /** The seed of the random numbers of a new session. Default: an unpredictable one. */
  seed?: string | undefined;
  /** The time zone of a new session, such as `"Europe/Berlin"`. Default: that of this process. */
  timeZone?: string | undefined;
  /** Maximum size of the journal in bytes. Default 64 MiB. */
  maxJournalBytes?: number | undefined;
  /**
   * How long a replay may take, in milliseconds. A replay that takes longer fails with `ERR_EXEC_TIMEOUT`. At most four
   * replays of the same `owner` run at the same time; others wait. Default 60,000.
   */
  replayTimeoutMs?: number | undefined;
  /**
   * What the session is rebuilt from. `"data"` is for a session that cannot be replayed any more, after
   * `ERR_REPLAY_DIVERGED` or `ERR_REPLAY_ENGINE`: it begins again in a fresh isolate, with those top-level variables
   * that are plain data. The values are those of the last run whose replay does what the journal says. {@link
   * DurableSession.recovery} names the variables, and what was left out. The next run is marked with `recovered: true`.
   * A run that waits is given up. The history and the numbers of runs continue. The journal keeps that decision, so
   * pass the option once. Default `"journal"`.
   */
  from?: 'journal' | 'data' | undefined;
}

/**
 * Checked options.
 *
 * @internal
 */
export interface DurableSettings {
  id: string;
  store: JournalStore;
  sign: Uint8Array | null;
  verify: Uint8Array[];
  engine: 'javascript' | 'python' | undefined;
  executor: Record<string, unknown>;
  tools: Tools | undefined;
  variables: Record<string, unknown> | undefined;
  durability: Durability;
  onEngineChange: 'verify' | 'refuse';
  inDoubt: InDoubt;
  seed: string | undefined;
  timeZone: string | undefined;
  maxJournalBytes: number;
  replayTimeoutMs: number;
  from: 'journal' | 'data';
}

const NAMES = [
  'store',
  'keys',
  'engine',
  'executor',
  'tools',
  'variables',
  'durability',
  'onEngineChange',
  'inDoubt',
  'seed',
  'timeZone',
  'maxJournalBytes',
  'replayTimeoutMs',
  'from',
];
/** 64 MiB. */
const MAX_JOURNAL_BYTES = 64 << 20;
const REPLAY_TIMEOUT_MS = 60_000;
/** Ids become parts of file names and keys. */
const ID = /^[\w.:@/-]{1,80}$/;

/**
 * @internal
 * @throws {TypeError | RangeError}
 */
export function checkDurableOptions(id: unknown, options: unknown): DurableSettings {
  const given = record(options, 'options', NAMES);
  checkId(id);
  checkStore(given.store);
  for (const [name, values] of Object.entries(CHOICES)) refuseOther(given[name], `options.${name}`, values);
  checkInDoubt(given.inDoubt, 'options.inDoubt');
  for (const name of ['seed', 'timeZone']) {
    if (given[name] !== undefined && (typeof given[name] !== 'string' || given[name] === '')) {
      throw new TypeError(`options.${name} must be a non-empty string, got ${describe(given[name])}`);
    }
  }
  const { engine, maxJournalBytes = MAX_JOURNAL_BYTES } = given;
  if (!Number.isSafeInteger(maxJournalBytes) || maxJournalBytes < 1) {
    throw new RangeError(`options.maxJournalBytes must be a positive integer, got ${describe(maxJournalBytes)}`);
  }
  const { replayTimeoutMs = REPLAY_TIMEOUT_MS } = given;
  if (!Number.isSafeInteger(replayTimeoutMs) || replayTimeoutMs < 1 || replayTimeoutMs >= 2 ** 31) {
    throw new RangeError(
      `options.replayTimeoutMs must be an integer from 1 to 2147483647, got ${describe(replayTimeoutMs)}`,
    );
  }
  if (given.tools !== undefined) flattenTools(given.tools);
  if (given.variables !== undefined) namesOfVariables(given.variables);
  return {
    id,
    store: given.store,
    ...keysOf(given.keys, given.store),
    engine,
    executor: executorOptions(given.executor, engine),
    tools: given.tools,
    variables: given.variables,
    durability: given.durability ?? 'turn',
    onEngineChange: given.onEngineChange ?? 'verify',
    inDoubt: given.inDoubt ?? 'wait',
    seed: given.seed,
    timeZone: zoneOf(given.timeZone),
    maxJournalBytes,
    replayTimeoutMs,
    from: given.from ?? 'journal',
  };
}

/**
 * @internal
 * @throws {TypeError | RangeError}
 */
export function checkId(id: unknown): asserts id is string {
  if (typeof id !== 'string') throw new TypeError(`id must be a string, got ${describe(id)}`);
  if (isId(id)) return;
  throw new RangeError(`id must have 1 to 80 ASCII letters, digits and characters of "_-.:@/", got ${describe(id)}`);
}

/** @internal */
export function isId(id: string): boolean {
  return ID.test(id);
}

const CHOICES = {
  engine: ['javascript', 'python'],
  durability: ['call', 'turn', 'run'],
  onEngineChange: ['verify', 'refuse'],
  from: ['journal', 'data'],
};

function refuseOther(value: unknown, path: string, values: string[]) {
  if (value === undefined || values.includes(value as string)) return;
  const expected = values.map((choice) => JSON.stringify(choice)).join(' or ');
  throw new TypeError(`${path} must be ${expected}, got ${describe(value)}`);
}

function checkStore(store: unknown) {
  const methods = ['read', 'append', 'list', 'remove'];
  const isStore =
    typeof store === 'object' &&
    store !== null &&
    methods.every((name) => typeof Reflect.get(store, name) === 'function');
  if (isStore) return;
  throw new TypeError(`options.store must be a JournalStore, such as fileStore(folder), got ${describe(store)}`);
}

function keysOf(keys: unknown, store: JournalStore): Pick<DurableSettings, 'sign' | 'verify'> {
  if (keys === undefined) {
    if (store.isInMemory) return { sign: null, verify: [] };
    throw new TypeError('options.keys is required: a journal outside of memory is signed; pass { sign: secret }');
  }
  const { sign, verify = [] } = record(keys, 'options.keys', ['sign', 'verify']);
  if (!Array.isArray(verify)) throw new TypeError(`options.keys.verify must be an array, got ${describe(verify)}`);
  return {
    sign: keyOf(sign, 'options.keys.sign'),
    verify: verify.map((key, index) => keyOf(key, `options.keys.verify[${index}]`)),
  };
}

function keyOf(key: unknown, path: string): Uint8Array {
  const isKey = typeof key === 'string' || key instanceof Uint8Array;
  if (isKey && key.length > 0) return typeof key === 'string' ? Buffer.from(key, 'utf8') : Uint8Array.from(key);
  throw new TypeError(`${path} must be a non-empty string or Uint8Array, got ${describe(key)}`);
}

function executorOptions(options: unknown, engine: DurableSettings['engine']) {
  if (options === undefined) return {};
  const given = { ...objectOf(options, 'options.executor') };
  const refused = (name: string, reason: string) => {
    throw new TypeError(`options.executor.${name} cannot be combined with a journal: ${reason}`);
  };
  if (given.keepState === true) refused('keepState', 'what an interrupted run leaves cannot be replayed');
  if (given.autoInit === true) refused('autoInit', 'open() makes the session ready');
  if (given.recover !== undefined && given.recover !== 'replay' && given.recover !== false) {
    refused('recover', 'a lost run is undone by a replay, which is recover: "replay"');
  }
  if (engine === 'python' && given.engine === 'host') refused('engine', 'only isolates can be replayed');
  for (const name of ['keepState', 'autoInit', 'recover']) delete given[name];
  if (engine === 'python') checkPythonOptions(undefined, given);
  else refuseWrongOptions(given);
  return given;
}

/** @throws {RangeError} */
function zoneOf(timeZone: string | undefined) {
  if (timeZone === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    throw new RangeError(`options.timeZone must be a time zone, got ${describe(timeZone)}`);
  }
}

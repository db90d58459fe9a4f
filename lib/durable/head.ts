import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

import { checkOptions, objectOf } from '../contract/options';
import { ToolRegistry, flattenTools } from '../contract/tool-registry';
import { nativeModules } from '../ses/modules';
import { engineDiffers, journalInvalid } from './errors';
import type { Foreign } from '../contract/foreign';
import type { DurableSettings } from './options';
import type { Recovery } from './types';

/** Loaded lazily: code that only references the class of sessions must not load the addon. */
export const addon = (): typeof import('../../native.cjs') => require('../../native.cjs');

/** The form of heads and of what follows from them. */
const FORMAT = 1;
/** How much of the addon's file is read at each end. Its build id is at the beginning. */
const SAMPLE_BYTES = 64 << 10;

/** The first entry of a journal, as JSON: what the session was made with. */
export interface Head {
  format: number;
  engine: 'javascript' | 'python';
  /** what the replay depends on, by name */
  versions: Record<string, string>;
  timeZone: string;
  /** options of the executor that the guest can notice */
  options: Record<string, unknown>;
  /** paths of the tools that the session was opened with */
  tools: string[];
  /** when the session was made, ISO 8601 */
  created: string;
  /** of a fork: the session and the number of its runs that it continues */
  fork?: { id: string; run: number };
  /** of a session that began again: what it has of the entries before */
  recovery?: Recovery;
  /** of a session whose journal was removed by a reset: what distinguishes its keys from those before */
  reset?: string;
}

/** Options that a guest of JavaScript can notice. */
const NOTICED = [
  'maxOperations',
  'authorizedImports',
  'maxLogBytes',
  'collectConsoleLevels',
  'memoryLimitMb',
  'maxCodeBytes',
  'maxToolCalls',
  'maxConcurrentToolCalls',
  'maxTransferBytes',
  'hardenToolResults',
  'globals',
  'language',
];
/** The same of Python. Settings that are variables of the guest cannot be changed later. */
const NOTICED_IN_PYTHON = ['maxLogBytes', 'collectConsoleLevels', 'memoryLimitMb', 'maxCodeBytes', 'maxToolCalls'];
const FIXED_IN_PYTHON = [
  'authorized_imports',
  'max_operations',
  'max_while_iterations',
  'allowed_dangerous_builtins',
  'mountPoint',
  'packages',
];

export function newHead(settings: DurableSettings): Head {
  const { engine = 'javascript', tools, timeZone = ownTimeZone() } = settings;
  return {
    format: FORMAT,
    engine,
    versions: versionsOf(engine),
    timeZone,
    options: optionsOf(settings.executor, engine),
    tools: toolPaths(tools),
    created: new Date().toISOString(),
  };
}

/** @throws {ExecutorError} */
export function readHead(text: string): Head {
  let head: Foreign;
  try {
    head = objectOf(JSON.parse(text), 'the head');
    objectOf(head.versions, 'versions');
    objectOf(head.options, 'options');
  } catch (error) {
    throw journalInvalid('form', 0, `the head cannot be read: ${(error as Error).message}`);
  }
  if (head.format !== FORMAT) {
    throw engineDiffers(
      'format',
      head.format,
      FORMAT,
      `the journal has format ${head.format}, this version reads ${FORMAT}`,
    );
  }
  const isWhole =
    typeof head.timeZone === 'string' && Array.isArray(head.tools) && ['javascript', 'python'].includes(head.engine);
  if (!isWhole) throw journalInvalid('form', 0, 'the head is incomplete');
  if (head.reset !== undefined && !/^\w{1,40}$/.test(head.reset)) throw journalInvalid('form', 0, 'reset is wrong');
  return head;
}

/** The head of a session that begins again. */
export function headOfRestart(head: Head, settings: DurableSettings, recovery: Recovery | undefined): Head {
  const { timeZone = head.timeZone } = settings;
  const executor = executorOptionsWith(head, settings);
  const { created, reset } = head;
  const next = newHead({ ...settings, engine: head.engine, timeZone, executor });
  return { ...next, created, recovery, ...(reset !== undefined && { reset }) };
}

/**
 * What the keys of the session's calls begin with. A reset begins to count runs again, and no two calls of a session
 * may have the same key: it is the idempotency key of what tools do. No id contains the separator.
 */
export function keyPrefixOf(id: string, { reset }: Pick<Head, 'reset'>): string {
  return reset === undefined ? id : `${id}+${reset}`;
}

/** @param call its number in the run */
export function keyOfCall(keyPrefix: string, run: number, call: number): string {
  return `${keyPrefix}/${run}/${call}`;
}

/**
 * Compares the head of a journal with what this process offers.
 *
 * @returns the names of what differs, if the replay has to show whether that matters
 * @throws {ExecutorError} `ERR_REPLAY_ENGINE`
 */
export function compareHead(head: Head, settings: DurableSettings): string[] {
  if (settings.engine !== undefined && head.engine !== settings.engine) {
    const reason = `it is a session of ${head.engine}; pass engine: ${JSON.stringify(head.engine)}`;
    throw engineDiffers('engine', head.engine, settings.engine, reason);
  }
  const offered = settings.tools && new Set(toolPaths(settings.tools));
  const missing = offered === undefined ? [] : head.tools.filter((path) => !offered.has(path));
  if (missing.length > 0) {
    throw engineDiffers(
      'tools',
      missing,
      [],
      `the session has tools that are not in options.tools: ${missing.join(', ')}`,
    );
  }
  const versions = versionsOf(head.engine);
  const names = new Set([...Object.keys(head.versions), ...Object.keys(versions)]);
  const differs = [...names].flatMap((name) => {
    const [expected, actual] = [head.versions[name], versions[name]];
    return expected === actual ? [] : [{ name, expected, actual }];
  });
  const now = optionsOf(settings.executor, head.engine);
  for (const name of Object.keys({ ...head.options, ...now })) {
    const isGiven = Object.hasOwn(settings.executor, name) && settings.executor[name] !== undefined;
    const [expected, actual] = [head.options[name], now[name]].map((value) => JSON.stringify(value));
    if (!isGiven && name !== 'modules') continue;
    if (expected === actual) continue;
    if (name === 'modules' || FIXED_IN_PYTHON.includes(name)) {
      const reason = `options.executor.${name} must be the same as when the session was created`;
      throw engineDiffers(`options.${name}`, head.options[name], now[name], reason);
    }
    differs.push({ name: `options.${name}`, expected, actual });
  }
  if (differs.length > 0 && settings.onEngineChange === 'refuse') {
    const [{ name, expected, actual }] = differs;
    throw engineDiffers(name, expected, actual, `${name} is ${actual} and was ${expected ?? 'not recorded'}`);
  }
  return differs.map(({ name }) => name);
}

/** The options of the executor of a session: those of the head, unless the caller has others. */
export function executorOptionsWith(head: Head, settings: DurableSettings): Record<string, unknown> {
  const { modules: _, ...recorded } = head.options;
  for (const [name, value] of Object.entries(recorded)) if (value === 'Infinity') recorded[name] = Infinity;
  return { ...recorded, ...settings.executor };
}

/** The time zone that isolates on threads have. */
export function ownTimeZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function toolPaths(tools: unknown): string[] {
  return tools === undefined ? [] : flattenTools(tools).map(({ path }) => path.join('.'));
}

function optionsOf(executor: Record<string, unknown>, engine: Head['engine']): Record<string, unknown> {
  if (engine === 'python') {
    const names = [...NOTICED_IN_PYTHON, ...FIXED_IN_PYTHON];
    return Object.fromEntries(names.flatMap((name) => (executor[name] === undefined ? [] : [[name, executor[name]]])));
  }
  const checked = checkOptions(executor) as unknown as Record<string, unknown>;
  const options = Object.fromEntries(NOTICED.map((name) => [name, asJson(checked[name])]));
  const modules = executor.modules as object | undefined;
  if (modules !== undefined && Object.keys(modules).length > 0) options.modules = digestOfModules(modules);
  return options;
}

/** JSON has no Infinity. */
function asJson(value: unknown) {
  return value === Infinity ? 'Infinity' : value;
}

/** The text of modules, and what exports of the host are. */
function digestOfModules(modules: object) {
  const hash = createHash('sha256');
  for (const { values, ...rest } of nativeModules(modules, new ToolRegistry()) as Foreign[]) {
    hash.update(JSON.stringify(rest)).update(values ?? '');
  }
  return hash.digest('hex');
}

/** What a replay depends on, by name. If several differ, the first one is named. */
export function versionsOf(engine: 'javascript' | 'python'): Record<string, string> {
  const shared = (known ??= {
    package: (require('../../package.json') as { version: string }).version,
    // Those of the addon, whatever Node.js has. The version of ICU is not that of its data: the digest covers these.
    ...addon().versions(),
    addon: digestOfAddon(),
    arch: process.arch,
  });
  return engine === 'python' ? { ...shared, pyodide: (knownPyodide ??= pyodideVersion()) } : shared;
}
let known: Record<string, string> | undefined;
let knownPyodide: string | undefined;

/** The build of the addon, which has V8, ICU and its data in it. */
function digestOfAddon() {
  const path = addonPath();
  if (path === undefined) return 'unknown';
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const hash = createHash('sha256').update(String(size));
    for (const at of [0, Math.max(0, size - SAMPLE_BYTES)]) {
      const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, size));
      readSync(file, sample, 0, sample.length, at);
      hash.update(sample);
    }
    return hash.digest('hex').slice(0, 32);
  } finally {
    closeSync(file);
  }
}

function addonPath() {
  const loaded = addon();
  return Object.keys(require.cache).find((path) => path.endsWith('.node') && require.cache[path]?.exports === loaded);
}

function pyodideVersion() {
  const { pyodideFolder } = require('../python/pyodide-folder') as typeof import('../python/pyodide-folder');
  const folder = pyodideFolder();
  const lock = readFileSync(join(folder, 'pyodide-lock.json'));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return `${version} ${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`;
}

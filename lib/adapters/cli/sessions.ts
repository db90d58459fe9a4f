import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { errorText } from './diagnostics';
import { loadTools } from './input';
import { ownStdout } from './terminal';
import { UsageError, asUsage } from './usage-error';
import { ExecutorError } from '../../contract/errors';
import { outputText, toJson } from '../../contract/render';
import { write } from '../../contract/terminal';
import { visibleText } from '../../contract/visible-text';
import { planToApprove } from '../../contract/waiting-call';
import { planText } from '../code-tool/render-plan';
import { toolsetOf } from '../mcp/tools';
import { fileStore, natsStore, sqliteStore } from '../../durable';
import { sessionOfFile } from '../../durable/file-store';
import { DurableSession } from '../../durable/session';
import type { Answer, Finished, JournalEntry, JournalStore, NatsStore, Recovery, Stale, Waiting } from '../../durable';
import type { CommandOptions } from './main';

/** The environment variable with the key: other users of the machine can read arguments. */
const KEY_NAME = 'SES_EXECUTOR_JOURNAL_KEY';

/** The environment variable with the path of the credentials for a broker. */
const CREDENTIALS_NAME = 'SES_EXECUTOR_CREDENTIALS';
/** The store of this command if it is a broker, whose connection keeps the process alive. */
let broker: NatsStore | undefined;

type Action = (words: string[], options: CommandOptions) => Promise<void>;

/** What `sessions` does, and the words that follow. */
const ACTIONS: Record<string, { words: string[]; act: Action }> = {
  list: { words: [], act: list },
  show: { words: ['id'], act: show },
  answer: { words: ['id', 'key'], act: answer },
  fork: { words: ['id', 'new id'], act: fork },
  remove: { words: ['id'], act: remove },
};

/** Runs `ses-executor sessions`. The exit status is 1 if the program or the session failed. */
export async function sessions([name, ...words]: string[], options: CommandOptions): Promise<number> {
  const action = name !== undefined && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(`sessions must be followed by one of these: ${Object.keys(ACTIONS).join(', ')}`);
  if (words.length !== action.words.length) {
    throw new UsageError(`expected: ${['sessions', name, ...action.words.map((word) => `<${word}>`)].join(' ')}`);
  }
  return withErrors(options, () => action.act(words, options));
}

/** Runs `ses-executor replay`. The exit status is 1 if the replay differs from the journal. */
export async function replay([file = '', ...others]: string[], options: CommandOptions): Promise<number> {
  const id = sessionOfFile(basename(file));
  if (others.length > 0 || id === undefined || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new UsageError('replay takes one file of fileStore(), such as sessions/order-7.journal');
  }
  return withErrors(options, async () => {
    const store = fileStore(dirname(file));
    const { entries, runs, parts } = await contentOf(viewOf(id, store));
    for (const { end, run } of parts) {
      const part = viewOf(id, beginningOf(store, end), { isComplete: true, ...(run !== undefined && { runs: run }) });
      try {
        await part.init();
      } finally {
        await part.cleanup();
      }
    }
    print(options, { id, runs, entries }, `${id}: ${runs} runs, ${entries} entries: no differences\n`);
  });
}

async function list(_words: string[], options: CommandOptions) {
  const found: string[] = [];
  for await (const { id } of storeOf(options).list()) found.push(id);
  print(options, found, found.map((id) => `${id}\n`).join(''));
}

async function show([id]: string[], options: CommandOptions) {
  const session = viewOf(id, await storeWith(id, options));
  const entries: JournalEntry[] = [];
  for await (const entry of session.history()) entries.push(entry);
  print(options, entries, entries.map(lineOf).join(''));
}

async function answer([id, key]: string[], options: CommandOptions) {
  const given = answerOf(options);
  await inSession(id, options, async (session) => printResult(await session.answer({ [key]: given }), options));
}

async function fork([id, newId]: string[], options: CommandOptions) {
  await inSession(id, options, async (session) => {
    const made = await session.fork(newId, { run: options.run });
    await made.cleanup();
  });
  print(options, { id: newId }, `${newId}\n`);
}

async function remove([id]: string[], options: CommandOptions) {
  const store = await storeWith(id, options);
  await store.remove(id);
}

async function inSession(id: string, options: CommandOptions, work: (session: DurableSession) => Promise<void>) {
  const store = await storeWith(id, options);
  const run = options.tools === undefined ? undefined : await toolsOf(options.tools);
  const session = await DurableSession.open(id, { store, keys: keys(), tools: run?.tools });
  try {
    await work(session);
  } finally {
    run?.end();
    await session.cleanup();
  }
}

/** The functions of a module. Tools that need approval ask for it, unless a plan with the call is approved. */
async function toolsOf(file: string) {
  const exported = await loadTools(file);
  return asUsage(() => toolsetOf({ tools: exported }).toolset.forRun(undefined));
}

/** A session that is only looked at: nothing is written, and another process may have it open. */
function viewOf(id: string, store: JournalStore, view: ConstructorParameters<typeof DurableSession>[2] = {}) {
  return new DurableSession(id, { store, keys: keys() }, view);
}

/** Entries that are replayed together: those before a number. */
interface Part {
  end: number;
  /** the last run whose replay did not differ, if the session began again because of that */
  run?: number;
}

/** How much a journal has, and the parts of it that end where the session began again. */
async function contentOf(session: DurableSession) {
  const found: { entries: number; runs: number; parts: Part[] } = { entries: 0, runs: 0, parts: [] };
  let known: string | undefined;
  let end = 0;
  for await (const { number, type, run = 0, recovery } of session.history()) {
    found.entries++;
    found.runs = Math.max(found.runs, run);
    end = number + 1;
    if (type !== 'restart') continue;
    // Later restarts repeat it.
    const isFromData = recovery !== undefined && JSON.stringify(recovery) !== known;
    if (isFromData) known = JSON.stringify(recovery);
    found.parts.push({ end: number, ...(isFromData && { run: (recovery as Recovery).run }) });
  }
  found.parts.push({ end });
  return found;
}

/** The first entries of a journal. */
function beginningOf(store: JournalStore, end: number): JournalStore {
  const read = async function* (id: string) {
    let number = 0;
    for await (const entry of store.read(id)) if (number++ < end) yield entry;
  };
  return {
    read,
    append: (...args) => store.append(...args),
    getBlob: (id, digest) => store.getBlob?.(id, digest),
    list: () => store.list(),
    remove: (id) => store.remove(id),
  };
}

function storeOf({ store }: CommandOptions) {
  if (store === undefined) {
    throw new UsageError('--store is missing: the folder, the .db file or the broker of the sessions');
  }
  if (isBroker(store)) {
    broker ??= natsStore({ servers: store, credentials: process.env[CREDENTIALS_NAME] || undefined });
    return broker;
  }
  return /\.(?:db|sqlite3?)$/.test(store) ? sqliteStore(store) : fileStore(store);
}

/** @throws {UsageError} if the store does not have the session */
async function storeWith(id: string, options: CommandOptions) {
  const store = storeOf(options);
  for await (const found of store.list()) if (found.id === id) return store;
  throw new UsageError(`there is no session ${JSON.stringify(id)} in ${named(options.store as string)}`);
}

function isBroker(store: string) {
  return /^(?:nats|tls):/.test(store);
}

/** The store for messages: the address of a broker without its password. */
function named(store: string) {
  return isBroker(store) && store.includes('@') ? `broker ${store.slice(store.lastIndexOf('@') + 1)}` : store;
}

function keys() {
  const sign = process.env[KEY_NAME];
  if (!sign) throw new UsageError(`the environment variable ${KEY_NAME} must contain the journal key`);
  return { sign };
}

function answerOf({ result, error, approve, approvePlan }: CommandOptions): Answer {
  const given: Answer[] = [];
  if (result !== undefined) given.push({ result: parsed(result) });
  if (error !== undefined) given.push({ error: { message: error } });
  if (approve) given.push({ approve: true });
  if (approvePlan) given.push({ approve: 'plan' });
  if (given.length !== 1) throw new UsageError('answer needs one of --result, --error, --approve and --approve-plan');
  return given[0];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UsageError(`--result must be JSON: ${(error as Error).message}`);
  }
}

function printResult(result: Finished | Waiting | Stale, options: CommandOptions) {
  if (result.status === 'finished') {
    const { output, logs } = result.output;
    const text = outputText(output, { colors: false });
    print(options, { ...result, output: { output: toJson(output), logs } }, output === undefined ? '' : `${text}\n`);
  } else if (result.status === 'waiting') {
    const lines = result.calls.map(
      ({ key, name, args, payload }) => `${key} ${name}(${args.map(shortOf).join(', ')}) waits\n${planLines(payload)}`,
    );
    print(options, toJson(result), lines.join(''));
  } else {
    print(options, result, 'no call is waiting for this answer any more\n');
  }
}

/** What a call waits for, in an entry of a journal, which has it as JSON. */
function payloadOf(waiting: unknown) {
  const { payload } = (waiting ?? {}) as { payload?: unknown };
  return typeof payload === 'string' ? (JSON.parse(payload) as { payload?: unknown }).payload : undefined;
}

/** The plan of the program that waits, for a person who decides about it. */
function planLines(payload: unknown) {
  const lines = planText(planToApprove(payload))?.split('\n') ?? [];
  return lines.map((line) => `  ${line}\n`).join('');
}

/** Most characters of a value that a line shows. */
const MAX_SHOWN = 100;

function lineOf({ number, type, run, ...facts }: JournalEntry) {
  const place = run === undefined ? '' : ` run ${run}`;
  const shown = Object.entries(facts).map(([name, value]) => ` ${name}: ${shortOf(value)}`);
  return `${number}${place} ${type}${shown.join('')}\n${planLines(payloadOf(facts.waiting))}`;
}

function shortOf(value: unknown) {
  const text = visibleText(JSON.stringify(toJson(value)) ?? 'undefined');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function print({ json }: CommandOptions, value: unknown, text: string) {
  write(ownStdout(), json ? `${JSON.stringify(toJson(value), null, 2)}\n` : text);
}

async function withErrors(options: CommandOptions, work: () => Promise<void>) {
  try {
    await work();
    return 0;
  } catch (error) {
    if (!(error instanceof ExecutorError)) throw error;
    if (options.json) print(options, { error: error.toJSON() }, '');
    else write(process.stderr, textOf(error));
    return 1;
  } finally {
    await broker?.close();
    broker = undefined;
  }
}

function textOf(error: ExecutorError) {
  const { entry, run, expected, actual } = error.details ?? {};
  if (error.code !== 'ERR_REPLAY_DIVERGED') return errorText(error, 'the session', '');
  const facts = [
    `in entry ${String(entry)} of run ${String(run)}`,
    `recorded: ${shortOf(expected)}`,
    `now: ${shortOf(actual)}`,
  ];
  return `${error.code}: ${error.message}\n${facts.map((fact) => `  ${fact}\n`).join('')}`;
}

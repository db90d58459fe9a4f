import { LEVELS } from '../contract/option-table';
import { calledAt, servicePath } from '../contract/tool-registry';
import wire = require('../ses/transfer');
import { keyOfCall } from './head';
import { asyncSlices } from '../contract/budget';
import type { NativeJournal, NativeJournalAnswer, NativeJournalContent, NativeJournalEntry } from '../../native';
import type { FinishedCall } from '../contract/waiting-call';
import type { JournalEntry } from './types';

/**
 * Entries of a journal, as people and debuggers read them.
 *
 * @param keyPrefix what the keys of calls begin with
 * @param journal was read and not replayed
 */
export async function* historyOf(
  keyPrefix: string,
  journal: NativeJournal,
  { next }: Pick<NativeJournalContent, 'next'>,
): AsyncGenerator<JournalEntry> {
  /** Names of tools. Those of an entry hold until another one numbers tools. */
  const names: Map<number, string> = new Map();
  /** Keys of the calls of the run, by the numbers that answers have. */
  const keys = new Map<number, string>();
  const pause = asyncSlices();
  for (let number = 0; number < next; number++) {
    const entry = journal.entry(number);
    if (entry === null) continue;
    if (entry.type === 'run') keys.clear();
    for (const { id: tool, path } of entry.tools ?? []) names.set(tool, nameOf(tool, path));
    const place = entry.run === 0 ? { number } : { number, run: entry.run };
    for (const facts of factsOf(keyPrefix, entry, keys, names)) yield { ...place, type: entry.type, ...facts };
    await pause();
  }
}

/**
 * The calls of the last run that have a result, in their order.
 *
 * @param journal was read and not replayed
 */
export async function finishedCalls(
  journal: NativeJournal,
  { tools, runs }: Pick<NativeJournalContent, 'tools' | 'runs'>,
): Promise<FinishedCall[]> {
  const pause = asyncSlices();
  const finished: Set<number> = new Set();
  for (const number of journal.find('answers', runs)) {
    for (const answer of journal.outline(number)?.answers ?? []) {
      if (answer.isWithheld || answer.value !== undefined) finished.add(answer.id);
    }
    await pause();
  }
  const calls: FinishedCall[] = [];
  for (const number of journal.find('call', runs)) {
    for (const { id, tool, args } of journal.entry(number)?.calls ?? []) {
      if (!finished.has(id)) continue;
      calls.push({ name: calledAt(tool, tools)?.path.join('.') ?? '', args: argumentsOf(args) });
    }
    await pause();
  }
  return calls;
}

/** @param path as it was sent to the guest */
function nameOf(tool: number, path: string[]) {
  return (servicePath(tool, path) ?? path).join('.');
}

/** What the journal says, and what happened instead, where a replay has left the journal. */
export function divergenceOf(
  journal: NativeJournal,
  { tools }: Pick<NativeJournalContent, 'tools'>,
): { expected?: unknown; actual?: unknown } {
  const names = new Map(tools.map(({ id, path }) => [id, nameOf(id, path)]));
  const shown = (entry: NativeJournalEntry | undefined) => {
    if (entry === undefined) return undefined;
    const [{ key: _, ...facts }] = factsOf('', entry, new Map(), names);
    return { type: entry.type, ...facts };
  };
  const { expected, actual } = journal.diverged();
  return { expected: shown(expected), actual: shown(actual) };
}

function factsOf(
  keyPrefix: string,
  entry: NativeJournalEntry,
  keys: Map<number, string>,
  tools: Map<number, string>,
): Record<string, unknown>[] {
  const { type, text = '', level = 0, nowMs, names, calls = [], answers = [], output, error } = entry;
  switch (type) {
    case 'head':
    case 'restart':
    case 'note':
      return [JSON.parse(text)];
    case 'run':
      return [{ code: text, time: timeOf(nowMs) }];
    case 'variables':
      return [{ names }];
    case 'tools':
      return [{ names: (entry.tools ?? []).map(({ id: tool, path }) => nameOf(tool, path)) }];
    case 'log':
      return [{ level: LEVELS[level], message: text }];
    case 'call':
      return calls.map(({ id: call, number, tool, args }) => {
        const key = keyOfCall(keyPrefix, entry.run, number);
        keys.set(call, key);
        return { key, name: tools.get(tool) ?? servicePath(tool)?.[0] ?? '', args: argumentsOf(args) };
      });
    case 'answers':
      return answers.map((answer) => ({ key: keys.get(answer.id), time: timeOf(nowMs), ...outcomeOf(answer) }));
    case 'end':
      if (error !== undefined) return [{ error: { code: error.code, message: error.message } }];
      return [output === undefined ? {} : { output: valueOf(output.value) }];
    default:
      return [{}];
  }
}

/** A tool that was called synchronously and returned a promise has no outcome yet. */
function outcomeOf({ value, error, isWithheld }: NativeJournalAnswer) {
  if (isWithheld) return { isWithheld };
  if (error !== undefined) return { error };
  return value === undefined ? { isPending: true } : { result: valueOf(value.value) };
}

function argumentsOf(args: unknown): unknown[] {
  const read = wire.readArguments(args);
  return Array.isArray(read) ? read : [];
}

function valueOf(value: unknown) {
  try {
    return wire.valueOf(value);
  } catch {
    return undefined;
  }
}

function timeOf(nowMs: number | undefined) {
  return nowMs === undefined ? undefined : new Date(nowMs).toISOString();
}

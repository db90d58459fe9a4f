import { within } from '../contract/current-call';
import { describeThrown } from '../contract/errors';
import { withTimeLimit } from '../contract/time-limit';
import { keyOfCall } from './head';
import type { RunScope } from '../contract/run-scope';
import type { Tool } from '../contract/tool-registry';
import type { JournalEntry, RevertedCall } from './types';
import type { Note } from './notes';

/** A finished call of a tool that can be reverted. */
export interface RevertibleCall {
  run: number;
  /** in the run */
  number: number;
  key: string;
  name: string;
  args: unknown[];
  result: unknown;
  /** what the journal says about its revert; undefined if it has not begun */
  revert: RevertedCall['status'] | undefined;
  error: RevertedCall['error'];
}

/**
 * The finished calls of a run that can be reverted, the last one that finished first.
 *
 * @param keyPrefix what the keys of calls begin with
 * @param history entries of the whole journal
 */
export async function revertibleCalls(
  keyPrefix: string,
  run: number,
  history: AsyncIterable<JournalEntry>,
): Promise<RevertibleCall[]> {
  const calls = new Map<string, JournalEntry>();
  const made = new Set<string>();
  const finished = new Map<string, RevertibleCall>();
  for await (const entry of history) {
    const { type, key = '' } = entry as JournalEntry & { key?: string };
    if (type === 'note') {
      const { revertible, revert, reverted } = entry as Note;
      if (revertible !== undefined && entry.run === run) made.add(keyOfCall(keyPrefix, run, revertible.call));
      const call = revert ?? reverted;
      const found = call?.run === run ? finished.get(keyOfCall(keyPrefix, run, call.call)) : undefined;
      if (found === undefined) continue;
      found.revert = revert !== undefined ? 'inDoubt' : reverted?.error === undefined ? 'reverted' : 'failed';
      found.error = reverted?.error;
    } else if (entry.run === run && type === 'call') {
      calls.set(key, entry);
    } else if (entry.run === run && type === 'answers' && 'result' in entry && made.has(key)) {
      const { name, args } = calls.get(key) as { name?: string; args?: unknown[] };
      const number = Number(key.slice(key.lastIndexOf('/') + 1));
      const call = { run, number, key, name: name ?? '', args: args ?? [], result: entry.result };
      finished.set(key, { ...call, revert: undefined, error: undefined });
    }
  }
  return [...finished.values()].reverse();
}

interface Surroundings {
  toolOf: (name: string) => Tool | undefined;
  /** milliseconds that a revert may take, if its tool is limited */
  limitOf: (tool: Tool) => number | undefined;
  /** settles when the note is stored; rejects if it is not */
  note: (note: Note) => Promise<void>;
  /** ends with the session: then no further revert begins, and nobody waits for the one under way */
  scope: RunScope;
}

/**
 * Reverts calls, one after the other. The journal has each intent before the function is called, so that no call is
 * ever reverted twice. A revert that fails does not keep the others from being made.
 */
export async function revertCalls(
  calls: RevertibleCall[],
  { toolOf, limitOf, note, scope }: Surroundings,
): Promise<RevertedCall[]> {
  const done: RevertedCall[] = [];
  for (const { run, number, key, name, args, result, revert: status, error } of calls) {
    if (status !== undefined) {
      done.push({ key, name, status, ...(error && { error }) });
      continue;
    }
    const tool = toolOf(name);
    if (scope.isOver || tool?.revert === undefined) {
      const reason = scope.isOver ? 'the session was cleaned up' : `there is no tool ${name} with a function revert`;
      done.push({ key, name, status: 'failed', error: { name: 'Error', message: reason } });
      continue;
    }
    try {
      await note({ revert: { run, call: number } });
    } catch (refused) {
      done.push({ key, name, status: 'failed', error: shown(refused) });
      continue;
    }
    const failure = await failureOf(tool, { key, args, result, timeoutMs: limitOf(tool), scope: scope.part() });
    if (failure === 'ended') {
      done.push({ key, name, status: 'inDoubt' });
      continue;
    }
    // Otherwise the journal says that nobody knows. The caller knows.
    await note({ reverted: { run, call: number, ...(failure && { error: failure }) } }).catch(() => {});
    done.push({ key, name, status: failure === undefined ? 'reverted' : 'failed', ...(failure && { error: failure }) });
  }
  return done;
}

async function failureOf(
  { revert, path }: Tool,
  {
    key,
    args,
    result,
    timeoutMs,
    scope,
  }: Pick<RevertibleCall, 'key' | 'args' | 'result'> & {
    timeoutMs: number | undefined;
    scope: RunScope;
  },
) {
  const about = { key, attempt: 1, isApproved: false, isReplay: false };
  const late = () => new Error(`the function revert of ${path.join('.')} did not settle within ${timeoutMs} ms`);
  try {
    const work = async () => within(about, scope, () => (revert as Function)(args, result, key));
    await withTimeLimit(work(), { ...(timeoutMs !== undefined && { timeoutMs }), late, signal: scope.signal });
    return undefined;
  } catch (thrown) {
    return scope.isOver ? ('ended' as const) : shown(thrown);
  } finally {
    scope.end();
  }
}

function shown(thrown: unknown) {
  const { name, message } = describeThrown(thrown);
  return { name, message };
}

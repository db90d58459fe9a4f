import { PlanGuard } from '../contract/plan-guard';
import { calledAt } from '../contract/tool-registry';
import wire = require('../ses/transfer');
import type { ApprovedByPlan } from '../contract/current-call';
import type { Plan } from '../contract/plan';
import type { Tool } from '../contract/tool-registry';
import type { NativeJournal, NativeJournalContent } from '../../native';
import type { Note } from './notes';

/** A journal that was read. */
interface ReadJournal {
  entries: Uint8Array[];
  journal: NativeJournal;
  content: NativeJournalContent;
}

/** The run that the end of a journal has a plan for, and that may not have begun; 0: none. */
export function lastPlanned({ entries, journal }: Pick<ReadJournal, 'entries' | 'journal'>): number {
  for (const bytes of entries.toReversed()) {
    const entry = journal.entry(bytes);
    if (entry?.type === 'run') return 0;
    const plan = entry?.type === 'note' ? (JSON.parse(entry.text ?? '{}') as Note).plan : undefined;
    if (plan !== undefined) return plan.run;
  }
  return 0;
}

/**
 * The plan that an open run is held to, in the form that executors take. The calls that it has made are counted, apart from
 * those without an answer: they reach the host again.
 *
 * @param toolOf the host's function of a tool
 * @param given the plan of a run that has begun without one
 */
export function heldPlanOf(
  found: ReadJournal,
  toolOf: (path: string[]) => Tool | undefined,
  given: Plan | undefined,
): Plan | undefined {
  const { open } = found.content;
  if (open === undefined) return undefined;
  let noted: Note['plan'];
  for (const bytes of found.entries) {
    const entry = found.journal.entry(bytes);
    if (entry?.type !== 'note') continue;
    const { plan } = JSON.parse(entry.text ?? '{}') as Note;
    if (plan?.run === open.run) noted = plan;
  }
  const plan = noted?.plan ?? given;
  if (plan === undefined) return undefined;
  const guard = new PlanGuard(plan);
  const again = new Set(open.calls.map(({ call }) => call));
  for (const { number, path, isRequest, args } of callsOf(found, open.run)) {
    if (!again.has(number)) guard.refuse({ path, isRequest, isHelper: toolOf(path)?.isHelper }, args);
  }
  return guard as unknown as Plan;
}

/**
 * Counts calls in the plan that somebody has approved for the rest of an open run.
 *
 * @param approved the plan, and the call with which it was approved
 * @param planned calls that were made because of it
 */
export function approvedByPlan(
  found: ReadJournal,
  approved: { call: number; plan: unknown } | undefined,
  planned: readonly number[],
): ApprovedByPlan | undefined {
  const { open } = found.content;
  if (approved === undefined || open === undefined) return undefined;
  const guard = new PlanGuard(approved.plan);
  const again = new Set(open.calls.map(({ call }) => call));
  const counted = new Set(planned.filter((call) => !again.has(call)));
  counted.add(approved.call);
  for (const { number, path, isRequest, args } of callsOf(found, open.run)) {
    if (counted.has(number)) guard.refuse({ path, isRequest }, args);
  }
  return (name, args) => guard.refuse({ path: [name] }, args) === undefined;
}

/** The calls that the journal has of a run. */
function* callsOf({ entries, journal, content: { tools } }: ReadJournal, run: number) {
  for (const bytes of entries) {
    const entry = journal.entry(bytes);
    if (entry?.type !== 'call' || entry.run !== run) continue;
    for (const { number, tool, args } of entry.calls ?? []) {
      const called = calledAt(tool, tools);
      if (called === undefined) continue;
      const read = wire.readArguments(args);
      yield { number, path: called.path, isRequest: called.isOfGlobal, args: Array.isArray(read) ? read : [] };
    }
  }
}

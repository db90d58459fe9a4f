import { PlanGuard } from '../contract/plan-guard';
import { calledAt } from '../contract/tool-registry';
import wire = require('../ses/transfer');
import { asyncSlices } from '../contract/budget';
import type { ApprovedByPlan } from '../contract/current-call';
import type { Plan } from '../contract/plan';
import type { Tool } from '../contract/tool-registry';
import type { NativeJournal, NativeJournalContent } from '../../native';
import type { Note } from './notes';

/** A journal that was read and not replayed yet. */
interface ReadJournal {
  journal: NativeJournal;
  content: NativeJournalContent;
}

/** The next run of a journal if a plan is noted for it, because it was about to begin; 0: there is none. */
export function lastPlanned(journal: NativeJournal): number {
  const next = journal.runs + 1;
  return notedPlan(journal, next) === undefined ? 0 : next;
}

/**
 * The plan that an open run is held to, in the form that executors take. The calls that it has made are counted, apart
 * from those without an answer: they reach the host again.
 *
 * @param toolOf the host's function of a tool
 * @param given the plan of a run that has begun without one
 */
export async function heldPlanOf(
  found: ReadJournal,
  toolOf: (path: string[]) => Tool | undefined,
  given: Plan | undefined,
): Promise<Plan | undefined> {
  const { open } = found.content;
  if (open === undefined) return undefined;
  const plan = notedPlan(found.journal, open.run)?.plan ?? given;
  if (plan === undefined) return undefined;
  const guard = new PlanGuard(plan);
  const again = new Set(open.calls.map(({ call }) => call));
  for await (const { number, path, isRequest, args } of callsOf(found, open.run)) {
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
export async function approvedByPlan(
  found: ReadJournal,
  approved: { call: number; plan: unknown } | undefined,
  planned: readonly number[],
): Promise<ApprovedByPlan | undefined> {
  const { open } = found.content;
  if (approved === undefined || open === undefined) return undefined;
  const guard = new PlanGuard(approved.plan);
  const again = new Set(open.calls.map(({ call }) => call));
  const counted = new Set(planned.filter((call) => !again.has(call)));
  counted.add(approved.call);
  for await (const { number, path, isRequest, args } of callsOf(found, open.run)) {
    if (counted.has(number)) guard.refuse({ path, isRequest }, args);
  }
  return (name, args) => guard.refuse({ path: [name] }, args) === undefined;
}

/** What the notes before a run say about its plan. They belong to the run before it. */
function notedPlan(journal: NativeJournal, run: number): Note['plan'] {
  let noted: Note['plan'];
  for (const number of journal.find('note', run - 1)) {
    const { plan } = JSON.parse(journal.entry(number)?.text ?? '{}') as Note;
    if (plan?.run === run) noted = plan;
  }
  return noted;
}

/** The calls that the journal has of a run. */
async function* callsOf({ journal, content: { tools } }: ReadJournal, run: number) {
  const pause = asyncSlices();
  for (const entry of journal.find('call', run)) {
    for (const { number, tool, args } of journal.entry(entry)?.calls ?? []) {
      const called = calledAt(tool, tools);
      if (called === undefined) continue;
      const read = wire.readArguments(args);
      yield { number, path: called.path, isRequest: called.isOfGlobal, args: Array.isArray(read) ? read : [] };
    }
    await pause();
  }
}

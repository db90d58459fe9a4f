import { PlanGuard } from '../contract/plan-guard';
import wire = require('../ses/transfer');
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
  { entries, journal, content }: ReadJournal,
  toolOf: (path: string[]) => Tool | undefined,
  given: Plan | undefined,
): Plan | undefined {
  const { open, tools } = content;
  if (open === undefined) return undefined;
  let noted: Note['plan'];
  const calls = [];
  for (const bytes of entries) {
    const entry = journal.entry(bytes);
    if (entry?.type === 'note') {
      const { plan } = JSON.parse(entry.text ?? '{}') as Note;
      if (plan?.run === open.run) noted = plan;
    }
    if (entry?.type === 'call' && entry.run === open.run) calls.push(...(entry.calls ?? []));
  }
  const plan = noted?.plan ?? given;
  if (plan === undefined) return undefined;
  const guard = new PlanGuard(plan);
  const again = new Set(open.calls.map(({ call }) => call));
  for (const { number, tool, args } of calls) {
    const path = tools.find(({ id }) => id === tool)?.path;
    if (path === undefined || again.has(number)) continue;
    const read = wire.readArguments(args);
    guard.refuse({ path, isLookup: toolOf(path)?.isLookup }, Array.isArray(read) ? read : []);
  }
  return guard as unknown as Plan;
}

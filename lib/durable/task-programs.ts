import { createHash } from 'node:crypto';

import { asyncSlices } from '../contract/budget';
import { mayReadNow, readInSlices } from '../ses/read-scheduler';
import wire = require('../ses/transfer');
import { finishedCalls } from './history';
import type { NativeJournal, NativeJournalContent } from '../../native';
import type { EndedProgram, TaskProgram } from '../contract/task-programs';
import type { RunFailure } from '../contract/run-failure';
import type { Executor } from '../contract/executor-types';
import type { Note } from './notes';

/** A program of a task. It is noted before it begins and before it continues. The last note counts. */
export interface ProgramNote {
  task: string;
  /** a digest of the text that runs */
  code: string;
  /** among the programs of the task with this code, from 0 */
  number: number;
  run: number;
  /** how many answers of the task it has used */
  used: number;
  /** how it has failed, and how many answers there were for the task */
  failed?: { failure: RunFailure | undefined; logs: string; answers: number };
}

export function noteOf(program: TaskProgram, executor: Executor, code: string, run: number): ProgramNote {
  const { task, used } = program;
  return { task, code: digestOf(code), number: program.numberIn(executor, code), run, used };
}

/** The notes of programs in a journal. */
export class ProgramNotes {
  #byProgram: Map<string, ProgramNote> = new Map();
  #byRun: Map<number, ProgramNote> = new Map();

  /** @param journal was read and not replayed */
  static async read(journal: NativeJournal, { next }: Pick<NativeJournalContent, 'next'>): Promise<ProgramNotes> {
    const notes = new ProgramNotes();
    const pause = asyncSlices();
    for (let number = 0; number < next; number++) {
      const { type, text = '{}' } = journal.outline(number) ?? {};
      const { program } = (type === 'note' ? JSON.parse(text) : {}) as Note;
      if (program !== undefined) notes.add(program);
      await pause();
    }
    return notes;
  }

  add(note: ProgramNote) {
    this.#byProgram.set(keyOf(note), note);
    this.#byRun.set(note.run, note);
  }

  /** The last note of the same program. */
  find(program: ProgramNote): ProgramNote | undefined {
    return this.#byProgram.get(keyOf(program));
  }

  /** Whether a run is another program of the same task. */
  isOther(run: number, program: ProgramNote): boolean {
    const note = this.#byRun.get(run);
    return note?.task === program.task && keyOf(note) !== keyOf(program);
  }
}

/**
 * How a program has ended, by the journal; undefined if it must run again.
 *
 * @param journal was read and not replayed
 * @param answers how many answers there are for the task. With further ones, the program fails again as it has failed
 */
export async function endedProgram(
  { journal, content }: { journal: NativeJournal; content: NativeJournalContent },
  { run, code, failed }: ProgramNote,
  answers: number,
): Promise<EndedProgram | undefined> {
  if (failed !== undefined && failed.answers >= answers) return undefined;
  const ended = await endOf(journal, content, run, code);
  const outcome = failed === undefined ? ended : { failure: failed.failure, logs: failed.logs };
  if (outcome === undefined) return undefined;
  return { ...outcome, calls: ended === undefined ? [] : await finishedCalls(journal, { ...content, runs: run }) };
}

/** The output and the logs of a run that has ended; without an output if it has failed. */
async function endOf(journal: NativeJournal, { next }: NativeJournalContent, run: number, code: string) {
  const pause = asyncSlices();
  // The program was noted before its run.
  const [first = next] = journal.find('note', run - 1).slice(-1);
  const logs: string[] = [];
  let hasBegun = false;
  for (let number = first; number < next; number++) {
    const { type, run: ofEntry, text = '', output, error } = journal.outline(number) ?? {};
    if (type === 'run') {
      if (hasBegun || ofEntry !== run || digestOf(text) !== code) return undefined;
      hasBegun = true;
    } else if (hasBegun && type === 'log') logs.push(text);
    else if (hasBegun && type === 'end') {
      if (error !== undefined) return undefined;
      return { output: await valueOf(output?.value), logs: logs.join('\n') };
    }
    await pause();
  }
  return undefined;
}

async function valueOf(value: unknown): Promise<unknown> {
  try {
    return mayReadNow(value) ? wire.valueOf(value) : await readInSlices(value as Uint8Array);
  } catch {
    return '[the output cannot be read again]';
  }
}

function keyOf({ task, code, number }: ProgramNote) {
  return JSON.stringify([task, code, number]);
}

function digestOf(code: string) {
  return createHash('sha256').update(code).digest('hex');
}

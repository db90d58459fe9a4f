import { codeFrame } from './code-frame';
import type { ExecutorErrorDetails } from '../contract/errors';
import type { Plan } from '../contract/plan';

/** Text that is added to a program. */
export interface Insertion {
  at: number;
  text: string;
}

/** A function of the front end, whose declaration is the last insertion. */
export interface Front {
  name: string;
  declaration: string;
}

/**
 * A program with the code that the host adds, and the mapping back to original positions. Insertions never add a line,
 * so line numbers stay those of the original code.
 */
export class Program {
  code;
  /** The code without its fences, with the same positions. */
  source;
  insertions;
  /** The code that runs. */
  text;
  /** A note for the author of the code. */
  note: string | undefined;
  /** The function that the program ends with, to which it passes its values. */
  #front;

  /**
   * @param insertions in the order of their positions
   * @param source the code without its fences, with the same positions
   */
  constructor(
    code: string,
    insertions: readonly Insertion[],
    { source = code, note, front }: { source?: string; note?: string; front?: Front } = {},
  ) {
    this.#front = front;
    this.code = code;
    this.source = source;
    this.insertions = insertions;
    this.note = note;
    let at = 0;
    const parts = insertions.map((insertion) => {
      const part = source.slice(at, insertion.at) + insertion.text;
      at = insertion.at;
      return part;
    });
    this.text = parts.join('') + source.slice(at);
  }

  /** Maps a position in the program to a column of the original code. */
  columnOf(line: number, column: number) {
    const from = lineStart(this.code, line);
    let added = 0;
    let removed = 0;
    for (const { at, text } of this.insertions) {
      if (at < from) continue;
      const start = at - from + added;
      if (start >= column - 1) break;
      // A position within an insertion maps to the insertion point.
      removed += Math.min(text.length, column - 1 - start);
      added += text.length;
    }
    return column - removed;
  }

  /** The program as plans read it: without the function that the front end adds, but with its name. */
  get planned(): { text: string; front: string | undefined } {
    const { text } = this;
    if (this.#front === undefined) return { text, front: undefined };
    return { text: text.slice(0, text.length - this.#front.declaration.length), front: this.#front.name };
  }

  /** Changes a plan of {@link planned} so that it names positions of the original code. */
  restorePlan = (plan: Plan): Plan => {
    if (this.text === this.code) return plan;
    const places = [...plan.unresolved, ...plan.tools.flatMap(({ calls }) => calls)];
    for (const place of places) {
      if (place.line !== undefined && place.column !== undefined) {
        place.column = this.columnOf(place.line, place.column);
      }
    }
    return plan;
  };

  /** Changes the facts of a failure so that they name positions of the original code. */
  restore = (given: Record<string, unknown> | undefined) => {
    const details = given as ExecutorErrorDetails | undefined;
    if (details === undefined || this.text === this.code) return;
    const { line, column, codeFrame: frame, diagnostics, stack } = details;
    if (line !== undefined && column !== undefined) details.column = this.columnOf(line, column);
    if (Array.isArray(diagnostics)) {
      details.diagnostics = diagnostics.map((diagnostic) => {
        const { location } = diagnostic;
        if (location === undefined) return diagnostic;
        return { ...diagnostic, location: { ...location, column: this.columnOf(location.line, location.column) } };
      });
    }
    if (typeof stack === 'string') details.stack = this.#restoreStack(stack);
    if (typeof frame !== 'string') return;
    const first = details.diagnostics?.find(({ severity }) => severity === 'ERROR');
    const place = line === undefined ? first?.location : details;
    if (place?.line === undefined || place.column === undefined) return;
    const { name, message = '' } = details;
    const text = line === undefined ? (first?.message ?? '') : name ? `${name}: ${message}` : message;
    details.codeFrame = codeFrame(this.code, place.line, place.column, text);
  };

  /** The last step in a stack is this program. */
  #restoreStack(stack: string) {
    const steps = [...stack.matchAll(/\bstep-(\d+)\.js:/g)].map(([, step]) => Number(step));
    const own = Math.max(...steps);
    return stack.replace(/\bstep-(\d+)\.js:(\d+):(\d+)/g, (place, step, line, column) =>
      Number(step) === own ? `step-${step}.js:${line}:${this.columnOf(Number(line), Number(column))}` : place,
    );
  }
}

function lineStart(text: string, line: number) {
  let at = 0;
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf('\n', at);
    if (end === -1) break;
    at = end + 1;
  }
  return at;
}

/** The offset in UTF-16 units of a position. */
export function placeOffset(text: string, line: number, column: number) {
  return lineStart(text, line) + column - 1;
}

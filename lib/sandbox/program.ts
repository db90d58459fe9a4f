import { KIT } from './bootstrap';
import { sandboxProgram } from '../ses/sandbox-program';

/**
 * A program with the code that the host adds, and the mapping back to original positions. Insertions never add a line,
 * so line numbers stay those of the original code.
 */
export class Program {
  code;
  style;
  insertions;
  text;

  /** @param insertions in the order of their positions */
  constructor(code: string, style: 'sync' | 'async', insertions: { at: number; text: string }[]) {
    this.code = code;
    this.style = style;
    this.insertions = insertions;
    let at = 0;
    const parts = insertions.map((insertion) => {
      const part = code.slice(at, insertion.at) + insertion.text;
      at = insertion.at;
      return part;
    });
    this.text = parts.join('') + code.slice(at);
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
}

/** Line and column, both from 1, of a byte offset in a string. */
export function placeOf(text: string, offset: number) {
  const before = Buffer.from(text).subarray(0, offset).toString();
  const from = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - from + 1 };
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

export async function programOf(code: string, kind: 'search' | 'execute' | 'mutate', style: 'auto' | 'sync' | 'async') {
  const { style: found, insertions } = await sandboxProgram({ code, kit: KIT, kind, style });
  return new Program(code, found, insertions);
}

// @ts-check
'use strict';

const { KIT } = require('./bootstrap');
const { sandboxProgram } = require('../ses/sandbox-program');

/**
 * A program with the host's additions, and the way back from its positions. What is added is on no line of its own, so
 * that lines are those of the code.
 */
class Program {
  /**
   * @param {string} code
   * @param {'sync' | 'async'} style
   * @param {{ at: number, text: string }[]} insertions in the order of their places
   */
  constructor(code, style, insertions) {
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

  /**
   * The place in the code, of one in the program.
   *
   * @param {number} line
   * @param {number} column
   */
  columnOf(line, column) {
    const from = lineStart(this.code, line);
    let added = 0;
    let removed = 0;
    for (const { at, text } of this.insertions) {
      if (at < from) continue;
      const start = at - from + added;
      if (start >= column - 1) break;
      // What lies within the addition is where it was added.
      removed += Math.min(text.length, column - 1 - start);
      added += text.length;
    }
    return column - removed;
  }
}

/**
 * Line and column, both from 1, of a byte of a text.
 *
 * @param {string} text
 * @param {number} offset
 */
function placeOf(text, offset) {
  const before = Buffer.from(text).subarray(0, offset).toString();
  const from = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - from + 1 };
}

/**
 * @param {string} text
 * @param {number} line
 */
function lineStart(text, line) {
  let at = 0;
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf('\n', at);
    if (end === -1) break;
    at = end + 1;
  }
  return at;
}

/**
 * @param {string} code
 * @param {'search' | 'execute' | 'mutate'} kind
 * @param {'auto' | 'sync' | 'async'} style
 */
async function programOf(code, kind, style) {
  const { style: found, insertions } = await sandboxProgram({ code, kit: KIT, kind, style });
  return new Program(code, found, insertions);
}

module.exports = { Program, placeOf, programOf };

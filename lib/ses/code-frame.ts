/**
 * Returns the lines of code around a position, with the position marked.
 *
 * @param line from 1
 * @param column in UTF-16 units, from 1
 * @param message shown at the mark
 */
export function codeFrame(code: string, line: number, column: number, message: string) {
  const native = require('../../native.cjs') as typeof import('../../native.cjs');
  return native.codeFrame(code, line, column, message).trimEnd();
}

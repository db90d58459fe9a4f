import { pathAtEnd } from './completion';
import type { Executor } from '../../contract/executor-types';

// Functions for Python input at the prompt: they check whether it continues, and complete names.

/** Tokens that begin or end brackets, strings, comments and lines. */
const PIECES = /"""|'''|["'#()[\]{}]|\\[^]|\\$|\n/g;
const CLOSERS = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
const KEYWORDS =
  `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/);

/**
 * Whether further lines may complete the code, by the rules of Python's own prompt. Brackets and strings must be
 * closed, and an empty line ends a block.
 *
 * @param code code that ends with a line break
 */
export function isIncompletePython(code: string) {
  const { top, isWithin } = read(code);
  if (isWithin) return true;
  const lines = top.split('\n').map((line) => line.trimEnd());
  const last = lines.at(-2) ?? '';
  if (last.endsWith('\\')) return true;
  const hasBlock = lines.some((line) => line.endsWith(':') || line.startsWith('@'));
  return hasBlock && last !== '';
}

/**
 * Returns the code outside of brackets, strings and comments, and whether the code ends inside brackets or a multiline
 * string.
 */
function read(code: string) {
  const open: string[] = [];
  /** The quotes of the current string, or `#`. */
  let within = '';
  let top = '';
  let from = 0;
  for (const { 0: piece, index } of code.matchAll(PIECES)) {
    if (within === '' && open.length === 0) top += code.slice(from, index);
    from = index + piece.length;
    if (within === '#' || within.length === 1) {
      if (piece === '\n' || piece === within) within = '';
    } else if (within !== '') {
      if (piece === within) within = '';
    } else if (piece === '#' || piece.startsWith('"') || piece.startsWith("'")) {
      within = piece;
    } else if (CLOSERS.has(piece)) {
      if (open.at(-1) === CLOSERS.get(piece)) open.pop();
    } else if ('([{'.includes(piece)) {
      open.push(piece);
    }
    if (within === '' && open.length === 0) top += piece;
  }
  return { top, isWithin: open.length > 0 || within.length === 3 };
}

/**
 * Completes a line for `readline`: returns the candidates and the string that they complete.
 *
 * @param executor an executor that is ready
 */
export async function pythonNamesFor(line: string, executor: Executor): Promise<[string[], string]> {
  const path = pathAtEnd(line);
  if (path === undefined) return [[], ''];
  const dot = path.lastIndexOf('.');
  const owner = path.slice(0, Math.max(dot, 0));
  const { output } = await executor.run(dot === -1 ? '[*globals(), *dir(__builtins__)]' : `dir(${owner})`);
  const start = path.slice(dot + 1);
  const names = (output as string[]).concat(dot === -1 ? KEYWORDS : []);
  const shown = names.filter((name) => name.startsWith(start) && (start.startsWith('_') || !name.startsWith('_')));
  return [[...new Set(shown)].sort().map((name) => path.slice(0, dot + 1) + name), path];
}

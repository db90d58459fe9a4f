import {
  BoundedParser,
  NO_PARSER,
  blank,
  fencedBlocks,
  firstFence,
  hasFence,
  isJavaScriptMark,
  isPythonMark,
  masked,
  withoutQuotes,
} from './fences';
import { validateCode } from './check';
import { closingTag, withoutTags } from './tagged-program';
import { placeOffset } from './program';
import { tokensOf } from '../contract/javascript-tokens';
import type { Block } from './fences';
import type { Token } from '../contract/javascript-tokens';

/** Code in the form in which it runs. Positions are the same as in the text that the model wrote. */
export interface ProgramText {
  code: string;
  /** A note for the author of the code. */
  note?: string;
}

/** The diagnostic about `export`. */
const EXPORT_MESSAGE = /^export is not available/;
const LAST_BLOCK_NOTE =
  'The blocks of code declare the same names again, so only the last block has run. Send one block, or blocks that continue each other.';

/**
 * The program in an answer of a model: the code between its fences or tags, or the whole text. Several blocks are one
 * program. If they declare names again, the last block is the program.
 *
 * @param keepsFences whether one pair of fences, or of tags, stays, so that the executor reports it
 */
export function programText(given: string, keepsFences = false): ProgramText {
  const text = withoutQuotes(given);
  if (!hasFence(text)) return { code: keepsFences ? given : withoutTags(given) };
  const parser = new BoundedParser(text);
  if (isInsideCode(text, parser)) return { code: given };
  const closing = closingTag(text);
  const all = fencedBlocks(text, parser, closing === undefined ? [] : [closing]);
  const marked = all.filter(({ mark }) => isJavaScriptMark(mark));
  const blocks = (marked.length > 0 ? marked : all.filter(({ mark }) => mark === '')).filter((block) =>
    isFilled(text, block),
  );
  if (blocks.length === 0) return { code: withoutClosing(text, all, parser) };
  const code = masked(text, blocks);
  const last = blocks.slice(-1);
  if (blocks.length > 1 && parser.declaresTwice(code) && parser.parses(text, last[0])) {
    return { code: keepsFences ? fenced(text, last) : masked(text, last), note: LAST_BLOCK_NOTE };
  }
  return { code: keepsFences ? fenced(text, blocks) : code };
}

/** The same for Python, which is not parsed here. Text that does not begin or end with a fence is left as it is. */
export function pythonText(given: string): ProgramText {
  const text = withoutQuotes(given);
  if (!hasFence(text)) {
    const code = withoutTags(given);
    // Blanks before the first line would be an indentation.
    return { code: code === given ? code : code.replace(/^((?:[^\S\n]*\n)*)[^\S\n]+/, '$1') };
  }
  const all = fencedBlocks(text, NO_PARSER);
  const blocks = all.filter(({ mark }) => isPythonMark(mark) || mark === '').filter((block) => isFilled(text, block));
  const isWrapped = blocks.length > 0 && /^[^=()[\]#"']*$/.test(text.slice(0, blocks[0].from));
  return { code: isWrapped ? dedented(text, blocks) : given };
}

/** The blocks without their common indentation, on the same lines. */
function dedented(text: string, blocks: Block[]) {
  const parts = [];
  let at = 0;
  for (const { start, end } of blocks) {
    const [line, ...lines] = text.slice(start, end).split('\n');
    const indents = lines.flatMap((each) => (each.trim() === '' ? [] : [/^[ \t]*/.exec(each)?.[0].length ?? 0]));
    const indent = indents.reduce((least, each) => Math.min(least, each), Infinity);
    parts.push(lineBreaks(text.slice(at, start)), [line.trim(), ...lines.map((each) => each.slice(indent))].join('\n'));
    at = end;
  }
  return parts.join('') + lineBreaks(text.slice(at));
}

function lineBreaks(text: string) {
  return text.replace(/[^\n]/g, '');
}

/** Whether the first fence is in a comment or a template of a program. */
function isInsideCode(text: string, parser: BoundedParser) {
  const from = firstFence(text) ?? 0;
  return from > 0 && text.slice(0, from).trim() !== '' && parser.parses(`${text.slice(0, from)}@#@${text.slice(from)}`);
}

/** The text up to a fence that closes it without an opening fence. */
function withoutClosing(text: string, [first]: Block[], parser: BoundedParser) {
  if (first === undefined || first.mark !== '') return text;
  const span = { start: 0, end: first.from };
  return parser.parses(text, span) ? masked(text, [span]) : text;
}

function isFilled(text: string, { start, end }: Block) {
  return text.slice(start, end).trim() !== '';
}

/** The text with one pair of fences around the blocks, if there is room for it. */
function fenced(text: string, blocks: Block[]) {
  const [first, last] = [blocks[0], blocks[blocks.length - 1]];
  const code = masked(text, blocks);
  const opensLine = text.slice(first.from, first.start).length >= 3 && text[first.start] === '\n';
  const closesLine = last.to - last.end >= 3 && /(?:^|\n)[ \t]*$/.test(text.slice(0, last.end));
  if (!opensLine || !closesLine) return code;
  const fence = '```';
  return [
    code.slice(0, first.from),
    fence,
    code.slice(first.from + fence.length, last.end),
    fence,
    code.slice(last.end + fence.length).trimEnd(),
  ].join('');
}

/**
 * A program without `export` and `module.exports =`, which front ends for agents accept. Other characters replace them,
 * so that positions do not change.
 *
 * @returns undefined if the program contains none of them
 */
export function withoutExports(code: string): string | undefined {
  if (!/\bexports?\b/.test(code)) return undefined;
  const parts = exportsByParser(code) ?? assignedExports(code);
  if (parts === undefined || parts.length === 0) return undefined;
  let result = code;
  for (const { start, end, text } of parts.reverse()) {
    result = result.slice(0, start) + text + blank(code.slice(start + text.length, end)) + result.slice(end);
  }
  return result;
}

interface Replacement {
  start: number;
  end: number;
  text: string;
}

/** Finds `export` with the parser, which distinguishes it from the same word in other places. */
function exportsByParser(code: string): Replacement[] | undefined {
  const errors = validateCode(code).filter(({ severity }) => severity === 'ERROR');
  if (errors.length === 0 || !errors.some(({ message }) => EXPORT_MESSAGE.test(message))) return undefined;
  const parts = [];
  for (const { message, location } of errors) {
    if (!EXPORT_MESSAGE.test(message) || location === undefined) continue;
    const start = placeOffset(code, location.line, location.column);
    const part = exportAt(code, start);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

/** @returns undefined for text that cannot be a program: exports of another module */
function exportAt(code: string, start: number): Replacement | undefined {
  const rest = code.slice(start, start + 100_000);
  const [list] = /^export\s*\{[^{}]*\}/.exec(rest) ?? [];
  if (list !== undefined) {
    const isOfOther = /^\s*from\b/.test(rest.slice(list.length));
    return isOfOther ? undefined : { start, end: start + list.length, text: ';' };
  }
  const [declared] = /^export\s+default\s+(?=(?:async\s+)?function\b[\s*]*[\p{ID_Start}$_]|class\s+(?!extends\b)[\p{ID_Start}$_])/u.exec(rest) ?? []; // prettier-ignore
  if (declared !== undefined) return { start, end: start + declared.length, text: '' };
  const [value] = /^export\s+default\b/.exec(rest) ?? [];
  // A comma operator makes an expression of an anonymous function, and of an object.
  if (value !== undefined) return { start, end: start + value.length, text: '0,' };
  const [word] = /^export\s+(?=(?:const|let|var|function|async|class|enum|namespace|type|interface|abstract|declare)\b)/.exec(rest) ?? []; // prettier-ignore
  return word === undefined ? undefined : { start, end: start + word.length, text: '' };
}

/** Statements that assign to `module.exports`, `exports.name` or `module.exports.name`. */
function assignedExports(code: string): Replacement[] | undefined {
  if (!/\bexports\b/.test(code)) return undefined;
  const tokens = tokensOf(code);
  if (tokens === undefined || declaresAny(tokens, ['module', 'exports'])) return undefined;
  const parts = [];
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i].depth > 0 || !beginsStatement(code, tokens, i)) continue;
    const end = assignmentAfter(tokens, i);
    if (end !== undefined) parts.push({ start: tokens[i].at, end: tokens[end].end, text: '0,' });
  }
  return parts;
}

/** @returns the index of the `=` */
function assignmentAfter(tokens: Token[], at: number): number | undefined {
  const text = (index: number) => tokens[index]?.text;
  const isModule = text(at) === 'module' && text(at + 1) === '.' && text(at + 2) === 'exports';
  if (!isModule && text(at) !== 'exports') return undefined;
  const after = isModule ? at + 3 : at + 1;
  const next = text(after) === '.' ? after + 2 : after;
  if (text(next) !== '=' || text(next + 1) === '=' || text(next + 1) === '>') return undefined;
  // `module.exports = exports = …`
  const again = assignmentAfter(tokens, next + 1);
  return again ?? next;
}

function declaresAny(tokens: Token[], names: string[]) {
  return tokens.some(
    ({ text }, i) => names.includes(text) && ['const', 'let', 'var', 'function', 'class'].includes(tokens[i - 1]?.text),
  );
}

/** Whether a token follows the end of a statement, or begins a line. */
export function beginsStatement(code: string, tokens: Token[], i: number) {
  const before = tokens[i - 1];
  if (before === undefined || before.text === ';' || before.text === '}') return true;
  return code.slice(before.end, tokens[i].at).includes('\n') && /[\p{ID_Continue}$)\]`"'}]$/u.test(before.text);
}

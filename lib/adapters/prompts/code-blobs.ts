import { validateCode } from '../../ses/check';
import { describe } from '../../contract/describe';
import { CodeParsingError } from './code-parsing-error';
import { checkTags, DEFAULT_TAGS } from './tags';

/** The start and end of a range. */
export type Span = { start: number; end: number };

/** Limit on the ends that are tried for one blob, and on its alternative starts. */
const MAX_CANDIDATES = 8;
/**
 * Limits on parsing, which distinguishes tags from tags inside strings: the number of parser calls, and the parsed
 * length per code unit of the answer. A blob is parsed completely for each end that is tried.
 */
const MAX_PARSES = 200;
const PARSED_PER_UNIT = 4;

const LANGUAGES = new Set(['js', 'mjs', 'cjs', 'jsx', 'javascript', 'ts', 'mts', 'cts', 'tsx', 'typescript']);
/** A line that opens or closes a fence, with the mark after it. An inline code span is not a fence. */
const FENCE = /^[ \t]*(`{3,}|~{3,})[ \t]*([^\s`{:,(]*)([^`\n]*)/gm;
/** Rules whose violation means that the string is not a program. The other rules state what a program must not do. */
const NOT_A_PROGRAM = new Set(['syntax_valid', 'code_non_empty', 'code_too_large', 'nesting_too_deep']);

/**
 * Extracts the code from a model's answer. The code is taken from the first of these sources that exists:
 *
 * - the text between the tags
 * - the fenced blocks marked `js`, `javascript`, `ts` or `typescript`
 * - the whole answer, if it is a program and more than a word or a number
 *
 * Several blocks are joined by a blank line. An unclosed block extends to the end of the answer, because generation
 * stops at the closing tag. If one block stands on its own lines, tags within a line of prose are ignored. Text in
 * `<think>…</think>` before the code is ignored.
 *
 * Tags inside strings, templates and comments of the code do not end it. The candidates for the closing tag are tried
 * in order, starting with those at the beginning of a line. The first candidate at which the code parses is used. Time
 * is proportional to the length of the answer: the parser runs at most 200 times, on at most four times the length of
 * the answer. Line breaks become `\n`.
 *
 * @param tags opening and closing tag; default `['<code>', '</code>']`
 * @throws {@link CodeParsingError} if there is no code; its message is written for the model
 * @throws `TypeError` for wrong arguments
 */
export function parseCodeBlobs(text: string, tags: readonly [string, string] = DEFAULT_TAGS): string {
  if (typeof text !== 'string') throw new TypeError(`text must be a string, got ${describe(text)}`);
  const [opening, closing] = checkTags(tags, 'tags');
  const answer = withoutThoughts(text.replaceAll('\r\n', '\n'), opening);
  const parser = new BoundedParser(answer);
  for (const inProse of [false, true]) {
    const tagged = joined(answer, tagSpans(answer, opening, closing, parser, inProse));
    if (tagged !== '') return tagged;
  }
  const rest = withoutEnd(answer, closing);
  const fenced = joined(rest, fenceSpans(rest, parser));
  if (fenced !== '') return fenced;
  const marks = [...rest.matchAll(FENCE)].map((fence) => fence[2]);
  // Fences parse as programs too, because they are tagged templates.
  const isProgram = marks.length === 0 && parser.parses(rest, { start: 0, end: rest.length });
  // A word, a number and a label also parse as programs, but they are not meant as code.
  if (isProgram && /[=;()[\]{}]/.test(rest)) return rest.trim();
  const quoted = answer.includes(opening) ? answer : rest;
  throw new CodeParsingError(quoted, [opening, closing], { isValue: isProgram, mark: marks.find(isOther) });
}

/** Checks whether a string is a program. The total parsed length is limited in proportion to the answer. */
class BoundedParser {
  #parses = MAX_PARSES;
  #units;

  constructor(answer: string) {
    this.#units = PARSED_PER_UNIT * answer.length;
  }

  parses(text: string, { start, end }: Span) {
    this.#units -= end - start;
    if (this.#units < 0 || this.#parses-- <= 0) return false;
    return !validateCode(text.slice(start, end)).some(({ rule }) => NOT_A_PROGRAM.has(rule));
  }

  /** Returns the first candidate that parses, or undefined. A single candidate is returned without parsing. */
  first(text: string, candidates: Span[]) {
    return candidates.length === 1 ? candidates[0] : candidates.find((each) => this.parses(text, each));
  }
}

/**
 * Finds the code between tags.
 *
 * Tags may also occur in strings and comments of the code, and in the prose before it. If several ranges are possible,
 * the first one that parses is used. An unclosed block extends to the end, because generation stops at the closing tag.
 *
 * @param inProse whether tags in a line of prose also count if there are blocks on their own lines
 */
function tagSpans(text: string, opening: string, closing: string, parser: BoundedParser, inProse: boolean): Span[] {
  const openings = positions(text, opening);
  const closings = positions(text, closing);
  const alone = openings.filter((at) => beginsLine(text, at) && endsLine(text, at + opening.length));
  const spans = [];
  let from = 0;
  for (let i = 0, j = 0, k = 0; i < openings.length; i++) {
    if (openings[i] < from) continue;
    const start = openings[i] + opening.length;
    while (j < closings.length && closings[j] < start) j++;
    const end = closings[j] ?? text.length;
    while (alone[k] < start) k++;
    // Prose about tags can parse as a program together with the next tag: `tag < code > f()`.
    if (alone[k] < end && !beginsLine(text, openings[i])) continue;
    if (!inProse && alone.length > 0 && isProse(text, openings[i], start, end, end + closing.length)) {
      from = end + closing.length;
      continue;
    }
    const inner = innerStarts(openings, i, end).map((position) => ({ start: position + opening.length, end }));
    const longer = closings.slice(j, j + MAX_CANDIDATES).map((position) => ({ start, end: position }));
    const naive = { start, end };
    const rank = (span: Span) => endRank(text, span.end, closing.length);
    const ends = longer.length === 0 ? [naive] : longer.sort((a, b) => rank(a) - rank(b));
    const span = parser.first(text, [...ends, ...inner]) ?? naive;
    spans.push(span);
    from = span.end + closing.length;
  }
  return spans;
}

/**
 * Whether tags are in a line of prose: there is text on both sides of the opening tag or of the tagged range.
 *
 * @param position start of the opening tag
 * @param start end of the opening tag
 * @param end start of the closing tag
 * @param behind end of the closing tag
 */
function isProse(text: string, position: number, start: number, end: number, behind: number) {
  if (endsLine(text, start)) return false;
  return !beginsLine(text, position) || !(endsLine(text, behind) || text.slice(start, end).includes('\n'));
}

/** Removes the `<think>` blocks before the code. They never contain code of the answer. */
function withoutThoughts(text: string, opening: string) {
  const tag = opening.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const next = new RegExp(`^[ \\t]*(<think>|\`{3}|~{3})|${tag}`, 'gm');
  const kept = [];
  let from = 0;
  while (next.exec(text)?.[1] === '<think>') {
    const end = text.indexOf('</think>', next.lastIndex);
    if (end === -1) break;
    kept.push(text.slice(from, next.lastIndex - '<think>'.length));
    from = next.lastIndex = end + '</think>'.length;
  }
  return kept.join('') + text.slice(from);
}

/** The opening tags after the given index and before `end`, last one first. */
function innerStarts(openings: number[], index: number, end: number) {
  let last = index;
  while (last + 1 < openings.length && openings[last + 1] < end) last++;
  return openings.slice(Math.max(index + 1, last + 1 - MAX_CANDIDATES), last + 1).reverse();
}

/**
 * Ranks how unlikely a closing tag is to end a block. The rank is 0 if the tag begins its line and 1 if it ends its
 * line. A line of code can end with a tag too. Otherwise the rank is 2.
 */
function endRank(text: string, position: number, length: number) {
  if (beginsLine(text, position)) return 0;
  return endsLine(text, position + length) ? 1 : 2;
}

/** Whether only blanks precede the position in its line. */
function beginsLine(text: string, position: number) {
  let before = position - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return before < 0 || text[before] === '\n';
}

/** Whether only blanks follow the position in its line. */
function endsLine(text: string, position: number) {
  let behind = position;
  while (text[behind] === ' ' || text[behind] === '\t') behind++;
  return behind >= text.length || text[behind] === '\n';
}

/** Finds the code in fences that are marked as JavaScript or TypeScript. */
function fenceSpans(text: string, parser: BoundedParser): Span[] {
  const fences = [...text.matchAll(FENCE)];
  const spans = [];
  let from = 0;
  for (const [i, { 0: line, 1: ticks, 2: mark, index }] of fences.entries()) {
    if (index < from || !isMarked(text, fences[i]) || !LANGUAGES.has(mark.toLowerCase())) continue;
    const start = index + line.length;
    const closings = [];
    for (let j = i + 1; j < fences.length && j <= i + 4 * MAX_CANDIDATES; j++) {
      if (fences[j][1].startsWith(ticks) && !/^\w/.test(fences[j][2])) closings.push(fences[j]);
    }
    const candidates = closings.slice(0, MAX_CANDIDATES).map((fence) => ({ start, end: fence.index }));
    const naive = candidates[0] ?? { start, end: start + withoutEnd(text.slice(start), ticks).length };
    const span = parser.first(text, candidates) ?? naive;
    spans.push(span);
    from = span.end + 1;
  }
  return spans;
}

/** Whether the fence's line has no further backticks. An inline code span has them. */
function isMarked(text: string, { 0: line, index }: RegExpMatchArray) {
  return text[(index as number) + line.length] !== '`';
}

/** Whether the fence's mark is missing or names another language. */
function isOther(mark: string) {
  return !LANGUAGES.has(mark.toLowerCase());
}

function positions(text: string, part: string) {
  const found = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

/** The string without its closing mark: agents append the closing tag at which generation stopped. */
function withoutEnd(text: string, ending: string) {
  const trimmed = text.trimEnd();
  return trimmed.endsWith(ending) ? trimmed.slice(0, -ending.length) : text;
}

function joined(text: string, spans: Span[]) {
  return spans
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((code) => code !== '')
    .join('\n\n');
}

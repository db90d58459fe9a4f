import { validateCode } from '../../ses/check';
import { describe } from '../../contract/describe';
import { CodeParsingError } from './code-parsing-error';
import { checkTags, DEFAULT_TAGS } from './tags';

/** Where something begins and ends. */
export type Span = { start: number; end: number };

/** Ends that are tried for one blob, and other beginnings. */
const MAX_CANDIDATES = 8;
/**
 * What may be parsed to tell tags from tags inside strings: calls of the parser, and text for each unit of the answer,
 * since a blob is parsed whole each time that another end is tried.
 */
const MAX_PARSES = 200;
const PARSED_PER_UNIT = 4;

const LANGUAGES = new Set(['js', 'mjs', 'cjs', 'jsx', 'javascript', 'ts', 'mts', 'cts', 'tsx', 'typescript']);
/** A line that opens or closes a fence, and the mark behind it. An inline code span is none. */
const FENCE = /^[ \t]*(`{3,}|~{3,})[ \t]*([^\s`{:,(]*)([^`\n]*)/gm;
/** Findings with which a text is no program; others say what a program must not do. */
const NOT_A_PROGRAM = new Set(['syntax_valid', 'code_non_empty', 'code_too_large', 'nesting_too_deep']);

/**
 * The code in a model's answer. Documented in `api.d.ts`.
 *
 * @throws {CodeParsingError}
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
  // Fences are programs too, tagged templates.
  const isProgram = marks.length === 0 && parser.parses(rest, { start: 0, end: rest.length });
  // And so are a word, a number and a label, but that is not what somebody means by one.
  if (isProgram && /[=;()[\]{}]/.test(rest)) return rest.trim();
  const quoted = answer.includes(opening) ? answer : rest;
  throw new CodeParsingError(quoted, [opening, closing], { isValue: isProgram, mark: marks.find(isOther) });
}

/** Says whether text is a program, as long as the text that it has parsed stays in proportion to the answer. */
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

  /** The first of the candidates that parses, or the only one, unparsed; undefined if none does. */
  first(text: string, candidates: Span[]) {
    return candidates.length === 1 ? candidates[0] : candidates.find((each) => this.parses(text, each));
  }
}

/**
 * Where there is code between tags. Tags may also stand in strings and comments of that code and in the prose before
 * it, so where there is a choice the first text that parses is taken. What is not closed goes on to the end: generation
 * stops at the closing tag.
 *
 * @param inProse whether what is between tags in a line of prose counts, too, where there are blocks on lines of their own
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
    // Prose about tags, which with the tag behind it may be a program: `tag < code > f()`.
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
 * Whether tags are in a line of prose: with text on both sides of the opening one, or of what is between them.
 *
 * @param position of the opening tag
 * @param start its end
 * @param end where the closing tag begins
 * @param behind its end
 */
function isProse(text: string, position: number, start: number, end: number, behind: number) {
  if (endsLine(text, start)) return false;
  return !beginsLine(text, position) || !(endsLine(text, behind) || text.slice(start, end).includes('\n'));
}

/**
 * An answer without what its author has thought in front of it: of what stands there between tags of their own nothing is code.
 */
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

/** Opening tags behind the one of that index and before `end`, the last ones first. */
function innerStarts(openings: number[], index: number, end: number) {
  let last = index;
  while (last + 1 < openings.length && openings[last + 1] < end) last++;
  return openings.slice(Math.max(index + 1, last + 1 - MAX_CANDIDATES), last + 1).reverse();
}

/**
 * How little a closing tag looks like the end of a block: 0 if its line begins with it, 1 if its line ends with it, which
 * a line of code may do too, else 2.
 */
function endRank(text: string, position: number, length: number) {
  if (beginsLine(text, position)) return 0;
  return endsLine(text, position + length) ? 1 : 2;
}

/** Whether there is nothing before a position in its line. */
function beginsLine(text: string, position: number) {
  let before = position - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return before < 0 || text[before] === '\n';
}

/** Whether there is nothing behind a position in its line. */
function endsLine(text: string, position: number) {
  let behind = position;
  while (text[behind] === ' ' || text[behind] === '\t') behind++;
  return behind >= text.length || text[behind] === '\n';
}

/** Where there is code in fences that are marked as JavaScript or TypeScript. */
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

/** Whether a fence's line has no more backticks, which an inline code span has. */
function isMarked(text: string, { 0: line, index }: RegExpMatchArray) {
  return text[(index as number) + line.length] !== '`';
}

/** Whether a fence's mark is that of another language, or missing. */
function isOther(mark: string) {
  return !LANGUAGES.has(mark.toLowerCase());
}

function positions(text: string, part: string) {
  const found = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

/** The text without what ends it: agents append the closing tag that generation stopped at. */
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

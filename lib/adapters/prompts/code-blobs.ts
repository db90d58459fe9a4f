import { BoundedParser, MAX_CANDIDATES, fencedBlocks, isJavaScriptMark, withoutQuotes } from '../../ses/fences';
import { describe } from '../../contract/describe';
import { CodeParsingError } from './code-parsing-error';
import { checkTags, DEFAULT_TAGS } from './tags';
import { withoutThoughts } from './thoughts';
import type { Span } from '../../ses/fences';

/** A line that opens or closes a fence, with the mark after it. An inline code span is not a fence. */
const FENCE = /^[\ufeff\u200b \t\u00a0]*(`{3,}|~{3,})[ \t]*([^\s`{:,(]*)([^`\n]*)/gm;
/** Characters of code. A word, a number and a label also parse as programs, but they are not meant as code. */
const CODE = /[=;()[\]{}]/;
/** A line of prose that would be a label of JavaScript: `Thought: done;`. Only loops and blocks have labels. */
const PROSE_LABEL =
  /^\s*(?:[*_#>-]+\s*)?[\p{L}_$][\p{L}\p{N}_$ ]{0,40}:(?:\*\*|__)?(?!\s*(?:(?:for|while|switch)\s*(?:await\s*)?\(|(?:do\s*)?\{)|:)[^\n]*(?:\n|$)/u;
/** Marks with which models and agents end code, besides the closing tag. */
const END_MARK = /<\/?end_code>|<\/code\s*>/gi;

/**
 * Extracts the code from a model's answer. The code is taken from the first of these sources that exists:
 *
 * - the text between the tags
 * - the fenced blocks marked `js`, `javascript`, `ts` or `typescript`
 * - the whole answer, if it is a program and more than a word or a number
 *
 * Blocks may be in lists and block quotes. Several blocks are joined by a blank line. An unclosed block extends to the
 * end of the answer, because generation stops at the closing tag. If one block stands on its own lines, tags within a
 * line of prose are ignored. Text in `<think>…</think>` before the code is ignored.
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
  const given = text.replaceAll('\r\n', '\n');
  const tag = openingPattern(opening);
  const codeStart = new RegExp(`^[ \\t>]*(?:\`{3}|~{3})|${tag}`, 'gim');
  const codeEnd = new RegExp(`^[ \\t>]*(?:\`{3}|~{3})|${escaped(closing)}`, 'gim');
  const answer = withoutQuotes(withoutThoughts(given, codeStart, codeEnd), new RegExp(tag, 'i'));
  const parser = new BoundedParser(answer);
  const marks = tagsIn(answer, opening, closing);
  for (const inProse of [false, true]) {
    const spans = tagSpans(answer, marks, parser, inProse);
    const blocks = spans
      .filter(({ start, end, isInline }) => !isInline || CODE.test(answer.slice(start, end)))
      .map(({ start, end }) => withoutStrayFence(answer.slice(start, end), parser));
    const tagged = joined(blocks, parser);
    if (tagged !== '') return tagged;
  }
  const rest = withoutEnd(answer, closing);
  const ends = [...rest.matchAll(END_MARK)].map(({ 0: mark, index }) => ({ start: index, end: index + mark.length }));
  const fenced = fencedBlocks(rest, parser, ends).filter(({ mark }) => isJavaScriptMark(mark));
  const found = joined(
    fenced.map(({ start, end }) => rest.slice(start, end)),
    parser,
  );
  if (found !== '') return found;
  const fences = [...rest.matchAll(FENCE)].map((fence) => fence[2]);
  // Fences parse as programs too, because they are tagged templates.
  const program = fences.length > 0 ? undefined : programIn(rest, parser);
  if (program !== undefined && CODE.test(program)) return program.trim();
  const quoted = marks.openings.length > 0 ? answer : rest;
  throw new CodeParsingError(quoted, [opening, closing], {
    isValue: program !== undefined,
    mark: fences.find(isOther),
  });
}

/** The program that an answer without tags and fences is, after lines of prose. */
function programIn(text: string, parser: BoundedParser) {
  let code = text.replace(END_MARK, (mark) => ' '.repeat(mark.length));
  for (let i = 0; i < MAX_CANDIDATES; i++) {
    const [prose] = PROSE_LABEL.exec(code) ?? [];
    if (prose === undefined) return parser.parses(code) ? code : undefined;
    code = code.slice(prose.length);
    if (code.trim() === '') return undefined;
  }
  return undefined;
}

/** Tags with their positions, in order. */
interface Tags {
  openings: Span[];
  closings: Span[];
}

/**
 * The tags of an answer. Other spellings, such as `<CODE>`, `<code lang="js">` and `<end_code>`, count if the answer
 * has none that is exact, because code contains them too.
 */
function tagsIn(text: string, opening: string, closing: string): Tags {
  const exact = (tag: string) => positions(text, new RegExp(escaped(tag), 'g'));
  const similar = (pattern: string) => positions(text, new RegExp(pattern, 'gi'));
  const [openings, closings] = [exact(opening), exact(closing)];
  return {
    openings: openings.length > 0 ? openings : similar(openingPattern(opening)),
    closings: closings.length > 0 ? closings : similar(closingPattern(closing)),
  };
}

function positions(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].map(({ 0: tag, index }) => ({
    start: index,
    end: index + tag.length,
  }));
}

function escaped(text: string) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** An opening tag in angle brackets may have attributes. */
function openingPattern(tag: string) {
  const [, name] = /^<(\w+)>$/.exec(tag) ?? [];
  return name === undefined ? escaped(tag) : `<${name}(?:\\s[^<>\\n]*)?>`;
}

function closingPattern(tag: string) {
  const [, name] = /^<\/(\w+)>$/.exec(tag) ?? [];
  return name === undefined ? escaped(tag) : `</${name}\\s*>|</?end_${name}>`;
}

/** Code in tags that a fence closes, or that has one after it. */
function withoutStrayFence(code: string, parser: BoundedParser) {
  const [fence] = code.matchAll(FENCE);
  if (fence === undefined || isJavaScriptMark(fence[2].toLowerCase()) || code.slice(0, fence.index).trim() === '')
    return code;
  const before = code.slice(0, fence.index);
  return !parser.parses(`${before}@#@${code.slice(fence.index)}`) && parser.parses(before) ? before : code;
}

/**
 * Finds the code between tags.
 *
 * Tags may also occur in strings and comments of the code, and in the prose before it. If several ranges are possible,
 * the first one that parses is used. An unclosed block extends to the end, because generation stops at the closing tag.
 *
 * @param inProse whether tags in a line of prose also count if there are blocks on their own lines
 */
function tagSpans(
  text: string,
  { openings, closings }: Tags,
  parser: BoundedParser,
  inProse: boolean,
): (Span & { isInline: boolean })[] {
  const alone = openings.filter((tag) => beginsLine(text, tag.start) && endsLine(text, tag.end));
  const spans = [];
  let from = 0;
  for (let i = 0, j = 0, k = 0; i < openings.length; i++) {
    const { start: at, end: start } = openings[i];
    if (at < from) continue;
    while (j < closings.length && closings[j].start < start) j++;
    const end = closings[j]?.start ?? text.length;
    const after = closings[j]?.end ?? text.length;
    while (alone[k]?.start < start) k++;
    // Prose about tags can parse as a program together with the next tag: `tag < code > f()`.
    if (alone[k]?.start < end && !beginsLine(text, at)) continue;
    if (!inProse && alone.length > 0 && isProse(text, at, start, end, after)) {
      from = after;
      continue;
    }
    const inner = innerStarts(openings, i, end).map((tag) => ({ start: tag.end, end, to: after }));
    const ends = closings.slice(j, j + MAX_CANDIDATES);
    const naive = { start, end, to: after };
    const rank = (tag: Span) => endRank(text, tag.start, tag.end);
    const longer = ends.sort((a, b) => rank(a) - rank(b)).map((tag) => ({ start, end: tag.start, to: tag.end }));
    const span = parser.first(text, [...(longer.length === 0 ? [naive] : longer), ...inner]) ?? naive;
    spans.push({ ...span, isInline: isProse(text, at, start, end, after) });
    from = span.to;
  }
  return spans;
}

/**
 * Whether tags are in a line of prose: there is text on both sides of the opening tag or of the tagged range.
 *
 * @param position start of the opening tag
 * @param start end of the opening tag
 * @param end start of the closing tag
 * @param after end of the closing tag
 */
function isProse(text: string, position: number, start: number, end: number, after: number) {
  if (endsLine(text, start)) return false;
  return !beginsLine(text, position) || !(endsLine(text, after) || text.slice(start, end).includes('\n'));
}

/** The opening tags after the given index and before `end`, last one first. */
function innerStarts(openings: Span[], index: number, end: number) {
  let last = index;
  while (last + 1 < openings.length && openings[last + 1].start < end) last++;
  return openings.slice(Math.max(index + 1, last + 1 - MAX_CANDIDATES), last + 1).reverse();
}

/**
 * Ranks how unlikely a closing tag is to end a block. The rank is 0 if the tag begins its line and 1 if it ends its
 * line. A line of code can end with a tag too. Otherwise the rank is 2.
 */
function endRank(text: string, start: number, end: number) {
  if (beginsLine(text, start)) return 0;
  return endsLine(text, end) ? 1 : 2;
}

/** Whether only blanks precede the position in its line. */
function beginsLine(text: string, position: number) {
  let before = position - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return before < 0 || text[before] === '\n';
}

/** Whether only blanks follow the position in its line. */
function endsLine(text: string, position: number) {
  let after = position;
  while (text[after] === ' ' || text[after] === '\t') after++;
  return after >= text.length || text[after] === '\n';
}

/** Whether the fence's mark is missing or names another language. */
function isOther(mark: string) {
  return !isJavaScriptMark(mark.toLowerCase());
}

/** The string without its closing mark: agents append the closing tag at which generation stopped. */
function withoutEnd(text: string, ending: string) {
  const trimmed = text.trimEnd();
  return trimmed.endsWith(ending) ? trimmed.slice(0, -ending.length) : text;
}

/** Several blocks are one program. If they declare names again, the last block corrects the others. */
function joined(blocks: string[], parser: BoundedParser) {
  const filled = blocks.map((code) => code.trim()).filter((code) => code !== '');
  const code = filled.join('\n\n');
  const last = filled[filled.length - 1] ?? '';
  return filled.length > 1 && parser.declaresTwice(code) && parser.parses(last) ? last : code;
}

import { validateCode } from './check';

/** The start and end of a range. */
export type Span = { start: number; end: number };

/** A block of code between Markdown fences. */
export interface Block extends Span {
  /** The first word after the opening fence, in lower case. */
  mark: string;
  /** Start of the line of the opening fence. */
  from: number;
  /** End of the closing fence. */
  to: number;
}

/** Limit on the ends that are tried for one block. */
export const MAX_CANDIDATES = 8;
/**
 * Limits on parsing, which distinguishes the end of code from the same text inside strings: the number of parser calls,
 * and the parsed length per code unit of the text. A block is parsed completely for each end that is tried.
 */
const MAX_PARSES = 200;
const PARSED_PER_UNIT = 4;
/** Rules whose violation means that the string is not a program. The other rules state what a program must not do. */
const NOT_A_PROGRAM = new Set(['syntax_valid', 'code_non_empty', 'code_too_large', 'nesting_too_deep']);
/** The message about a name that is declared twice. */
const DECLARED_TWICE = /has already been declared/;

const JAVASCRIPT_MARKS = new Set(
  'js mjs cjs jsx javascript javascriptreact ecmascript es6 node nodejs ts mts cts tsx typescript typescriptreact'.split(
    ' ',
  ),
);
const PYTHON_MARKS = new Set(['py', 'py3', 'python', 'python3', 'ipython', 'pycon']);
/**
 * Marks of other blocks that answers contain. A fence with one of them opens a block, and other words may close one.
 */
const OTHER_MARKS = new Set(
  'bash c console cpp cs csharp css csv diff go graphql html http ini java json json5 jsonc jsonl kotlin latex lua markdown md mermaid output perl php plain plaintext powershell ps1 r rb regex result ruby rust scala sh shell sql svg swift text toml tsv txt vue xml yaml yml zsh'.split(
    ' ',
  ),
);
/**
 * What may be in a line before a fence: blanks, also those of no width, or prose if the line ends with the mark of a
 * program.
 */
const MARKS = [...JAVASCRIPT_MARKS, ...PYTHON_MARKS].join('|');
const LEAD = `[\\ufeff\\u200b \\t\\u00a0]*|[^\\n\`~]*[ \\t:](?=\`{3,}[ \\t]*(?:${MARKS})[ \\t]*\\r?$)`;
const FENCE = new RegExp(`^(?:${LEAD})(\`{3,}|~{3,})([^\\n]*)`, 'gim');
const FIRST_FENCE = new RegExp(`^(${LEAD})(?:\`{3}|~{3})`, 'im');
/**
 * Parts of an opening fence after its mark that are not code: `title="a.js"`, `{1,3}`, `{numberLines: 5}`, `:a.js`,
 * `src/a.js`.
 */
const INFO_BRACES =
  /\{[\d,\s-]*\}|\{[.#][^{}]*\}|\{\s*[a-z][\w-]*(?:=[^\s{},]*)?(?:[\s,]+[a-z][\w-]*(?:=[^\s{},]*)?)*\s*\}|\{(?:numberLines|showLineNumbers|startLine|highlight)\s*:[^{}]*\}/gi;
const INFO_STRINGS = /=(?:"[^"]*"|'[^']*')/g;
const INFO =
  /^(?:|\}|\.[\w-]+\}?|:\S+|[\w.-]+=""|(?:title|file|filename|name|lines|start|highlight|hl_lines)=\S+|[\w@-]+(?:[/.][\w@-]+)+|#[\w-]+|copy|editable|exec|linenums|live|noInline|numberLines|run|runnable|showLineNumbers)$/;

/**
 * Words after a mark, such as `example`, `my program` or `(Node.js)`. They are not code if more lines follow, unless
 * they begin a statement.
 */
const WORDS = /^(?:[a-z][\w-]*(?:[ \t]+[a-z][\w-]*)*|\([a-z][\w.-]*(?:[ \t]+[a-z][\w.-]*)*\))$/i;
/** Characters in which the next line must begin. */
const MAX_BLANKS = 200;
const MORE_LINES = /^\n\s*(?!`{3}|~{3})\S/;
const STATEMENT =
  /^(?:assert|async|await|break|class|const|continue|debugger|def|del|delete|do|else|enum|export|for|from|function|global|if|import|interface|let|namespace|new|nonlocal|not|null|pass|raise|return|switch|this|throw|try|type|typeof|using|var|void|while|with|yield)\b/;

export function isJavaScriptMark(mark: string) {
  return JAVASCRIPT_MARKS.has(mark);
}

export function isPythonMark(mark: string) {
  return PYTHON_MARKS.has(mark);
}

/** Checks whether a string is a program. The total parsed length is limited in proportion to the text. */
export class BoundedParser {
  #parses = MAX_PARSES;
  #units;

  constructor(text: string) {
    this.#units = PARSED_PER_UNIT * text.length;
  }

  parses(text: string, { start, end }: Span = { start: 0, end: text.length }) {
    return this.#errors(text.slice(start, end))?.length === 0;
  }

  /** Whether the only reason why a string is not a program is that names are declared again. */
  declaresTwice(text: string) {
    const errors = this.#errors(text);
    return errors !== undefined && errors.length > 0 && errors.every(({ message }) => DECLARED_TWICE.test(message));
  }

  /** Returns the first candidate that parses, or undefined. A single candidate is returned without parsing. */
  first<T extends Span>(text: string, candidates: T[]) {
    return candidates.length === 1 ? candidates[0] : candidates.find((each) => this.parses(text, each));
  }

  /** @returns undefined if too much has been parsed */
  #errors(code: string) {
    this.#units -= code.length;
    if (this.#units < 0 || this.#parses-- <= 0) return undefined;
    return validateCode(code).filter(({ rule }) => NOT_A_PROGRAM.has(rule));
  }
}

/** A parser for languages that cannot be parsed here. The first candidate is always the right one. */
export const NO_PARSER = { parses: () => true, first: <T extends Span>(_: string, candidates: T[]) => candidates[0] };

/** A line of a block quote, which may be in a list. */
const QUOTED = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:>[ \t]?)+/;

/**
 * The text without the `>` of block quotes around code. Blanks replace them, so positions do not change. Text whose
 * first code is not in a block quote is returned as it is, because its code may contain block quotes.
 *
 * @param tag matches tags that begin code too
 */
export function withoutQuotes(text: string, tag?: RegExp): string {
  if (!/^[ \t\d.)*+-]*>/m.test(text)) return text;
  const lines = text.split('\n');
  let isQuoted = false;
  let depth = 0;
  for (const [i, line] of lines.entries()) {
    const marks = QUOTED.exec(line)?.[0] ?? '';
    if (marks === '') depth = 0;
    const rest = line.slice(marks.length);
    if (depth === 0 && (hasFence(rest) || tag?.test(rest))) {
      if (marks === '' && !isQuoted) return text;
      depth = marks.split('>').length - 1;
      isQuoted = true;
    }
    if (depth > 0) lines[i] = unquoted(marks, depth) + rest;
  }
  return lines.join('\n');
}

/** Code that is quoted `depth` times may begin with the same character. */
function unquoted(marks: string, depth: number) {
  let count = 0;
  return marks.replaceAll('>', (mark) => (count++ < depth ? ' ' : mark));
}

/** The position of the first fence; undefined if there is none. */
export function firstFence(text: string): number | undefined {
  const found = FIRST_FENCE.exec(text);
  return found === null ? undefined : found.index + found[1].length;
}

export function hasFence(text: string) {
  return FIRST_FENCE.test(text);
}

/**
 * The blocks between fences, in order. An unclosed block extends to the end of the text.
 *
 * @param parser decides where a block ends if its code contains fences too
 * @param isClosing matches other marks that close a block at the start of a line
 */
export function fencedBlocks(
  text: string,
  parser: Pick<BoundedParser, 'first'>,
  otherEnds: readonly { start: number; end: number }[] = [],
): Block[] {
  const fences = fenceLines(text);
  const blocks: Block[] = [];
  let from = 0;
  let other = 0;
  for (const [i, fence] of fences.entries()) {
    if (fence.at < from || fence.isSpan) continue;
    const { ticks, mark, start } = fence;
    const block = { mark, from: fence.at };
    if (fence.closedAt !== undefined) {
      blocks.push({ ...block, start, end: fence.closedAt, to: fence.end });
      from = fence.end;
      continue;
    }
    const ends: Span[] = [];
    const last = Math.min(fences.length, i + 1 + 4 * MAX_CANDIDATES);
    for (let j = i + 1; j < last && ends.length < MAX_CANDIDATES; j++) {
      if (fences[j].closes && fences[j].ticks.startsWith(ticks)) {
        ends.push({ start: fences[j].at, end: fences[j].at + fences[j].ticks.length });
      }
    }
    while (other < otherEnds.length && otherEnds[other].start < start) other++;
    const [first] = ends;
    const between = otherEnds.slice(other, other + MAX_CANDIDATES).filter((end) => !first || end.start < first.start);
    const attached = ends.length === 0 ? attachedEnds(text, start, ticks) : [];
    const candidates = [...ends, ...between, ...attached].map((end) => ({ start, end: end.start, to: end.end }));
    const whole = { start, end: text.length, to: text.length };
    const found = parser.first(text, candidates) ?? candidates[0] ?? whole;
    blocks.push({ ...block, ...found });
    from = found.to;
  }
  return blocks;
}

interface FenceLine {
  /** Start of the fence, after blanks. */
  at: number;
  /** End of the line. */
  end: number;
  ticks: string;
  mark: string;
  /** Start of the code if the fence opens a block. */
  start: number;
  /** Start of the closing fence, if it is on the same line. */
  closedAt?: number;
  /** Whether it can close a block. */
  closes: boolean;
  /** Whether it is an inline code span. */
  isSpan: boolean;
}

function fenceLines(text: string): FenceLine[] {
  return [...text.matchAll(FENCE)].map(({ 0: line, 1: ticks, 2: rest, index }) => {
    const at = index + line.length - rest.length - ticks.length;
    const end = index + line.length;
    const [before, word] = /^([ \t]*(?:\{[.=]?|lang(?:uage)?[-=])?)([^\s`~{}:,(<]*)/.exec(rest)?.slice(1) as [
      string,
      string,
    ];
    const mark = word.toLowerCase();
    const isMark = JAVASCRIPT_MARKS.has(mark) || PYTHON_MARKS.has(mark) || OTHER_MARKS.has(mark);
    // `(1)` is a program, and so is text after a mark that is not part of the fence.
    const after = isMark ? rest.slice(before.length + word.length) : rest;
    const inline = ticks[0] === '`' ? after.trimEnd() : '';
    const closing = inline.indexOf(ticks);
    const isSpan =
      closing !== -1 && closing + ticks.length < inline.length && !/^<\/?\w/.test(inline.slice(closing + ticks.length));
    const info = after.replace(INFO_BRACES, ' ').replace(INFO_STRINGS, '=""').trim();
    const isTitle = WORDS.test(info) && !STATEMENT.test(info) && MORE_LINES.test(text.slice(end, end + MAX_BLANKS));
    const isCode = isMark && !isTitle && !info.split(/\s+/).every((part) => INFO.test(part));
    const start = isCode || closing !== -1 ? end - after.length : end;
    return {
      at,
      end,
      ticks,
      mark,
      start,
      ...(closing !== -1 && !isSpan && { closedAt: end - after.length + closing }),
      closes: closing === -1 && !(isMark && (!/^[ \t]+$/.test(before) || after.trim() === '')),
      isSpan: isSpan || (closing !== -1 && !isMark),
    };
  });
}

/** Fences at the end of a line of code. */
function attachedEnds(text: string, start: number, ticks: string): Span[] {
  const ends = [];
  for (let at = text.indexOf(ticks, start); at !== -1 && ends.length < MAX_CANDIDATES;) {
    let end = at + ticks.length;
    while (text[end] === ticks[0]) end++;
    const rest = /^[ \t]*(?:$|\n|<)/.exec(text.slice(end, end + 200));
    if (rest !== null || end === text.length) ends.push({ start: at, end });
    at = text.indexOf(ticks, end);
  }
  return ends;
}

/** The text with everything outside the spans blanked, so that positions stay. */
export function masked(text: string, spans: readonly Span[]) {
  const parts = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(blank(text.slice(at, start)), text.slice(start, end));
    at = end;
  }
  return parts.join('') + blank(text.slice(at));
}

export function blank(text: string) {
  return text.replace(/[^\n\r\u2028\u2029]/g, ' ');
}

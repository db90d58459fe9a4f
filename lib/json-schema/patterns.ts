import { RE2JS } from '../bundled/schemas';

/** Characters of a pattern: some take time by the square to read. */
const MAX_LENGTH = 4_000;
/** Classes of Unicode's, each of which has hundreds of ranges. */
const MAX_UNICODE_CLASSES = 100;
const UNICODE_CLASS = /\\[pP]/g;
/** How often RE2 repeats something, with the repeats that are inside of it. */
const MAX_REPEATS = 1_000;
/**
 * Of a pattern that repeats more than that: how many characters and classes it has, as often as it repeats them, and how many steps a
 * match may take. It is one from `^` on without loops, which ends after as many characters, so that RE2 takes no longer than it may
 * with its own bound.
 */
const MAX_SIZE = 3_000;
const MAX_STEPS = 8_000_000;
const TOO_MANY_CLASSES = `it has more than ${MAX_UNICODE_CLASSES} classes of Unicode`;
const TOO_MANY_REPEATS = `repeats of more than ${MAX_REPEATS} need a pattern from ^ on, without loops and of at most ${MAX_SIZE} characters`;

// eslint-disable-next-line regexp/no-super-linear-move -- what it is matched with is short
const CLASS = /\[\^?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]/;
const ESCAPE =
  /\\u\{[\da-fA-F]+\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\x(?:\{[\da-fA-F]+\}|[\da-fA-F]{2})|\\[pP]\{[^}]*\}|\\c[a-zA-Z]|\\[^]/;
const GROUP = /(?<capturing>\((?!\?)|\(\?P?<(?![=!])[^>]*>)|(?<open>\((?:\?:)?)|(?<close>\))/;
const REPEAT = /\{(?<min>\d+)(?<hasMax>,(?<max>\d*))?\}\??|(?<loop>[*+?])/;
const TOKENS = new RegExp([CLASS, ESCAPE, GROUP, REPEAT, /[^]/].map(({ source }) => source).join('|'), 'gu');
const ESCAPES = new RegExp(ESCAPE, 'gu');
/** Kinds of properties, which RE2 does not name. */
const KIND = /^(\\[pP]\{)(?:Script|sc|General_Category|gc)=/;

/**
 * RE2 in the place of V8's regular expressions, whose time can grow without a bound.
 *
 * @param pattern as JSON schemas have them, in the syntax of ECMAScript
 * @returns the pattern, how many characters and classes it has with its repeats, and at how many of them a match can be at a time
 * @throws {Error} for what RE2 does not have, such as lookarounds
 */
export function compiledPattern(pattern: string) {
  if (pattern.length > MAX_LENGTH)
    throw new Error(`a pattern has ${pattern.length} characters, of at most ${MAX_LENGTH}`);
  try {
    if ((pattern.match(UNICODE_CLASS) ?? []).length > MAX_UNICODE_CLASSES) throw new Error(TOO_MANY_CLASSES);
    const { text, size, width } = inRe2(pattern);
    return { pattern: RE2JS.compile(text), size: size + pattern.length / 8, width };
  } catch (cause) {
    throw new Error(`the pattern ${pattern} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

export function canBeCompiled(pattern: string) {
  try {
    return compiledPattern(pattern) !== undefined;
  } catch {
    return false;
  }
}

/** A text of RE2's syntax. */
export interface Part {
  text: string;
  /** how many characters and classes it has, each as often as it is repeated */
  size: number;
  /** how often it repeats what it repeats most */
  repeats: number;
  /** whether there are several repeats in the place of one */
  isSplit: boolean;
  /** the largest count of those of one character or class, which are at one place or two at a time */
  straight: number;
}

/** The same in RE2's syntax. Groups capture nothing: nobody asks what was in them. */
function inRe2(pattern: string) {
  /** Of the groups that are open, what is in them: the last part is what a repeat that follows is of. */
  const levels: Part[][] = [[]];
  let hasLoop = false;
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKENS)) {
    const { capturing, open, close, min, hasMax, max, loop } = groups;
    const parts = levels[levels.length - 1];
    if (capturing !== undefined || open !== undefined) {
      levels.push([partOf(open ?? '(?:')]);
    } else if (close !== undefined && levels.length > 1) {
      levels.pop();
      levels[levels.length - 1].push(joined([...parts, partOf(token)]));
    } else if (loop !== undefined && parts.length > 0) {
      hasLoop ||= loop !== '?';
      parts.push(joined([parts.pop() as Part, partOf(token)]));
    } else if (min !== undefined && parts.length > 0) {
      hasLoop ||= max === '';
      const to = hasMax === undefined ? min : max;
      parts.push(repeated(parts.pop() as Part, token, Number(min), to === '' ? Infinity : Number(to)));
    } else {
      parts.push(partOf(escaped(token), 1));
    }
  }
  const whole = joined(levels.flat());
  const hasEnd = pattern.startsWith('^') && !hasLoop && !levels[0].some(({ text }) => text === '|');
  if (whole.isSplit && !(hasEnd && whole.size * (whole.size - whole.straight) <= MAX_STEPS)) {
    throw new Error(TOO_MANY_REPEATS);
  }
  return { text: whole.text, size: whole.size, width: hasEnd ? whole.size - whole.straight + 2 : whole.size };
}

function partOf(text = '', size = 0, repeats = 1, isSplit = false, straight = 0): Part {
  return { text, size, repeats, isSplit, straight };
}

function joined(parts: Part[]): Part {
  return {
    text: parts.map(({ text }) => text).join(''),
    size: parts.reduce((sum, { size }) => sum + size, 0),
    repeats: parts.reduce((most, { repeats }) => Math.max(most, repeats), 1),
    isSplit: parts.some(({ isSplit }) => isSplit),
    straight: Math.max(0, ...parts.map(({ straight }) => straight)),
  };
}

function repeated({ text, size, repeats, isSplit }: Part, token: string, min: number, max: number): Part {
  const count = Math.max(1, max === Infinity ? min : max);
  const most = Math.floor(MAX_REPEATS / repeats);
  if (size * count > MAX_SIZE) throw new Error(TOO_MANY_REPEATS);
  if (count <= most) return partOf(text + token, size * count, repeats * count, isSplit, size === 1 ? count : 0);
  return partOf(`(?:${split(text, min, max, most)})`, size * count, most * repeats, true, size === 1 ? count : 0);
}

/**
 * A repeat as several. Each further one is behind one that is full: if all of them could be, matching would take time by the square.
 */
function split(text: string, min: number, max: number, most: number): string {
  if (max === Infinity && min <= most) return `${text}{${min},}`;
  if (max <= most) return `${text}{${min},${max}}`;
  const full = `${text}{${most}}`;
  const rest = split(text, Math.max(0, min - most), max - most, most);
  return min >= most ? full + rest : `(?:${text}{${min},${most - 1}}|${full}${rest})`;
}

/** A character, an escape or a class. */
function escaped(token: string) {
  if (token === '[]') return '[^\\x00-\\x{10FFFF}]';
  if (token === '[^]') return '[\\x00-\\x{10FFFF}]';
  if (!token.startsWith('[')) return escapeInRe2(token);
  return token.replace(ESCAPES, (escape) => (escape === '\\b' ? '\\x08' : escapeInRe2(escape)));
}

function escapeInRe2(token: string) {
  const [, kind = '', rest = ''] = /^\\(.)(.*)/su.exec(token) ?? [];
  if (kind === 'u' && rest !== '') {
    const [first, second] = [...rest.matchAll(/[\da-fA-F]+/g)].map(([hex]) => Number.parseInt(hex, 16));
    // Two are halves of one character.
    const point = second === undefined ? first : String.fromCharCode(first, second).codePointAt(0);
    return `\\x{${point?.toString(16)}}`;
  }
  if (kind === 'c' && rest !== '') return `\\x{${(rest.charCodeAt(0) % 32).toString(16)}}`;
  if (kind === 'p' || kind === 'P') return token.replace(KIND, '$1');
  return kind > '\x7f' ? kind : token;
}

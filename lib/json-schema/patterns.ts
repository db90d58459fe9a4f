import { RE2JS } from '../bundled/schemas';

/** Characters of a pattern: the time to read some patterns grows with the square of their length. */
const MAX_LENGTH = 4_000;
/** Unicode classes, each of which has hundreds of ranges. */
const MAX_UNICODE_CLASSES = 100;
const UNICODE_CLASS = /\\[pP]/g;
/** How often RE2 repeats something, including the repeats inside it. */
const MAX_REPEATS = 1_000;
/**
 * The limits of a pattern with more repeats: how many characters and classes it has, each counted as often as it is
 * repeated, and how many steps a match may take. Such a pattern is anchored by `^` and has no loops. A match ends after
 * that many characters, so RE2 takes no longer than its own limit allows.
 */
const MAX_SIZE = 3_000;
const MAX_STEPS = 8_000_000;
const TOO_MANY_CLASSES = `it has more than ${MAX_UNICODE_CLASSES} Unicode classes`;
const TOO_MANY_REPEATS = `repeats of more than ${MAX_REPEATS} are allowed only in patterns of at most ${MAX_SIZE} characters that begin with ^ and have no loops`;

// eslint-disable-next-line regexp/no-super-linear-move -- what it is matched with is short
const CLASS = /\[\^?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]/;
const ESCAPE =
  /\\u\{[\da-fA-F]+\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\x(?:\{[\da-fA-F]+\}|[\da-fA-F]{2})|\\[pP]\{[^}]*\}|\\c[a-zA-Z]|\\[^]/;
const GROUP = /(?<capturing>\((?!\?)|\(\?P?<(?![=!])[^>]*>)|(?<open>\((?:\?:)?)|(?<close>\))/;
const REPEAT = /\{(?<min>\d+)(?<hasMax>,(?<max>\d*))?\}\??|(?<loop>[*+?])/;
const TOKENS = new RegExp([CLASS, ESCAPE, GROUP, REPEAT, /[^]/].map(({ source }) => source).join('|'), 'gu');
const ESCAPES = new RegExp(ESCAPE, 'gu');
/** Kinds of properties that RE2 does not name. */
const KIND = /^(\\[pP]\{)(?:Script|sc|General_Category|gc)=/;

/**
 * RE2 in place of V8's regular expressions, whose time has no limit.
 *
 * @param pattern in the syntax of ECMAScript, as in JSON Schemas
 * @returns the pattern, the number of its characters and classes with repeats, and at how many of them a match can be
 *   at a time
 * @throws {Error} for syntax that RE2 does not have, such as lookarounds
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

/** A piece of RE2's syntax. */
export interface Part {
  text: string;
  /** the number of its characters and classes, each counted as often as it is repeated */
  size: number;
  /** the largest number of repeats of anything in it */
  repeats: number;
  /** whether one repeat was split into several */
  isSplit: boolean;
  /** the largest repeat of one character or class, where a match is at one or two places at a time */
  straight: number;
}

/** The pattern in RE2's syntax. Groups do not capture, because the captured text is not used. */
function inRe2(pattern: string) {
  /** The parts of the open groups. A repeat applies to the last part. */
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
 * One repeat as several. Each further repeat follows a full one. If all of them could be partial, the time to match
 * would grow with the square.
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
    // Two units are the halves of one character.
    const point = second === undefined ? first : String.fromCharCode(first, second).codePointAt(0);
    return `\\x{${point?.toString(16)}}`;
  }
  if (kind === 'c' && rest !== '') return `\\x{${(rest.charCodeAt(0) % 32).toString(16)}}`;
  if (kind === 'p' || kind === 'P') return token.replace(KIND, '$1');
  return kind > '\x7f' ? kind : token;
}

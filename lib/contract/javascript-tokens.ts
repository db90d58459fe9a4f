/**
 * Tokens of JavaScript that matter for brackets: comments, strings, templates and words. Any other character is a
 * token.
 */
export const TOKEN = /\/\/.*|\/\*|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|[\p{ID_Continue}$]+|\s+|[^]/uy;
/** A regular expression. It begins with a slash, as a division does. */
export const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//uy;
/** The text of a template up to its end, or up to an expression in it. */
export const TEMPLATE = /(?:[^`\\$]|\\[^]|\$(?!\{))*/uy;
/** Matches the end of a value. A slash after a value is a division. */
const VALUE_END = /[\p{ID_Continue}$)\]}"'`]$/u;
/** Words that do not end a value. */
const OPERATORS = new Set(['await', 'case', 'delete', 'do', 'else', 'in', 'instanceof', 'of', 'return', 'throw', 'typeof', 'void', 'yield']); // prettier-ignore
export const CLOSING = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
  ['`', '`'],
]);
/** Longer code is not read. */
const MAX_CHARS = 256 << 10;
/** The time for each slash that does not begin a regular expression is proportional to the length of its line. */
const MAX_SLASHES = 64;

/** Whether a slash after `token` is a division. */
export function endsValue(token: string) {
  return VALUE_END.test(token) && !OPERATORS.has(token);
}

/** @param pattern a sticky pattern */
export function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

export interface Token {
  /** A word, one sign, or the first character of a string, a template or a regular expression. */
  text: string;
  at: number;
  end: number;
  /** Number of brackets around it. Brackets themselves are outside. */
  depth: number;
}

/**
 * Reads code without comments and white space. The result is a guess in linear time, which works for TypeScript too.
 * Only the parser reads JavaScript exactly.
 *
 * @returns undefined for code that is too long, or whose brackets do not match
 */
export function tokensOf(code: string): Token[] | undefined {
  if (code.length > MAX_CHARS) return undefined;
  const tokens: Token[] = [];
  const closing: string[] = [];
  let slashes = 0;
  let last = '';
  const push = (at: number, end: number, text = code.slice(at, end)) => {
    tokens.push({ text, at, end, depth: closing.length });
    last = code.slice(at, end);
  };
  for (let at = 0; at < code.length;) {
    if (closing.at(-1) === '`') {
      const end = at + matchAt(TEMPLATE, code, at).length;
      if (end >= code.length) return undefined;
      if (code[end] === '`') {
        closing.pop();
        last = '`';
        at = end + 1;
      } else {
        closing.push('}');
        last = '{';
        at = end + 2;
      }
      continue;
    }
    const token = matchAt(TOKEN, code, at);
    const end = at + token.length;
    if (token.startsWith('//') || token.trim() === '') {
      at = end;
    } else if (token === '/*') {
      const closed = code.indexOf('*/', end);
      if (closed === -1) return undefined;
      at = closed + 2;
    } else if (token === '/' && !endsValue(last) && slashes < MAX_SLASHES) {
      const pattern = matchAt(REGEXP, code, at);
      if (pattern === '') slashes++;
      push(at, at + Math.max(pattern.length, 1), '/');
      if (pattern !== '') last = ')';
      at += Math.max(pattern.length, 1);
    } else if (CLOSING.has(token)) {
      push(at, end);
      closing.push(CLOSING.get(token) as string);
      at = end;
    } else if (token === '}' || token === ')' || token === ']') {
      if (closing.pop() !== token) return undefined;
      // The end of an expression in a template is not a token.
      if (closing.at(-1) !== '`') push(at, end);
      at = end;
    } else {
      push(at, end, /^["']/.test(token) ? token[0] : token);
      at = end;
    }
  }
  return closing.length === 0 ? tokens : undefined;
}

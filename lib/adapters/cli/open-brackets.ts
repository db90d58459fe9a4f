/**
 * Tokens of JavaScript, as far as they matter for brackets: comments, strings, templates, words, and all else one by one.
 */
const TOKEN = /\/\/.*|\/\*|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|[\p{ID_Continue}$]+|\s+|[^]/uy;
/** A regular expression, which begins with a slash as a division does. */
const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//uy;
/** Text of a template up to its end, or to an expression in it. */
const TEMPLATE = /(?:[^`\\$]|\\[^]|\$(?!\{))*/uy;
/** What a value ends with: a slash after it is a division. */
const VALUE_END = /[\p{ID_Continue}$)\]}"'`]$/u;
/** Words that a value does not end with. */
const OPERATORS = new Set(['await', 'case', 'delete', 'do', 'else', 'in', 'instanceof', 'of', 'return', 'throw', 'typeof', 'void', 'yield']); // prettier-ignore
const CLOSING = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
  ['`', '`'],
]);

/**
 * Which brackets, templates and comments are open in code that comes line by line. A guess in time that is linear: only the parser
 * tells a regular expression from a division, and it reads all of the code for each line.
 */
export class OpenBrackets {
  /** What closes them, innermost last. */
  #closing: string[] = [];
  #isComment = false;
  /** The last token that is no comment. */
  #last = '';

  get areOpen() {
    return this.#isComment || this.#closing.length > 0;
  }

  add(lines: string) {
    for (let at = 0; at < lines.length;) {
      if (this.#isComment) {
        const end = lines.indexOf('*/', at);
        if (end === -1) return;
        this.#isComment = false;
        at = end + 2;
      } else {
        at += this.#closing.at(-1) === '`' ? this.#template(lines, at) : this.#token(lines, at);
      }
    }
  }

  /** @returns units of what was read */
  #template(lines: string, at: number): number {
    const text = matchAt(TEMPLATE, lines, at);
    const end = at + text.length;
    if (lines[end] === '`') {
      this.#closing.pop();
      this.#last = '`';
      return text.length + 1;
    }
    if (lines.startsWith('${', end)) {
      this.#closing.push('}');
      this.#last = '{';
      return text.length + 2;
    }
    // A backslash at the very end.
    return Math.max(text.length, 1);
  }

  /** @returns units of what was read */
  #token(lines: string, at: number): number {
    const token = matchAt(TOKEN, lines, at);
    if (token.startsWith('//') || token.trim() === '') return token.length;
    if (token === '/*') {
      this.#isComment = true;
      return token.length;
    }
    if (token === '/' && !(VALUE_END.test(this.#last) && !OPERATORS.has(this.#last))) {
      const pattern = matchAt(REGEXP, lines, at);
      this.#last = pattern === '' ? token : ')';
      return Math.max(pattern.length, 1);
    }
    const closing = CLOSING.get(token);
    if (closing !== undefined) this.#closing.push(closing);
    else if (token === this.#closing.at(-1)) this.#closing.pop();
    this.#last = token;
    return token.length;
  }
}

/** @param pattern sticky */
function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

import { CLOSING, REGEXP, TEMPLATE, TOKEN, endsValue, matchAt } from '../../contract/javascript-tokens';

/**
 * Tracks which brackets, templates and comments are open in code that arrives line by line. The result is a guess in
 * linear time. Only the parser can distinguish a regular expression from a division, and the parser reads all of the
 * code for each line.
 */
export class OpenBrackets {
  /** The closing tokens of the open brackets, innermost last. */
  #closing: string[] = [];
  #isComment = false;
  /** The last token that is not a comment. */
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

  /** @returns number of UTF-16 code units read */
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
    // The code ends with a backslash.
    return Math.max(text.length, 1);
  }

  /** @returns number of UTF-16 code units read */
  #token(lines: string, at: number): number {
    const token = matchAt(TOKEN, lines, at);
    if (token.startsWith('//') || token.trim() === '') return token.length;
    if (token === '/*') {
      this.#isComment = true;
      return token.length;
    }
    if (token === '/' && !endsValue(this.#last)) {
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

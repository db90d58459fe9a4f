import type { Answer } from './connection';

/** Shorter parts of a header's value would be found in ordinary text. */
const MIN_CHARS = 8;
const SIGN = '*';

/** Removes the credentials that the host sends from what servers repeat of them. */
export class Secrets {
  #texts;

  /** @param values of headers */
  constructor(values: readonly string[]) {
    const parts = values.flatMap((value) => [value, ...value.split(/[\s,;=]+/)]);
    const long = parts.filter((part) => part.length >= MIN_CHARS);
    // The longest first: a part of a value is also a part of the whole.
    this.#texts = [...new Set(long)].sort((a, b) => b.length - a.length);
  }

  removedFrom(answer: Answer): Answer {
    if (this.#texts.length === 0) return answer;
    const { statusText, headers, body } = answer;
    return {
      ...answer,
      statusText: this.#text(statusText),
      headers: headers.map(([name, value]) => [name, this.#text(value)]),
      body: this.#bytes(body),
    };
  }

  #text(text: string) {
    return this.#texts.reduce((rest, secret) => rest.replaceAll(secret, SIGN.repeat(secret.length)), text);
  }

  #bytes(bytes: Uint8Array) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (const secret of this.#texts) {
      const sought = Buffer.from(secret, 'latin1');
      for (let at = buffer.indexOf(sought); at !== -1; at = buffer.indexOf(sought, at + sought.length)) {
        buffer.fill(SIGN, at, at + sought.length);
      }
    }
    return bytes;
  }
}

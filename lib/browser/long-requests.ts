// Requests with large bodies, as the DevTools protocol reports them. A message contains the body twice: as text, with
// up to six bytes for each byte of the body, and in base64. Within a JSON string, each quotation mark has a backslash
// before it.

const METHOD = 'Fetch.requestPaused';
const BEGINNING = `{"method":"${METHOD}",`;
const REQUEST = '"request":';
const TEXT = ',"postData":"';
const AFTER_TEXT = '","hasPostData":';
const ENTRIES = '"postDataEntries":[';
/** Shorter messages are parsed as they are. */
const LONG_BYTES = 64 << 10;
/** The fields before and after a body are searched within this many bytes. */
const HEAD_BYTES = 1 << 20;
const TAIL_BYTES = 8 << 10;

/** The message without the body as text, if it reports a request and also contains the body in base64. */
export function withoutText(message: Buffer) {
  if (message.length < LONG_BYTES || !isRequest(message)) return message;
  const from = message.indexOf(TEXT);
  const to = from === -1 ? -1 : message.indexOf(AFTER_TEXT, from);
  if (to === -1 || message.indexOf(ENTRIES, to) === -1) return message;
  return Buffer.concat([message.subarray(0, from), message.subarray(to + 1)]);
}

/** A request whose message is too long. Only its beginning and its end are kept. */
export class LongRequest {
  #head;

  constructor(head: Buffer) {
    this.#head = head;
  }

  /**
   * @param parts of a message that has begun
   * @returns undefined if it is not a request
   */
  static of(parts: Buffer[]): LongRequest | undefined {
    let bytes = 0;
    const last = parts.findIndex((part) => (bytes += part.length) >= HEAD_BYTES);
    const head = Buffer.concat(parts.slice(0, last + 1));
    return isRequest(head) ? new LongRequest(head) : undefined;
  }

  /** The last parts, up to the maximum size of a message's end. */
  static tailOf(parts: Buffer[]) {
    let bytes = 0;
    const first = parts.findLastIndex((part) => (bytes += part.length) >= TAIL_BYTES);
    return parts.slice(Math.max(0, first));
  }

  /** The message without the body, with `isTooLarge` in its place. */
  message(tail: Buffer[]) {
    const head = this.#head.toString('utf8');
    const end = Buffer.concat(tail).toString('latin1');
    const at = head.indexOf(TEXT);
    const asked = at === -1 ? '{' : `${head.slice(head.indexOf(REQUEST) + REQUEST.length, at)},`;
    const params = {
      requestId: found(/"requestId":"([^"]+)"/, head),
      frameId: found(/"frameId":"([^"]+)"/, end),
      resourceType: found(/"resourceType":"([^"]+)"/, end),
      request: JSON.parse(`${asked}"isTooLarge":true}`),
    };
    return Buffer.from(JSON.stringify({ method: METHOD, params, sessionId: found(/"sessionId":"([^"]+)"\}$/, end) }));
  }
}

function isRequest(message: Buffer) {
  return message.toString('latin1', 0, BEGINNING.length) === BEGINNING;
}

function found(pattern: RegExp, text: string) {
  return pattern.exec(text)?.[1];
}

import { clearTimeout, setTimeout } from '../contract/clock';
import { ConcurrencyLimiter } from '../contract/concurrency-limiter';
import { RunScope } from '../contract/run-scope';
import { RefusedRequest } from '../network/refused';
import type { Foreign } from '../contract/foreign';
import type { Made, Policy } from '../network/requests';
import type { Tab } from './tab';

/** Maximum bytes of a response body. */
const MAX_BODY_BYTES = 32 << 20;
/** Maximum bytes of a page's requests and their responses that the host holds at the same time. */
const MAX_HELD_BYTES = 64 << 20;
/** Maximum number of a page's requests in progress. Others wait. */
const MAX_AT_ONCE = 16;
const REQUEST_MS = 30_000;

/** Headers that belong to a connection or to the browser itself, in both directions. */
const NOT_PASSED =
  /^(?:host|origin|referer|cookie|set-cookie|connection|keep-alive|transfer-encoding|content-length|content-encoding|upgrade|proxy-.*|sec-.*|access-control-.*|content-security-policy.*|strict-transport-security)$/i;

/** A request as the host makes it. */
export interface Plain {
  url: string;
  method: string;
  headers: string[][];
  /** undefined if it is not known */
  body: Buffer | string | undefined;
  /** whether the body is missing because the message was too large */
  isTooLarge: boolean;
}

/** The run that a request belongs to. */
export interface Asking {
  onRequest: ((request: { url: string; method: string; headers: Record<string, string> }) => unknown) | undefined;
  /** the requests of the run so far */
  made: Made;
  policy: Policy;
  /** writes a line to the log */
  warn: (text: string) => void;
}

/**
 * Makes the requests of a page, which has no network itself, to its allowed origins. Redirects are passed to the page
 * as they are. The page then makes a new request for each, according to its `fetch` options.
 */
export class Requests {
  #tab;
  /** Ends the requests in progress together with the page. */
  #scope = new RunScope();
  #heldBytes = 0;
  #limiter = new ConcurrencyLimiter({ maxConcurrent: MAX_AT_ONCE });

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /** @param paused as the DevTools protocol reports it */
  answer({ requestId, request }: Foreign, asking: Asking) {
    // Nothing of the original request is kept.
    void this.#answer(requestId, plain(request), corsHeaders(request.headers), asking);
  }

  /** The page has ended, and with it all waiting requests. */
  end() {
    this.#scope.end();
  }

  async #answer(requestId: string, request: Plain, cors: (names: string[]) => string[][], asking: Asking) {
    let held = 0;
    const hold = (bytes: number) => {
      held += bytes;
      this.#heldBytes += bytes;
      if (this.#heldBytes > MAX_HELD_BYTES) throw tooMuch();
    };
    try {
      if (request.isTooLarge) throw tooMuch();
      hold(sizeOf(request));
      if (request.method === 'OPTIONS')
        return void (await this.#tab.fulfill(requestId, 204, cors([]), Buffer.alloc(0)));
      await this.#limited(async () => {
        const { status, headers, body } = await this.#make(request, asking, hold);
        // The response counts as held until the browser has received it.
        const names = headers.map(([name]) => name);
        await this.#tab.fulfill(requestId, status, [...headers, ...cors(names)], body);
      });
    } catch (error) {
      if (error instanceof RefusedRequest) asking.warn(`${request.method} ${request.url} has failed: ${error.message}`);
      // The page receives the same error as for any failed request.
      if (!this.#scope.isOver) this.#tab.refuse(requestId);
    } finally {
      this.#heldBytes -= held;
    }
  }

  async #limited(make: () => Promise<void>) {
    await this.#limiter.enter();
    try {
      await make();
    } finally {
      this.#limiter.leave();
    }
  }

  /** @param hold called with each increase of the held bytes; throws if they exceed the limit */
  async #make({ url, method, headers, body }: Plain, asking: Asking, hold: (bytes: number) => void) {
    const { onRequest, policy, made } = asking;
    const scope = this.#scope.part();
    let late: NodeJS.Timeout | undefined;
    try {
      if (scope.isOver) throw new Error('the page is gone');
      if (body === undefined) throw new RefusedRequest('a body that is a stream cannot be sent');
      const given = { url, method, headers: Object.fromEntries(headers) };
      if (onRequest !== undefined && (await onRequest(given)) === false) throw new Error('the host has refused it');
      late = setTimeout(() => scope.end(), REQUEST_MS);
      const asked = {
        url: new URL(url),
        method,
        headers: headers.map(([name, value]): [string, string] => [name.toLowerCase(), value]),
        body: body.length === 0 ? undefined : typeof body === 'string' ? Buffer.from(body) : body,
        // The page makes the next request.
        redirect: 'manual' as const,
        onPart: limited(hold),
      };
      const answer = await policy.follow(asked, scope, made);
      const { body: bytes } = answer;
      return {
        status: answer.status,
        headers: passed(answer.headers),
        body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      };
    } finally {
      clearTimeout(late);
      scope.end();
    }
  }
}

/** Also limits the bytes of one response. */
function limited(hold: (bytes: number) => void) {
  let bytes = 0;
  return (more: number) => {
    bytes += more;
    if (bytes > MAX_BODY_BYTES) throw new RefusedRequest(`the answer has more than ${MAX_BODY_BYTES} bytes`);
    hold(more);
  };
}

function tooMuch() {
  return new RefusedRequest(`the requests of the page would take more than ${MAX_HELD_BYTES} bytes at once`);
}

/** @param request as the DevTools protocol reports it */
function plain(request: Foreign): Plain {
  const { url, method, isTooLarge = false } = request;
  return { url, method, headers: passed(Object.entries(request.headers)), body: bodyOf(request), isTooLarge };
}

function bodyOf({ postDataEntries = [], postData = '' }: Foreign) {
  if (postDataEntries.length === 0) return postData;
  // Stream entries have no bytes.
  if (postDataEntries.some(({ bytes }: Foreign) => bytes === undefined)) return undefined;
  return Buffer.concat(postDataEntries.map(({ bytes }: Foreign) => Buffer.from(bytes, 'base64')));
}

function sizeOf({ url, headers, body = '' }: Plain) {
  return headers.flat().reduce((sum, text) => sum + text.length, url.length + body.length);
}

function passed(headers: [string, unknown][]) {
  return headers.filter(([name]) => !NOT_PASSED.test(name)).map(([name, value]) => [name, String(value)]);
}

/**
 * CORS headers for a page's request. The host has already decided about access, and sends no cookies. A request with
 * credentials needs its origin and the header names listed explicitly.
 * @param asked headers of the request
 * @returns the headers that let the page read a response with headers of these names
 */
function corsHeaders(asked: Record<string, string>): (names: string[]) => string[][] {
  const found = (wanted: string) => Object.entries(asked).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const origin = found('origin') ?? '*';
  const allowed = found('access-control-request-headers') ?? '*';
  return (names) => [
    ['access-control-allow-origin', origin],
    ['access-control-allow-credentials', 'true'],
    ['access-control-expose-headers', names.join(', ')],
    ['access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
    ['access-control-allow-headers', allowed],
  ];
}

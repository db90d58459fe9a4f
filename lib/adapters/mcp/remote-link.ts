import { AsyncLocalStorage } from 'node:async_hooks';

import { eventsOf } from './event-stream';
import { failedAnswer, heldAnswer, resultOf } from './held-result';
import { MAX_LINE_BYTES, readLine } from './messages';
import { UnsolicitedMessages } from './unsolicited-messages';
import { setTimeout } from '../../contract/clock';
import { isPlainObject } from '../../contract/describe';
import { abortController, onAbort } from '../../contract/signals';
import { Secrets } from '../../sandbox/openapi/secrets';
import { version } from '../../../package.json';
import type { Foreign } from '../../contract/foreign';
import type { ServerTarget } from './address';
import type { Link } from './link';

/** Maximum length of the body of an answer that is not a message: an error, or a document of a login. */
const MAX_BODY_BYTES = 256 << 10;
/** Characters of an error of a server that code sees. */
const MAX_ERROR_CHARS = 1_000;
/** Maximum length of a request or notification of the server, in characters. Longer ones are ignored. */
const MAX_UNSOLICITED_CHARS = 64 << 10;
/** Maximum length of the answers to these requests, in characters. The SDK checks them in one step. */
const MAX_FIRST_CHARS = 256 << 10;
const FIRST = ['initialize', 'server/discover'];
/** Milliseconds until the server must have answered the first requests. */
const CONNECT_MS = 30_000;

/**
 * Connects to a server at an address, in the newest version of the protocol that both speak.
 *
 * The SDK does what the protocol says about headers, sessions and logins. Its requests go through {@link RemoteFetch},
 * because the SDK reads and parses bodies of any size in one step.
 *
 * @param onLost called if the server has forgotten the session
 * @param onTransport called with the transport before it is used
 */
export async function remoteLink(
  target: ServerTarget & { url: URL },
  onLost: () => void,
  onTransport: (transport: { close: () => Promise<void> }) => void,
): Promise<Link> {
  const { anything } = require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
  const { client, transport, secrets } = remoteClient(target);
  onTransport(transport);
  let ending: string | undefined;
  try {
    await client.connect(transport, { timeout: CONNECT_MS });
  } catch (error) {
    await transport.close();
    throw readable(error, target, secrets);
  }
  return {
    capabilities: client.getServerCapabilities() ?? {},
    get ending() {
      return ending;
    },
    request: async (method, params, options) => {
      try {
        return resultOf(await client.request({ method, params }, anything, options));
      } catch (error) {
        // The specification: 404 for a session that has ended.
        if (transport.sessionId !== undefined && statusOf(error) === 404) {
          ending ??= 'its session is gone';
          onLost();
        }
        throw readable(error, target, secrets);
      }
    },
    close: async () => {
      const ended = transport.terminateSession().catch(() => {});
      // A server that does not answer must not keep the process.
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 2_000).unref())]);
      await client.close();
    },
  };
}

/**
 * A client that is not connected yet, its transport, and what no message may show: servers repeat what they are sent.
 */
export function remoteClient({ url, headers, authProvider }: Omit<ServerTarget & { url: URL }, 'name'>) {
  const { Client, StreamableHTTPClientTransport } =
    require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
  const secrets = new Secrets();
  for (const [name, value] of Object.entries(headers ?? {})) secrets.addHeader(name, String(value));
  for (const [name, value] of url.searchParams) secrets.addQuery(name, value);
  const fetcher = new RemoteFetch(url, secrets);
  const transport: Foreign = new StreamableHTTPClientTransport(url, {
    fetch: fetcher.fetch as Foreign,
    authProvider: authProvider as Foreign,
    ...(headers !== undefined && { requestInit: { headers } }),
  });
  fetcher.serve(transport);
  const client: Foreign = new Client(
    { name: 'ses-executor', version },
    { versionNegotiation: { mode: 'auto', probe: { timeoutMs: CONNECT_MS } } },
  );
  return { client, transport, secrets };
}

/** Makes the HTTP requests of the SDK, and hands the messages in the bodies of answers over to it. */
class RemoteFetch {
  #url;
  #secrets;
  #transport: Foreign;
  /** The message whose request the SDK makes, and its answer. */
  #sending: AsyncLocalStorage<Sending> = new AsyncLocalStorage();
  /** Requests that the server has not answered, by their ids. */
  #asked: Map<unknown, AbortController> = new Map();
  #unsolicited = new UnsolicitedMessages();

  /** @param secrets are added to: logins have tokens that change */
  constructor(url: URL, secrets: Secrets) {
    this.#url = url.href;
    this.#secrets = secrets;
  }

  /** @param transport the SDK's transport, which uses {@link fetch} */
  serve(transport: Foreign) {
    this.#transport = transport;
    const send = transport.send.bind(transport);
    transport.send = async (message: Foreign, options: Foreign) => {
      const sending: Sending = { message, answer: undefined };
      // Before protocol 2026-07-28, a notification cancels a request, and the SDK goes on to read its answer.
      if (message.method === 'notifications/cancelled') this.#asked.get(message.params?.requestId)?.abort();
      // Of the class that the SDK uses: it combines this signal with its own.
      const asked = new AbortController();
      if (isRequest(message)) this.#asked.set(message.id, asked);
      try {
        const requestSignal = options?.requestSignal ?? asked.signal;
        await this.#sending.run(sending, () => send(message, { ...options, requestSignal }) as Promise<void>);
      } finally {
        if (isRequest(message)) this.#asked.delete(message.id);
      }
      // The SDK has read the headers by now. They have the session, which its next request needs.
      if (sending.answer !== undefined) transport.onmessage?.(sending.answer);
    };
  }

  fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    for (const [name, value] of new Headers(init.headers)) this.#secrets.addHeader(name, value);
    const isMessage = String(url) === this.#url && new Headers(init.headers).get('content-type') === 'application/json';
    // No client asks for messages that belong to no request.
    if (String(url) === this.#url && init.method === 'GET') return new Response(null, { status: 405 });
    const response = await fetch(url, { ...init, ...(init.signal && { signal: signalOfNode(init.signal) }) });
    const { status, statusText, headers } = response;
    if (response.body === null) return response;
    if (isMessage && response.ok && status !== 202 && status !== 204) {
      await this.#deliver(response, this.#sending.getStore());
      return new Response(null, { status: 202, headers });
    }
    const text = await textOf(response, MAX_BODY_BYTES);
    return new Response(text, { status, statusText, headers });
  };

  async #deliver(response: Response, sending: Sending | undefined) {
    const body = response.body as unknown as AsyncIterable<Uint8Array> & { cancel: () => Promise<void> };
    // Answers to the server, and notifications, have no answer.
    if (sending === undefined || !isRequest(sending.message)) return await body.cancel();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const texts = isStream ? eventsOf(body) : [await textOf(response, MAX_LINE_BYTES)];
    for await (const text of texts) {
      sending.answer =
        text === undefined ? failedAnswer(sending.message.id, LONG) : await this.#answerIn(text, sending.message);
      if (sending.answer !== undefined) return;
    }
    sending.answer = failedAnswer(sending.message.id, 'the connection ended before the answer');
  }

  /** @returns undefined if the text is not the answer to the message that was sent */
  async #answerIn(text: string, sent: Foreign): Promise<Foreign> {
    if (FIRST.includes(sent.method) && text.length > MAX_FIRST_CHARS) {
      return failedAnswer(sent.id, `its answer to ${sent.method} has more than ${MAX_FIRST_CHARS} characters`);
    }
    const { message, refusal } = (await readLine(text)) as Foreign;
    if (message === undefined) return failedAnswer(sent.id, refusal.error.message);
    if (!('method' in message)) return message.id === sent.id ? heldAnswer(message, sent) : undefined;
    if (text.length <= MAX_UNSOLICITED_CHARS) this.#transport.onmessage?.(message);
    // The SDK handles notifications a moment later. After the answer, it forgets the recipient of progress.
    const delay = this.#unsolicited.delayAfter() ?? 0;
    await new Promise((resolve) => setTimeout(resolve, delay));
    return undefined;
  }
}

/** The signal in the class of Node.js, which its `fetch` requires. Test environments replace the global class. */
function signalOfNode(signal: AbortSignal): AbortSignal {
  const controller = abortController();
  if (signal instanceof controller.signal.constructor) return signal;
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else onAbort(signal, abort);
  return controller.signal;
}

function isRequest(message: Foreign) {
  return 'method' in message && 'id' in message;
}

interface Sending {
  message: Foreign;
  answer: Foreign;
}

const LONG = `the answer is too long: it may have at most ${MAX_LINE_BYTES} bytes`;

/** @returns undefined if it is longer than `max` */
async function textOf(response: Response, max: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > max) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function statusOf(error: Foreign): unknown {
  return error?.data?.status ?? error?.status;
}

/** An error that says what to do. The text of a server in it is short and shows no credentials. */
function readable(given: Foreign, { name, loginHint }: ServerTarget & { url: URL }, secrets: Secrets): Error {
  const isLogin = statusOf(given) === 401 || given?.constructor?.name === 'UnauthorizedError';
  const error = secrets.hiddenFrom(given);
  if (isLogin) return new Error(loginHint ?? `the server ${name} demands a login or a token`, { cause: error });
  const reason = isPlainObject(error?.cause) || error?.cause instanceof Error ? error.cause.code : undefined;
  const message = String(error?.message ?? error);
  if (message === 'fetch failed')
    return new Error(`it cannot be reached (${reason ?? 'no reason given'})`, { cause: error });
  if (message.length <= MAX_ERROR_CHARS) return error;
  return new Error(`${message.slice(0, MAX_ERROR_CHARS)}...`, { cause: error });
}

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

import { isLoopback, requestUrl, urlHost } from './address';
import { HandleSessions, Slots } from './handles';
import { legacyServer } from './legacy-server';
import { MAX_LINE_BYTES, readLine } from './messages';
import { isModern } from './modern-server';
import { ModernEndpoint } from './modern-http';
import { StreamableHTTPServerTransport } from '../../bundled/mcp';
import { clearTimeout, setTimeout } from '../../contract/clock';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Foreign } from '../../contract/foreign';
import type { ModernTasks } from './modern-tasks';
import type { Served } from './served';

// Streamable HTTP of the Model Context Protocol. Each client that initializes gets a separate server, and thus a
// separate session. Requests of protocol 2026-07-28 stand alone, and name the session that they continue.

const PATH = '/mcp';
/** A client that is gone does not end its session, because no connection belongs to it. */
const IDLE_MS = 30 * 60_000;
/** Time in which the headers and the body of a request must have come in. */
const REQUEST_MS = 30_000;
const SESSION_ID = 'mcp-session-id';

/** Error codes of JSON-RPC for the server. */
const UNREADABLE = -32_700;
const REFUSED = -32_000;
const NO_SESSION = -32_001;

export interface HttpOptions {
  host: string;
  /** 0: any that is free */
  port: number;
  /** What clients must send: `Authorization: Bearer <token>`. */
  token: string;
  /** Origins of web pages that may send requests. Other programs send no origin. */
  origins: readonly string[];
  maxSessions: number;
  /** Creates a session for a client. */
  open: () => Served;
  onerror: (error: Error) => void;
  /** Milliseconds without a request after which a session ends. Default: half an hour. */
  idleMs?: number;
  /** The tasks of clients of protocol 2026-07-28. They end with the server. */
  tasks?: ModernTasks;
}

export interface HttpEndpoint {
  url: string;
  /** Ends all sessions and stops listening. */
  close: () => Promise<void>;
}

/** @throws {Error} of Node.js if the address cannot be used */
export async function listen({ host, port, token, origins, idleMs = IDLE_MS, ...options }: HttpOptions) {
  const sessions = new Sessions({ ...options, idleMs });
  const guard = new Guard(token, origins);
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    const refusal = guard.refusalOf(request);
    if (refusal !== undefined) return refuse(response, refusal);
    sessions.handle(request, response).catch((error: Error) => {
      options.onerror(error);
      if (!response.headersSent) refuse(response, { status: 500, text: 'the request failed' });
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const { port: actual } = server.address() as AddressInfo;
  guard.accept(host, actual);
  const endpoint: HttpEndpoint = {
    url: `http://${urlHost(host)}:${actual}${PATH}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await sessions.closeAll();
      server.closeAllConnections();
      await closed;
    },
  };
  return endpoint;
}

interface Refusal {
  status: number;
  text: string;
  /** code of JSON-RPC */
  code?: number;
  headers?: Record<string, string>;
}

/** Decides which requests are handled. */
class Guard {
  #digest;
  #origins: Set<string>;
  /** Values of `Host`. A page whose name was made to lead to this machine has another one. Undefined: all. */
  #hosts: Set<string> | undefined;

  constructor(token: string, origins: readonly string[]) {
    this.#digest = digestOf(token);
    this.#origins = new Set(origins);
  }

  accept(host: string, port: number) {
    if (!isLoopback(host)) return;
    this.#hosts = new Set(['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`));
  }

  refusalOf({ headers, url, method }: IncomingMessage): Refusal | undefined {
    if (this.#hosts?.has(headers.host ?? '') === false) return { status: 403, text: 'this host is not served here' };
    const { origin } = headers;
    if (origin !== undefined && !this.#origins.has(origin)) {
      return { status: 403, text: `pages of ${origin.slice(0, 200)} may not send requests: see --allow-origin` };
    }
    if (!this.#isAuthorized(headers.authorization)) {
      return { status: 401, text: 'the bearer token is missing or wrong', headers: { 'www-authenticate': 'Bearer' } };
    }
    if (requestUrl(url)?.pathname !== PATH) return { status: 404, text: `the path is ${PATH}` };
    if (!['GET', 'POST', 'DELETE'].includes(method ?? '')) {
      return { status: 405, text: 'the method must be GET, POST or DELETE', headers: { allow: 'GET, POST, DELETE' } };
    }
    return undefined;
  }

  #isAuthorized(authorization: string | undefined): boolean {
    const [, given] = /^bearer (.+)$/i.exec(authorization ?? '') ?? [];
    return given !== undefined && timingSafeEqual(digestOf(given), this.#digest);
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

interface Session {
  transport: StreamableHTTPServerTransport;
  /** Requests that have not been answered, and streams that are open. */
  open: number;
  timer: NodeJS.Timeout | undefined;
  end: () => Promise<unknown>;
}

class Sessions {
  #options;
  #sessions: Map<string, Session> = new Map();
  /** Sessions of all states. Those that end still have their isolate. */
  #slots;
  #ending: Set<Promise<unknown>> = new Set();
  #modern;

  constructor(options: Pick<HttpOptions, 'open' | 'maxSessions' | 'onerror'> & { idleMs: number }) {
    this.#options = options;
    this.#slots = new Slots(options.maxSessions);
    this.#modern = new ModernEndpoint(new HandleSessions({ ...options, slots: this.#slots }), options);
  }

  async handle(request: IncomingMessage, response: ServerResponse) {
    const message = request.method === 'POST' ? await messageOf(request, response) : undefined;
    if (request.method === 'POST' && message === undefined) return;
    // The client has left while its message was read. Its response does not report that again. From here to the
    // listeners of `close`, the event loop makes no turn.
    if (response.destroyed) return;
    if (isModern(message) || isModernVersion(request.headers['mcp-protocol-version'])) {
      await this.#modern.handle(request, response, message);
      return;
    }
    const id = request.headers[SESSION_ID];
    const session = id === undefined ? await this.#opened(message, response) : this.#sessions.get(String(id));
    if (session === undefined) {
      if (id !== undefined) refuse(response, { status: 404, text: 'this session has ended', code: NO_SESSION });
      return;
    }
    this.#begin(session, response);
    await session.transport.handleRequest(request, response, message);
  }

  async closeAll() {
    for (const { transport } of this.#sessions.values()) await transport.close();
    await Promise.all([...this.#ending, this.#modern.close()]);
  }

  /** The session of a client that begins. Undefined if the request is refused. */
  async #opened(message: Foreign, response: ServerResponse): Promise<Session | undefined> {
    if (message?.method !== 'initialize') {
      refuse(response, { status: 400, text: `the header ${SESSION_ID} is missing`, code: REFUSED });
      return undefined;
    }
    const { open, onerror } = this.#options;
    const text = this.#slots.refusal;
    if (text !== undefined) {
      refuse(response, { status: 503, text, code: REFUSED, headers: { 'retry-after': '60' } });
      return undefined;
    }
    const served = open();
    const server = legacyServer(served);
    this.#slots.take();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
    });
    const session: Session = { transport, open: 0, timer: undefined, end: () => served.close() };
    server.onerror = onerror;
    await server.connect(transport);
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      this.#ended(session);
    };
    return session;
  }

  #begin(session: Session, response: ServerResponse) {
    clearTimeout(session.timer);
    session.open++;
    response.once('close', () => {
      session.open--;
      if (session.open > 0) return;
      // A client that was refused has no session.
      if (session.transport.sessionId === undefined) void session.transport.close();
      else session.timer = setTimeout(() => void session.transport.close(), this.#options.idleMs).unref();
    });
  }

  #ended(session: Session) {
    const { sessionId } = session.transport;
    if (sessionId !== undefined) this.#sessions.delete(sessionId);
    clearTimeout(session.timer);
    const ending = session
      .end()
      .catch(this.#options.onerror)
      .finally(() => {
        this.#slots.free();
        this.#ending.delete(ending);
      });
    this.#ending.add(ending);
  }
}

/** Whether a header names protocol 2026-07-28 or a later version. Versions are dates. */
function isModernVersion(header: string | string[] | undefined) {
  return typeof header === 'string' && header >= '2026-07-28';
}

/** The message of a request. Undefined if the request is answered already. */
async function messageOf(request: IncomingMessage, response: ServerResponse): Promise<Foreign> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_LINE_BYTES) {
      refuse(response, { status: 413, text: `a message may have at most ${MAX_LINE_BYTES} bytes`, code: REFUSED });
      return undefined;
    }
    chunks.push(chunk);
  }
  try {
    const { message, refusal } = await readLine(Buffer.concat(chunks).toString('utf8'));
    if (message !== undefined) return message;
    send(response, 400, refusal);
  } catch (error) {
    refuse(response, { status: 400, text: (error as Error).message, code: UNREADABLE });
  }
  return undefined;
}

function refuse(response: ServerResponse, { status, text, code = REFUSED, headers }: Refusal) {
  send(response, status, { jsonrpc: '2.0', id: null, error: { code, message: text } }, headers);
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  // What is left of a body that is not read would be the next request.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
  response.end(JSON.stringify(body));
}

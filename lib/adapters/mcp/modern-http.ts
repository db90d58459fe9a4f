import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { modernServer } from './modern-server';
import { ModernTasks } from './modern-tasks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReadableStream } from 'node:stream/web';
import type { Foreign } from '../../contract/foreign';
import type { HandleSessions } from './handles';
import type { Served } from './served';

/** Streams of `subscriptions/listen` at the same time. Nothing that they report ever changes. */
const MAX_SUBSCRIPTIONS = 64;

/** Answers requests of protocol 2026-07-28 over HTTP. */
export class ModernEndpoint {
  #sessions;
  #options;
  #tasks;
  #handler:
    { fetch: (request: Request, options: Foreign) => Promise<Response>; close: () => Promise<void> } | undefined;
  /** A session that runs nothing. It describes the tools. */
  #template: Served | undefined;

  constructor(
    sessions: HandleSessions,
    options: { open: () => Served; onerror: (error: Error) => void; tasks?: ModernTasks },
  ) {
    this.#sessions = sessions;
    this.#options = options;
    this.#tasks = options.tasks ?? new ModernTasks();
  }

  /** @param message the body of a POST request */
  async handle(request: IncomingMessage, response: ServerResponse, message: Foreign) {
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    const { method = 'GET', url = '/', headers } = request;
    const asked = new Request(new URL(url, 'http://localhost'), {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      ),
      signal: ended.signal,
    });
    const answer = await this.#made().fetch(asked, { parsedBody: message });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) return void response.end();
    // A client that goes away ends the stream.
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch(() => {});
  }

  async close() {
    this.#tasks.end();
    await this.#handler?.close();
    await Promise.all([this.#sessions.close(), this.#template?.close()]);
  }

  /** Made for the first request: clients may all speak earlier versions. */
  #made() {
    if (this.#handler !== undefined) return this.#handler;
    const { createMcpHandler } = require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
    const { open, onerror } = this.#options;
    this.#template = open();
    const served = this.#sessions.toolsOf(this.#template);
    this.#handler = createMcpHandler(() => modernServer(served, this.#tasks), {
      legacy: 'reject',
      onerror,
      maxSubscriptions: MAX_SUBSCRIPTIONS,
    });
    return this.#handler;
  }
}

// `ses-executor mcp --http`, with the client of the official SDK over HTTP.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';

import { listen } from '../../build/adapters/mcp/http.js';
import { MAX_LINE_BYTES } from '../../build/adapters/mcp/messages.js';
import { deferred, spawnNode, withFolder } from '../helpers.mjs';
import { BIN, TOKEN, startHttp } from './mcp-command.mjs';

const AUTHORIZATION = `Bearer ${TOKEN}`;
/** The channel on which Node.js reports requests that servers of this process receive. */
const REQUEST_START = 'http.server.request.start';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
};

/** A client, and its session. */
async function connected(url, options = {}) {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: AUTHORIZATION } },
  });
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  await client.connect(transport);
  const run = async (code, ...rest) => {
    const call = { name: 'run_javascript', arguments: { code } };
    return (await client.callTool(call, undefined, ...rest)).structuredContent?.output;
  };
  return { client, transport, run };
}

/** The answer to a request as `fetch` cannot send it. */
async function ask(url, { method = 'POST', path = '/mcp', body = '', ...headers } = {}) {
  const sent = request(url, { method, path, headers: { authorization: AUTHORIZATION, ...headers } });
  // The server may answer and close the connection before it has read the body.
  sent.on('error', () => {});
  sent.end(body);
  const [response] = await once(sent, 'response');
  const text = (await response.toArray()).join('');
  return { status: response.statusCode, headers: response.headers, error: text && JSON.parse(text).error };
}

describe('clients', () => {
  test('have separate sessions, which persist, and end when their client says so', async () => {
    const { url } = await startHttp('--max-sessions', '2');
    const [one, other] = [await connected(url), await connected(url)];
    await Promise.all([one.run('var n = 1'), other.run('var n = 2')]);
    expect(await Promise.all([one.run('n'), other.run('n')])).toStrictEqual([1, 2]);
    expect(one.transport.sessionId).not.toBe(other.transport.sessionId);
    await expect(connected(url)).rejects.toThrow(/all 2 sessions are in use/);
    await one.transport.terminateSession();
    await one.client.close();
    // The slot is free when the isolate has ended.
    await expect
      .poll(() =>
        connected(url).then(
          ({ run }) => run('typeof n'),
          () => 'refused',
        ),
      )
      .toBe('undefined');
    expect(await other.run('n')).toBe(2);
  });

  test('are shown progress, and cancel calls', async () => {
    const { url } = await startHttp();
    const { run } = await connected(url);
    const reported = deferred();
    const cancelled = new AbortController();
    const call = run('var kept = 5; await new Promise(() => {})', {
      onprogress: reported.resolve,
      signal: cancelled.signal,
    });
    await reported.promise;
    cancelled.abort();
    await expect(call).rejects.toThrow(/aborted|AbortError/);
    expect(await run('kept')).toBe(5);
  });

  test('each have their own program state for an API', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'api.yaml');
      writeFileSync(
        file,
        'openapi: 3.1.0\npaths: { /a: { get: { operationId: readA, responses: { 200: { description: ok } } } } }\n',
      );
      const { url } = await startHttp('--openapi', file, '--base-url', 'http://127.0.0.1:9');
      const { client } = await connected(url);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toStrictEqual(['search', 'execute', 'mutate']);
      const { structuredContent } = await client.callTool({
        name: 'search',
        arguments: { code: 'spec.find("read a").length' },
      });
      expect(structuredContent.output).toBe(1);
    }));

  test('get 404 after the end of their session, and the process ends by a signal', async () => {
    const { server, url, ended } = await startHttp();
    const { run, transport } = await connected(url);
    expect(await run('1')).toBe(1);
    const headers = { 'mcp-session-id': transport.sessionId, accept: 'application/json, text/event-stream' };
    expect((await ask(url, { method: 'DELETE', ...headers })).status).toBe(200);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'ping' });
    expect(await ask(url, { body, ...headers })).toMatchObject({ status: 404, error: { code: -32_001 } });
    server.kill('SIGTERM');
    expect(await ended).toStrictEqual([0, null]);
  });
});

describe('requests', () => {
  test.each([
    ['without a token', { authorization: '' }, 401, 'the bearer token is missing or wrong'],
    [
      'with another token',
      { authorization: 'Bearer a-token-for-these-tests.' },
      401,
      'the bearer token is missing or wrong',
    ],
    ['with another scheme', { authorization: `Basic ${TOKEN}` }, 401, 'the bearer token is missing or wrong'],
    [
      'of a web page',
      { origin: 'https://example.com' },
      403,
      'pages of https://example.com may not send requests: see --allow-origin',
    ],
    [
      'of a web page without an origin',
      { origin: 'null' },
      403,
      'pages of null may not send requests: see --allow-origin',
    ],
    ['to another host name', { host: 'rebound.example.com' }, 403, 'this host is not served here'],
    ['to another path', { path: '/' }, 404, 'the path is /mcp'],
    // `new URL` refuses these targets. Its error ended the process.
    ['to an empty host', { path: '//' }, 404, 'the path is /mcp'],
    ['to a port that is not a number', { path: 'http://localhost:x/mcp' }, 404, 'the path is /mcp'],
    ['by another method', { method: 'PUT' }, 405, 'the method must be GET, POST or DELETE'],
    ['that are not JSON', { body: '{' }, 400, expect.stringMatching(/^the line is not JSON: /)],
    ['that are a batch', { body: '[]' }, 400, 'a message must be an object on its own line, got an array'],
    [
      'without a session',
      { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
      400,
      'the header mcp-session-id is missing',
    ],
    [
      'with an unknown session',
      { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}', 'mcp-session-id': 'x' },
      404,
      'this session has ended',
    ],
    [
      'that are too long',
      { body: `"${'x'.repeat(MAX_LINE_BYTES)}"` },
      413,
      `a message may have at most ${MAX_LINE_BYTES} bytes`,
    ],
  ])('%s are refused', async (_, sent, status, message) => {
    const endpoint = await listenHere();
    const answer = await ask(endpoint.url, sent);
    expect({ status: answer.status, message: answer.error.message }).toStrictEqual({ status, message });
    expect(endpoint.opened).toBe(0);
  });

  test('of pages of an allowed origin are answered', async () => {
    const { url } = await listenHere({ origins: ['https://example.com'] });
    const { status } = await ask(url, { origin: 'https://example.com', path: '/other' });
    expect(status).toBe(404);
  });

  test('that initialize, but cannot be answered, leave no session', async () => {
    const endpoint = await listenHere();
    // The client accepts no stream.
    const { status } = await ask(endpoint.url, {
      body: JSON.stringify(INITIALIZE),
      'content-type': 'application/json',
    });
    expect(status).toBe(406);
    await endpoint.closed;
    expect(endpoint.opened).toBe(1);
  });

  // The session never ended, because its response had been closed before the session began.
  test('that lose their client while their body is parsed begin no session', async () => {
    const endpoint = await listenHere({ maxSessions: 1 });
    const body = JSON.stringify({
      ...INITIALIZE,
      params: { ...INITIALIZE.params, _meta: { list: Array(2e5).fill(1) } },
    });
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const lost = deferred();
    const leave = ({ request: received, response }) =>
      received.once('end', () => {
        response.destroy();
        lost.resolve();
      });
    subscribe(REQUEST_START, leave);
    const sent = ask(endpoint.url, { body, ...headers });
    sent.catch(() => {});
    await lost.promise;
    unsubscribe(REQUEST_START, leave);
    // It is parsed after the first one.
    const next = request(endpoint.url, { method: 'POST', headers: { authorization: AUTHORIZATION, ...headers } });
    next.end(body);
    const [response] = await once(next, 'response');
    response.destroy();
    expect(response.statusCode).toBe(200);
    expect(endpoint.opened).toBe(1);
  });

  test('that stop arriving end the session after a while', async () => {
    const endpoint = await listenHere({ idleMs: 1 });
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const sent = request(endpoint.url, { method: 'POST', headers: { authorization: AUTHORIZATION, ...headers } });
    sent.end(JSON.stringify(INITIALIZE));
    const [response] = await once(sent, 'response');
    response.destroy();
    await endpoint.closed;
  });
});

/** An endpoint in this process, whose sessions answer nothing. */
async function listenHere(options = {}) {
  const closed = deferred();
  const it = { opened: 0, closed: closed.promise };
  const endpoint = await listen({
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    origins: [],
    maxSessions: 2,
    onerror: () => {},
    open: () => {
      it.opened++;
      return {
        tools: [],
        instructions: '',
        close: async () => closed.resolve(),
      };
    },
    ...options,
  });
  onTestFinished(() => endpoint.close());
  return Object.assign(it, { url: endpoint.url });
}

test.each([
  [['--http', '3000'], /^ses-executor: --http must be like 127\.0\.0\.1:3000, got "3000"\n/],
  [['--http', 'localhost:65536'], /^ses-executor: --http must be like 127\.0\.0\.1:3000, got "localhost:65536"\n/],
  [['--http', 'localhost:65535'], /^ses-executor: --http needs a token of at least 16 characters/],
  [['--http', 'localhost:0'], /^ses-executor: --http needs a token of at least 16 characters/],
  [['--allow-origin', 'https://a.b'], /^ses-executor: --allow-origin needs --http\n/],
  [['--max-sessions', '5'], /^ses-executor: --max-sessions needs --http\n/],
])('the command line refuses %j', async (args, message) => {
  const { status, stderr } = await spawnNode([BIN, 'mcp', ...args]);
  expect(status).toBe(2);
  expect(stderr).toMatch(message);
});

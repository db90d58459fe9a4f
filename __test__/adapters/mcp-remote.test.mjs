// Other servers at an address: `--server name=https://...`. The servers are those of the official SDK.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { chmodSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createMcpServer } from 'ses-executor/mcp';
import { MAX_LINE_BYTES } from '../../build/adapters/mcp/messages.js';
import { OtherServer } from '../../build/adapters/mcp/servers.js';
import { ROOT, deferred, rejection, spawnNode, withFolder } from '../helpers.mjs';
import { serve } from '../http-server.mjs';
import { CALLS, PIXEL } from './fixtures/furnished-mcp-server.mjs';
import { earlierRemote, guardedRemote, modernRemote } from './fixtures/remote-mcp-servers.mjs';
import { BIN } from './mcp-command.mjs';

const FURNISHED = join(ROOT, '__test__', 'adapters', 'fixtures', 'furnished-mcp-server.mjs');

/** Runs code that can call other servers. */
async function runner(servers) {
  const server = await createMcpServer({ servers });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => server.close());
  const call = (code) => client.callTool({ name: 'run_javascript', arguments: { code } });
  const run = async (code) => {
    const { structuredContent } = await call(code);
    return structuredContent.error?.message ?? structuredContent.output;
  };
  return { client, call, run, close: () => server.close() };
}

/** A client of the command line, which must start. */
async function connectedCommand(environment, ...args) {
  const env = { ...process.env, ...environment };
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', ...args], env }));
  const run = async (code) => {
    const { structuredContent } = await client.callTool({ name: 'run_javascript', arguments: { code } });
    return structuredContent.output ?? structuredContent.error;
  };
  return { client, run };
}

/** Runs code by the command line. */
async function runByCommand(code, environment, ...args) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...args],
    env: { ...process.env, ...environment },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  let stderr = '';
  transport.stderr.on('data', (chunk) => (stderr += chunk));
  try {
    await client.connect(transport);
  } catch {
    return { stderr };
  }
  const { structuredContent } = await client.callTool({ name: 'run_javascript', arguments: { code } });
  await client.close();
  return { output: structuredContent.output ?? structuredContent.error, stderr };
}

/** Answers each request with what `answer` returns: a result, or a string that is the body. */
async function scripted(answer, type = 'application/json') {
  const { url } = await serve(async (request, response) => {
    const message = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}');
    const { id, method, params } = message;
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'server/discover') return response.writeHead(404).end();
    const known = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      },
      'tools/list': { tools: [{ name: 'get', inputSchema: { type: 'object' } }] },
    }[method];
    const result = known ?? (await answer(params, id, response));
    if (result === undefined) return undefined;
    response.writeHead(200, { 'content-type': known === undefined ? type : 'application/json' });
    response.end(typeof result === 'string' ? result : JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  return url;
}

describe.each([
  ['2026-07-28', () => modernRemote()],
  ['2025-11-25', () => earlierRemote()],
  ['2026-07-28 over stdin and stdout', async () => ({ url: `"${process.execPath}" "${FURNISHED}" modern` })],
  ['2025-11-25 over stdin and stdout', async () => ({ url: `"${process.execPath}" "${FURNISHED}"` })],
])('a server of protocol %s', (_, start) => {
  test('has its tools, resources and prompts in code', async () => {
    const { url } = await start();
    const { client, run } = await runner({ memo: url });
    const [{ description }] = (await client.listTools()).tools;
    expect(description).toContain('readResource');
    expect(await run('(await memo.add({ a: 40, b: 2 })).sum')).toBe(42);
    expect(await run('await memo.fail({}).catch(({ message }) => message)')).toBe('it is broken');
    expect(await run('(await memo.listResources({})).map(({ uri }) => uri)')).toStrictEqual([
      'memo://note',
      'memo://pixel',
    ]);
    expect(await run('await memo.listResourceTemplates({})')).toStrictEqual([]);
    expect(await run('await memo.readResource({ uri: "memo://note" })')).toStrictEqual([
      { uri: 'memo://note', mimeType: 'text/plain', text: 'remember the milk' },
    ]);
    expect(await run('(await memo.listPrompts({})).map(({ name }) => name)')).toStrictEqual(['greet']);
    expect(await run('await memo.getPrompt({ name: "greet", arguments: { name: "Ada" } })')).toStrictEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada' } }],
    });
    expect(await run('await memo.readResource({ uri: "memo://none" }).catch(({ message }) => message)')).toMatch(
      /memo:\/\/none/,
    );
  });

  test('returns images as content blocks', async () => {
    const { url } = await start();
    const { run, call } = await runner({ memo: url });
    const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    expect(await run('const [, drawn] = await memo.draw({}); JSON.stringify(drawn)')).toBe(JSON.stringify(image));
    expect((await call('drawn')).content).toStrictEqual([{ type: 'text', text: '[image/png, 70 bytes]' }, image]);
    const pixel = '(await memo.readResource({ uri: "memo://pixel" }))[0]';
    expect(JSON.parse(await run(`JSON.stringify(${pixel})`))).toStrictEqual({ ...image, uri: 'memo://pixel' });
    expect((await call(pixel)).content).toStrictEqual([{ type: 'text', text: '[image/png, 70 bytes]' }, image]);
  });
});

describe.each([
  ['2026-07-28', () => modernRemote()],
  ['2025-11-25', () => earlierRemote()],
  ['2026-07-28 over stdin and stdout', async () => ({ url: `"${process.execPath}" "${FURNISHED}" modern` })],
])('a call of a server of protocol %s', (_, start) => {
  test('reports progress to the client', async () => {
    const { client } = await runner({ memo: (await start()).url });
    const reports = [];
    const call = { name: 'run_javascript', arguments: { code: 'await memo.steps({})' } };
    await client.callTool(call, undefined, { onprogress: ({ message }) => reports.push(message) });
    expect(reports.at(-1)).toBe('memo.steps: 2/2 step 2');
  });
});

test.each([
  ['2026-07-28', () => modernRemote()],
  ['2025-11-25', () => earlierRemote()],
])('a call of a server of protocol %s ends with its run, on the server too', async (_, start) => {
  const { client, run } = await runner({ memo: (await start()).url });
  const [waits, aborted] = [once(CALLS, 'waits'), once(CALLS, 'aborted')];
  const cancelled = new AbortController();
  const call = { name: 'run_javascript', arguments: { code: 'await memo.wait({})' } };
  const called = client.callTool(call, undefined, { signal: cancelled.signal });
  await waits;
  cancelled.abort();
  await expect(called).rejects.toThrow();
  await aborted;
  expect(await run('(await memo.add({ a: 1, b: 1 })).sum')).toBe(2);
});

test('the newest version that both speak is used', async () => {
  const { url, eras } = await modernRemote({ legacy: 'stateless' });
  const { run } = await runner({ memo: url });
  expect(await run('(await memo.add({ a: 1, b: 1 })).sum')).toBe(2);
  expect(new Set(eras)).toStrictEqual(new Set(['modern']));
});

test('a session that the server has forgotten is started again by the next call', async () => {
  const { url, forget, sessions } = await earlierRemote();
  const { run, close } = await runner({ memo: url });
  forget();
  expect(await run('await memo.add({ a: 1, b: 1 }).catch(({ message }) => message)')).toBe(
    'the server memo has ended (its session is gone); the next call starts it again',
  );
  expect(await run('(await memo.add({ a: 1, b: 1 })).sum')).toBe(2);
  expect(sessions.size).toBe(1);
  await close();
});

test('headers are sent with each request, and code cannot see them', async () => {
  const { url } = await earlierRemote({ token: 'a-secret' });
  const { run } = await runner({ memo: { url, headers: { authorization: 'Bearer a-secret' } } });
  expect(await run('(await memo.add({ a: 1, b: 1 })).sum')).toBe(2);
  await expect(createMcpServer({ servers: { memo: url } })).rejects.toThrow(
    'the server memo cannot be used: the server memo demands a login or a token',
  );
});

test.each([
  ['http://example.com/mcp'],
  ['https://user:password@example.com/mcp'],
  ['wss://example.com'],
  ['file:///tmp/server.mjs'],
  ['HTTPS://example.com --header x'],
  ['  "http://localhost:3000/sse"'],
])('%s is not an address', async (address) => {
  const refused = /^the server memo must be a command, or an address such as/;
  await expect(createMcpServer({ servers: { memo: address } })).rejects.toThrow(refused);
  await expect(createMcpServer({ servers: { memo: { url: address } } })).rejects.toThrow(refused);
});

test.each([
  ['https://ada:s3cr3t-word@example.com/mcp'],
  ['http://example.com/mcp?token=s3cr3t-word'],
  ['"https://ada:s3cr3t-word@example.com/mcp"'],
])('the error about %s does not show its credentials', async (address) => {
  for (const server of [address, { url: address }]) {
    const error = await createMcpServer({ servers: { memo: server } }).catch((thrown) => thrown);
    expect([error.message.includes('example.com/mcp'), error.message.includes('s3cr3t-word')]).toStrictEqual([
      true,
      false,
    ]);
  }
});

// Cause: servers repeat what they are sent, and Node.js repeats headers that it refuses.
test.each([
  ['a header', '/', { authorization: 'Bearer s3cr3t-word' }],
  ['a key', '/', { 'x-api-key': 's3cr3t-word' }],
  ['a login', '/', { authorization: `Basic ${Buffer.from('ada:s3cr3t-word').toString('base64')}` }],
  ['a parameter', '/?api_key=s3cr3t-word', {}],
  ['a header with a line break', '/', { authorization: 'Bearer s3cr3t-word\nx' }],
])('errors of a server do not show %s', async (_title, path, headers) => {
  const { url } = await serve((request, response) => {
    const { authorization = '', 'x-api-key': key = '' } = request.headers;
    const login = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
    response.writeHead(400).end(`refused: ${[request.url, authorization, key, login].join(' ')}`);
  });
  const error = await createMcpServer({ servers: { memo: { url: url + path, headers } } }).catch((thrown) => thrown);
  expect(error.message).toMatch(/^the server memo cannot be used: /);
  expect(inspect(error)).not.toMatch(/s3cr3t|czNjcjN0/);
});

// `close()` waited for the answer to `initialize` before it ended the server.
describe('close() of a server that does not answer ends its start', () => {
  test.each([
    [
      'a command',
      async (asked) => {
        const { url } = await serve((request, response) => response.end(asked()));
        const program = `process.stdin.once('data', () => fetch('${url}')).once('end', () => process.exit())`;
        return { command: `"${process.execPath}" -e "${program}"` };
      },
      'it has ended (exit code 0)',
    ],
    [
      'an address',
      async (asked) => ({ url: new URL((await serve(() => void asked())).url) }),
      'Version negotiation probe failed: Connection closed during the version negotiation probe',
    ],
  ])(
    '%s',
    async (_, start, message) => {
      const asked = deferred();
      const server = new OtherServer({ name: 'memo', ...(await start(asked.resolve)) });
      const listed = rejection(server.list());
      await asked.promise;
      await server.close();
      expect((await listed).message).toBe(message);
      expect((await rejection(server.list())).message).toBe('it has been closed');
    },
    50_000,
  );
});

describe('a hostile server', () => {
  test.each([
    [
      'an answer without an end',
      (body) => `{"jsonrpc":"2.0","id":${body},"result":"${'x'.repeat(MAX_LINE_BYTES)}`,
      'application/json',
    ],
    ['an event without an end', () => `data: ${'x'.repeat(MAX_LINE_BYTES)}\n\n`, 'text/event-stream'],
    ['an event of many lines', () => `${'data: x\n'.repeat(1_001)}\n`, 'text/event-stream'],
  ])('that sends %s fails the call only', async (_, body, type) => {
    const url = await scripted((params, id) => (params.arguments.long ? body(id) : { content: [] }), type);
    const { run } = await runner({ other: `${url}/mcp` });
    expect(await run('await other.get({ long: true }).catch(({ message }) => message)')).toMatch(/too long/);
  });

  test.each([
    [
      'closes the stream',
      (_p, _i, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    ],
    ['answers another request', () => 'data: {"jsonrpc":"2.0","id":77777,"result":{}}\n\n'],
  ])('that %s fails the call immediately', async (_, answer) => {
    const url = await scripted(answer, 'text/event-stream');
    const { run } = await runner({ other: `${url}/mcp` });
    expect(await run('await other.get({}).catch(({ message }) => message)')).toMatch(
      /the connection ended before the answer/,
    );
  });

  // The connection stayed open and was read until the server ended it.
  test('that never ends its answer is cut off when the call is aborted', async () => {
    const [asked, cut] = [deferred(), deferred()];
    const url = await scripted((_params, _id, response) => {
      response.once('close', cut.resolve);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': still working\n\n');
      asked.resolve();
    });
    const server = new OtherServer({ name: 'memo', url: new URL(`${url}/mcp`) });
    onTestFinished(() => server.close());
    const call = new AbortController();
    const failed = rejection(server.callTool('get', {}, call.signal));
    await asked.promise;
    call.abort(new Error('no longer needed'));
    expect((await failed).message).toBe('Error: no longer needed');
    await cut.promise;
  });

  test.each([
    [
      'resources',
      { resources: 'x' },
      'listResources({})',
      'its answer is not valid: resources: Invalid input: expected array',
    ],
    [
      'entries',
      { resources: [{ uri: 1 }] },
      'listResources({})',
      'its answer is not valid: resources.0: Invalid input',
    ],
    [
      'pages without an end',
      { resources: [], nextCursor: 'x' },
      'listResources({})',
      'the server lists more than 100 pages',
    ],
    [
      'contents',
      { contents: [{ uri: 'a' }] },
      'readResource({ uri: "a" })',
      'its answer is not valid: contents.0: Invalid input',
    ],
    [
      'messages',
      { messages: [{ role: 'user', content: 'x' }] },
      'getPrompt({ name: "a" })',
      'its answer is not valid: messages.0: Invalid input',
    ],
  ])('that sends wrong %s fails the call', async (_, result, code, message) => {
    const { url } = await serve(async (request, response) => {
      const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}');
      if (id === undefined || method === 'server/discover')
        return response.writeHead(id === undefined ? 202 : 404).end();
      const capabilities = { tools: {}, resources: {}, prompts: {} };
      const known = {
        initialize: { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'x', version: '1' } },
        'tools/list': { tools: [] },
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: known[method] ?? result }));
    });
    const { run } = await runner({ other: `${url}/mcp` });
    expect(await run(`await other.${code}.catch(({ message }) => message)`)).toBe(message);
  });
});

describe('a login', () => {
  const CLOSE = 'You can close this page and go back to the terminal.\n';

  /** Logs in by the command. `visit` is the browser: it gets the address of the page that the command shows, if any. */
  async function login(url, environment, visit) {
    const child = spawn(process.execPath, [BIN, 'mcp', 'login', `memo=${url}`], {
      env: { ...process.env, ...environment },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'close');
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    const shown = deferred();
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      const [, page] = /^(http\S+)\n/m.exec(stderr) ?? [];
      if (page !== undefined) shown.resolve(page);
    });
    const page = await Promise.race([shown.promise, ended.then(() => undefined)]);
    if (page !== undefined) await visit(page);
    const [status] = await ended;
    return { status, stdout, stderr };
  }

  /** A person who agrees, with a browser that follows redirects. */
  async function agree(page) {
    const forged = callbackOf(page, { code: 'x', state: 'forged' });
    expect((await fetch(forged)).status).toBe(400);
    // `new URL` refuses this target. Its error ended the process.
    const [response] = await once(get(forged, { path: '//' }), 'response');
    expect(response.resume().statusCode).toBe(400);
    expect(await (await fetch(page)).text()).toBe(CLOSE);
  }

  /** The address where the command waits for the browser. */
  function callbackOf(page, params) {
    const callback = new URL(new URL(page).searchParams.get('redirect_uri'));
    callback.search = String(new URLSearchParams(params));
    return callback;
  }

  test(
    'is kept in a file that only the user can read, and is renewed',
    () =>
      withFolder(async (folder) => {
        const { url, state } = await guardedRemote();
        const logins = join(folder, 'logins');
        const environment = { SES_EXECUTOR_LOGINS: logins };
        const server = ['--server', `memo=${url}`];
        const before = await runByCommand('1', environment, ...server);
        expect(before.stderr).toContain(
          `the server memo demands a login: run \`ses-executor mcp login memo=${url}\`, or put a token in the environment variable SES_EXECUTOR_TOKEN_MEMO`,
        );
        // A server that runs in the background registers nothing.
        expect(state.clients.size).toBe(0);

        const { status, stdout, stderr } = await login(url, environment, agree);
        expect({ status, stdout }).toStrictEqual({ status: 0, stdout: `the login for memo is stored in ${logins}\n` });
        expect(readdirSync(logins)).toStrictEqual(['memo.json']);
        const file = join(logins, 'memo.json');
        expect(statSync(file).mode & 0o777).toBe(0o600);
        expect(statSync(logins).mode & 0o777).toBe(0o700);
        const { tokens, client } = JSON.parse(readFileSync(file, 'utf8'));
        expect(state.clients.get(client.client_id).redirect_uris).toStrictEqual([
          expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
        ]);
        for (const token of [tokens.access_token, tokens.refresh_token]) expect(stdout + stderr).not.toContain(token);

        const code = '(await memo.add({ a: 1, b: 1 })).sum';
        expect((await runByCommand(code, environment, ...server)).output).toBe(2);
        // The access token ends. The file gets the new one.
        state.tokens.delete(tokens.access_token);
        expect((await runByCommand(code, environment, ...server)).output).toBe(2);
        expect(state.refreshed).toBe(1);
        const renewed = JSON.parse(readFileSync(file, 'utf8')).tokens;
        expect(renewed.access_token).not.toBe(tokens.access_token);
        expect(statSync(file).mode & 0o777).toBe(0o600);

        // Two processes renew the same login. Each renewal ends the earlier tokens.
        const both = await Promise.all([
          connectedCommand(environment, ...server),
          connectedCommand(environment, ...server),
        ]);
        for (const { run } of [...both, both[0]]) {
          for (const token of [...state.tokens.keys()].filter((it) => it.startsWith('access')))
            state.tokens.delete(token);
          expect(await run(code)).toBe(2);
        }
        for (const { client: connectedClient } of both) await connectedClient.close();

        // Tokens are for one address only.
        const other = await guardedRemote();
        expect((await runByCommand('1', environment, '--server', `memo=${other.url}`)).stderr).toContain(
          'demands a login',
        );
        chmodSync(file, 0o644);
        expect((await runByCommand('1', environment, ...server)).stderr).toContain(
          'other users can read the login file',
        );
        chmodSync(file, 0o600);

        // The server has revoked everything.
        state.tokens.clear();
        expect((await runByCommand('1', environment, ...server)).stderr).toContain('the server memo demands a login');
        const out = await spawnNode([BIN, 'mcp', 'logout', 'memo'], { env: { ...process.env, ...environment } });
        expect(out.stdout).toBe('removed the login for memo\n');
        expect(readdirSync(logins)).toStrictEqual([]);
      }),
    180_000,
  );

  test('is not needed with a token in the environment, nor by a server that demands none', () =>
    withFolder(async (folder) => {
      const environment = { SES_EXECUTOR_LOGINS: folder };
      const { url } = await earlierRemote({ token: 'a-secret' });
      const code = '(await memo.add({ a: 1, b: 1 })).sum';
      const withToken = { ...environment, SES_EXECUTOR_TOKEN_MEMO: 'a-secret' };
      expect((await runByCommand(code, withToken, '--server', `memo=${url}`)).output).toBe(2);
      const wrong = { ...environment, SES_EXECUTOR_TOKEN_MEMO: 'another-secret' };
      const { stderr } = await runByCommand(code, wrong, '--server', `memo=${url}`);
      expect(stderr).toContain('the server memo demands a login');
      expect(stderr).not.toContain('another-secret');
      const open = await modernRemote();
      const { status, stdout } = await login(open.url, environment, agree);
      expect({ status, stdout }).toStrictEqual({ status: 0, stdout: 'the server memo does not require a login\n' });
      expect(readdirSync(folder)).toStrictEqual([]);
    }));

  // The command ends immediately after this answer. Its end cut the connection of the browser.
  test('that is refused ends with the reason, and the browser gets its page', () =>
    withFolder(async (folder) => {
      const { url } = await guardedRemote();
      const refuse = async (page) => {
        const state = new URL(page).searchParams.get('state');
        const response = await fetch(callbackOf(page, { error: 'access_denied', state }));
        expect([response.status, await response.text()]).toStrictEqual([200, CLOSE]);
      };
      const { status, stdout, stderr } = await login(url, { SES_EXECUTOR_LOGINS: folder }, refuse);
      expect([status, stdout]).toStrictEqual([1, '']);
      expect(stderr).toMatch(
        /^Open this page to log in:\nhttp\S+\nses-executor: the login was refused: access_denied\n$/,
      );
      expect(readdirSync(folder)).toStrictEqual([]);
    }));

  test.each([
    [['mcp', 'login'], 'mcp login needs the name of a server, got ""'],
    [['mcp', 'login', 'memo'], 'mcp login must be like name=https://example.com/mcp, got "memo"'],
    [['mcp', 'login', '../x=https://a.b'], 'mcp login needs the name of a server, got "../x=https://a.b"'],
    [['mcp', 'login', 'memo=node x'], 'mcp login needs the address of the server memo'],
    [['mcp', 'login', 'memo=http://example.com'], 'the server memo must be a command, or an address such as'],
    [['mcp', 'logout', 'a', 'b'], 'mcp logout takes one server, got 2'],
  ])('%j is wrong usage', async (args, message) => {
    const { status, stderr } = await spawnNode([BIN, ...args]);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});

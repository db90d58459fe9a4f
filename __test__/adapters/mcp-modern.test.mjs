// `ses-executor mcp` with clients of protocol 2026-07-28: the real client of version 2 of the official SDK.

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as EarlierTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { StreamableHTTPClientTransport as EarlierHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { memoryStore, waitForAnswer } from 'ses-executor/durable';
import { createMcpServer } from 'ses-executor/mcp';
import { listen } from '../../build/adapters/mcp/http.js';
import { connectBothProtocols } from '../../build/adapters/mcp/both-protocols.js';
import { legacyServer } from '../../build/adapters/mcp/legacy-server.js';
import { modernServer } from '../../build/adapters/mcp/modern-server.js';
import { ModernTasks } from '../../build/adapters/mcp/modern-tasks.js';
import { createServed } from '../../build/adapters/mcp/server.js';
import { openSession } from '../durable/helpers.mjs';
import { deferred, withFolder } from '../helpers.mjs';
import { BIN, TOKEN, startHttp } from './mcp-command.mjs';

// The copy of the SDK that the package loads.
const { createMcpHandler } = createRequire(import.meta.url)('@modelcontextprotocol/server');

const PINNED = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const IDENTITY = { name: 'test', version: '1.0.0' };

/** A client of the command over stdin and stdout. */
async function overStdio(options, ...args) {
  const client = new Client(IDENTITY, options);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', ...args] }));
  onTestFinished(() => client.close());
  return client;
}

async function connected(url, { headers = { authorization: `Bearer ${TOKEN}` }, ...options } = {}) {
  const client = new Client(IDENTITY, { ...PINNED, ...options });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return { client, run: runnerOf(client) };
}

/** Runs code, and returns the data of the result. */
function runnerOf(client) {
  return async (code, more = {}, ...rest) => {
    const result = await client.callTool({ name: 'run_javascript', arguments: { code, ...more } }, ...rest);
    return result.structuredContent ?? result.content[0].text;
  };
}

async function allOf(stream) {
  const all = [];
  for await (const one of stream) all.push(one);
  return all;
}

describe('over stdin and stdout', () => {
  test.each([
    ['probes', { versionNegotiation: { mode: 'auto' } }, 'modern', 'server/discover'],
    ['demands the version', PINNED, 'modern', 'server/discover'],
    ['begins with initialize', {}, 'legacy', 'initialize'],
  ])('a client that %s has a session whose variables persist', async (_, options, era, first) => {
    // A client that probes starts a process for the probe.
    const send = vi.spyOn(StdioClientTransport.prototype, 'send');
    onTestFinished(() => send.mockRestore());
    const client = await overStdio(options);
    expect(send.mock.calls[0][0].method).toBe(first);
    expect(client.getProtocolEra()).toBe(era);
    expect(client.getServerVersion()).toMatchObject({ name: 'ses-executor' });
    expect(client.getInstructions()).toMatch(/^Use run_javascript/);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toStrictEqual(['run_javascript', 'reset']);
    const run = runnerOf(client);
    await run('var kept = 20; const double = (n) => 2 * n');
    expect(await run('console.log("here"); double(kept) + 2')).toStrictEqual({ output: 42, logs: 'here' });
    await client.callTool({ name: 'reset', arguments: {} });
    expect((await run('typeof kept')).output).toBe('undefined');
  });

  test('a client receives failures, progress and wrong arguments, and cancels calls', async () => {
    const client = await overStdio(PINNED);
    const run = runnerOf(client);
    expect((await run('undefinedName')).error.code).toBe('ERR_RUNTIME_EXCEPTION');
    const wrong = await client.callTool({ name: 'run_javascript', arguments: {} });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('code') }] });
    const started = deferred();
    const cancelled = new AbortController();
    const call = run(
      'var n = 5; console.log("started"); await new Promise(() => {})',
      {},
      {
        onprogress: ({ message }) => started.resolve(message),
        signal: cancelled.signal,
      },
    );
    expect(await started.promise).toBe('log: started');
    cancelled.abort();
    await expect(call).rejects.toThrow();
    expect((await run('n')).output).toBe(5);
  });
});

describe('tasks', () => {
  const TASKS = 'io.modelcontextprotocol/tasks';

  const metaOf = (capabilities) => ({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': IDENTITY,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  });
  const headersOf = (method, name) => ({
    ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name },
  });
  /** The parameters of a call by a client that takes tasks. */
  const callOf = (code) => ({
    ...{ name: 'run_javascript', arguments: { code } },
    _meta: metaOf({ extensions: { [TASKS]: {} } }),
  });

  /** A server whose calls become tasks immediately, and a client that takes tasks unless it says otherwise. */
  async function served(tools, { executor, capabilities = { extensions: { [TASKS]: {} } } } = {}) {
    const session = createServed({ tools, ...(executor && { executor }) });
    const tasks = new ModernTasks(0);
    const handler = createMcpHandler(() => modernServer(session, tasks), { legacy: 'reject' });
    onTestFinished(async () => {
      await handler.close();
      await session.close();
    });
    const send = async (method, name, params) => {
      const headers = headersOf(method, name);
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...params, _meta: metaOf(capabilities) },
      });
      const answer = await handler.fetch(new Request('http://localhost/', { method: 'POST', headers, body }));
      const { result, error } = await answer.json();
      return result ?? error;
    };
    return {
      tasks,
      run: (code) => send('tools/call', 'run_javascript', { name: 'run_javascript', arguments: { code } }),
      task: (method, taskId, more) => send(`tasks/${method}`, taskId, { taskId, ...more }),
    };
  }

  /** The task when it has changed to another status. */
  async function changed(task, id, from) {
    for (;;) {
      const state = await task('get', id);
      if (state.status !== from) return state;
      await setImmediate();
    }
  }

  test('a call that takes long is a task, which the client polls', async () => {
    const [started, goOn] = [deferred(), deferred()];
    const { run, task } = await served({ wait: async () => (started.resolve(), goOn.promise) });
    const handle = await run('console.log("before"); await wait()');
    expect(handle).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 3_600_000, pollIntervalMs: 500 });
    const { taskId } = handle;
    expect(taskId).toMatch(/^[\da-f-]{36}$/);
    await started.promise;
    expect(await task('get', taskId)).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
    goOn.resolve(5);
    const ended = await changed(task, taskId, 'working');
    expect(ended).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: {
        content: [{ type: 'text', text: '5\n\nLogs:\nbefore' }],
        structuredContent: { output: 5, logs: 'before' },
      },
    });
    expect((await task('get', 'another')).message).toContain('there is no such task');
  });

  test('a client cancels a task, and its program ends', async () => {
    const [started, ended] = [deferred(), deferred()];
    const wait = {
      execute: async (_, { signal }) => (
        signal.addEventListener('abort', ended.resolve),
        started.resolve(),
        new Promise(() => {})
      ),
    };
    const { run, task } = await served({ wait });
    const { taskId } = await run('await wait({})');
    await started.promise;
    expect(await task('cancel', taskId)).toMatchObject({ resultType: 'complete' });
    await ended.promise;
    const state = await task('get', taskId);
    expect([state.status, state.result]).toStrictEqual(['cancelled', undefined]);
  });

  test('a task asks the person at the client, and continues with the answer', async () => {
    const goOn = deferred();
    const tools = { wait: () => goOn.promise, ask: async (question) => waitForAnswer({ question }) };
    const capabilities = { extensions: { [TASKS]: {} }, elicitation: { form: {} } };
    const { run, task } = await served(tools, { executor: await openSession('s'), capabilities });
    const { taskId } = await run('await wait(); await ask("Ship?")');
    goOn.resolve();
    const asking = await changed(task, taskId, 'working');
    expect(asking).toMatchObject({
      status: 'input_required',
      inputRequests: { 's/1/2': { method: 'elicitation/create' } },
    });
    expect(asking.inputRequests['s/1/2'].params.message).toContain('ask("Ship?")');
    const inputResponses = { 's/1/2': { action: 'accept', content: { decision: 'answer', answer: 'yes' } } };
    await task('update', taskId, { inputResponses });
    const ended = await changed(task, taskId, 'working');
    expect(ended).toMatchObject({ status: 'completed', result: { structuredContent: { output: 'yes' } } });
  });

  test('the first task that has ended makes room for another one', async () => {
    let goOn;
    const { run, task } = await served({ wait: () => goOn.promise });
    const ids = [];
    for (let n = 0; n < 65; n++) {
      goOn = deferred();
      const { taskId } = await run('await wait()');
      ids.push(taskId);
      goOn.resolve(n);
      expect((await changed(task, taskId, 'working')).status).toBe('completed');
    }
    expect((await task('get', ids[0])).message).toBe('there is no such task: it was forgotten, or the id is wrong');
    expect(await task('get', ids[1])).toMatchObject({ result: { structuredContent: { output: 1 } } });
    expect(await task('get', ids[64])).toMatchObject({ result: { structuredContent: { output: 64 } } });
  });

  /** A tool that never answers. */
  function endless() {
    const [started, aborted] = [deferred(), deferred()];
    const execute = async (_, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason.message));
      started.resolve();
      return new Promise(() => {});
    };
    return { tools: { wait: { execute } }, started, aborted };
  }

  async function expectEnd(tasks, taskId, { started, aborted }, close) {
    await started.promise;
    expect(tasks.get(taskId).status).toBe('working');
    await close();
    expect(await aborted.promise).toBe('the server has ended');
    expect(() => tasks.get(taskId)).toThrow('there is no such task');
  }

  // Tasks were kept in a table of all sessions, and their work went on for an hour.
  test('a task ends when the client of its server goes away', async () => {
    const { tools, ...ending } = endless();
    const session = createServed({ tools });
    onTestFinished(() => session.close());
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const tasks = new ModernTasks(0);
    await connectBothProtocols(session, legacyServer(session), theirs, tasks);
    const answered = deferred();
    ours.onmessage = ({ result }) => answered.resolve(result);
    await ours.start();
    await ours.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: callOf('await wait({})') });
    const { taskId } = await answered.promise;
    await expectEnd(tasks, taskId, ending, () => ours.close());
  });

  test('a task ends when the server over HTTP is closed', async () => {
    const { tools, ...ending } = endless();
    const tasks = new ModernTasks(0);
    const options = { host: '127.0.0.1', port: 0, token: TOKEN, origins: [], maxSessions: 2, tasks };
    const endpoint = await listen({ ...options, onerror: () => {}, open: () => createServed({ tools }) });
    onTestFinished(() => endpoint.close());
    const headers = { ...headersOf('tools/call', 'run_javascript'), authorization: `Bearer ${TOKEN}` };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: callOf('await wait({})') });
    const response = await fetch(endpoint.url, { method: 'POST', headers, body });
    const { taskId } = (await response.json()).result;
    await expectEnd(tasks, taskId, ending, () => endpoint.close());
  });

  test('a task that waits for a person ends with its server', async () => {
    const { run, task, tasks } = await served(
      { ask: async (question) => waitForAnswer({ question }) },
      { executor: await openSession('s'), capabilities: { extensions: { [TASKS]: {} }, elicitation: { form: {} } } },
    );
    const { taskId } = await run('await ask("Ship?")');
    expect((await changed(task, taskId, 'working')).status).toBe('input_required');
    tasks.end();
    expect((await task('get', taskId)).message).toContain('there is no such task');
    // The session waits, and takes the answer from elsewhere.
    expect((await run('await ask("Ship?")')).taskId).not.toBe(taskId);
  });

  test('a client that does not take tasks gets the result', async () => {
    const { run } = await served({ wait: async () => 5 }, { capabilities: {} });
    expect(await run('await wait()')).toMatchObject({ resultType: 'complete', structuredContent: { output: 5 } });
  });
});

describe('over HTTP', () => {
  test('a call has a session that ends with it, unless it asks for a handle', async () => {
    const { url } = await startHttp('--max-sessions', '2');
    const { client, run } = await connected(url);
    expect(client.getProtocolEra()).toBe('modern');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toStrictEqual(['run_javascript', 'reset']);
    expect(tools[0].inputSchema.properties.session).toMatchObject({ type: 'string' });
    expect(await run('var n = 1; n')).toStrictEqual({ output: 1, logs: '' });
    expect((await run('typeof n')).output).toBe('undefined');

    const { session, output } = await run('var n = 7; n', { session: 'new' });
    expect(output).toBe(7);
    expect(session).toMatch(/^[\da-f-]{36}$/);
    expect(await run('++n', { session })).toStrictEqual({ output: 8, logs: '' });
    // Any request may continue the session, as requests have no connection.
    const other = await connected(url);
    expect((await other.run('++n', { session })).output).toBe(9);

    await client.callTool({ name: 'reset', arguments: { session } });
    expect(await run('n', { session })).toBe(
      'there is no such session: it has ended, or the handle is wrong. Use "new" to begin a session',
    );
  });

  test('a model reads the handle in the text of the result', async () => {
    const { client } = await connected((await startHttp()).url);
    const code = { code: '1', session: 'new' };
    const { content, structuredContent } = await client.callTool({ name: 'run_javascript', arguments: code });
    expect(content.map(({ text }) => text)).toStrictEqual(['1', `session: ${structuredContent.session}`]);
  });

  test('clients of both versions share the address and its limit of sessions', async () => {
    const { url } = await startHttp('--max-sessions', '2');
    const earlier = new EarlierClient(IDENTITY);
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await earlier.connect(new EarlierHttpTransport(new URL(url), { requestInit }));
    const { run } = await connected(url);
    const { session } = await run('var n = 2', { session: 'new' });
    await runnerOf(earlier)('var n = 1');
    expect(await run('n')).toBe('all 2 sessions are in use: end one, or try again later');
    expect([(await runnerOf(earlier)('n')).output, (await run('n', { session })).output]).toStrictEqual([1, 2]);
    await earlier.close();
  });

  test('each session has its own limits', async () => {
    const { run } = await connected((await startHttp('--timeout', '3000', '--memory', '32')).url);
    const [one, other] = [await run('var n = 1', { session: 'new' }), await run('var n = 2', { session: 'new' })];
    const [late, fine] = await Promise.all([
      run('for (;;);', { session: one.session }),
      run('n', { session: other.session }),
    ]);
    expect([late.error.code, fine.output]).toStrictEqual(['ERR_EXEC_TIMEOUT', 2]);
    const large = await run('const all = []; for (;;) all.push(new Array(1e5).fill(all.length))', one);
    expect(large.error.code).toBe('ERR_MEMORY_LIMIT_EXCEEDED');
    expect((await run('n', { session: other.session })).output).toBe(2);
  });

  test('progress reaches the client, and a client that goes away ends its run', async () => {
    const { run } = await connected((await startHttp()).url);
    const { session } = await run('1', { session: 'new' });
    const started = deferred();
    const cancelled = new AbortController();
    const call = run(
      'var n = 5; console.log("started"); await new Promise(() => {})',
      { session },
      {
        onprogress: started.resolve,
        signal: cancelled.signal,
      },
    );
    expect(await started.promise).toMatchObject({ message: 'log: started' });
    cancelled.abort();
    await expect(call).rejects.toThrow();
    expect((await run('n', { session })).output).toBe(5);
  });

  test('programs for an API share their state in a session', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'api.yaml');
      writeFileSync(
        file,
        'openapi: 3.1.0\npaths: { /a: { get: { operationId: readA, responses: { 200: { description: ok } } } } }\n',
      );
      const { client } = await connected((await startHttp('--openapi', file, '--base-url', 'http://127.0.0.1:9')).url);
      const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
      const { output, session } = await call('search', { code: 'spec.find("read a").length', session: 'new' });
      expect(output).toBe(1);
      expect((await call('search', { code: '2', session })).output).toBe(2);
    }));

  test('requests without the token are refused before anything reads them', async () => {
    const { url } = await startHttp();
    await expect(connected(url, { headers: {} })).rejects.toMatchObject({ data: { status: 401 } });
    await expect(
      connected(url, { headers: { authorization: `Bearer ${TOKEN}`, origin: 'https://a.b' } }),
    ).rejects.toThrow();
  });

  test('a session that is not called ends after a while', async () => {
    const closed = deferred();
    const served = () => ({
      instructions: '',
      tools: [
        {
          ...{ name: 'run_javascript', title: '', description: '', annotations: {} },
          call: async () => ({ content: [] }),
        },
      ],
      close: async () => closed.resolve(),
    });
    const options = { host: '127.0.0.1', port: 0, token: TOKEN, origins: [], maxSessions: 2, idleMs: 1 };
    const endpoint = await listen({ ...options, onerror: () => {}, open: served });
    onTestFinished(() => endpoint.close());
    const { client } = await connected(endpoint.url);
    await client.callTool({ name: 'run_javascript', arguments: { session: 'new' } });
    await closed.promise;
  });
});

describe('a program that waits for a person', () => {
  const CODE = '[await charge(5), await ask("Ship?").catch(({ code }) => code)]';

  async function waiting(reply) {
    const asked = [];
    const calls = [];
    const tools = {
      charge: async (amount) => (calls.push(amount), amount),
      ask: async (question) => waitForAnswer({ question }),
    };
    const server = await createMcpServer({ executor: await openSession('s', { store: memoryStore() }), tools });
    const capabilities = reply === undefined ? {} : { elicitation: {} };
    const client = new Client(IDENTITY, { capabilities, ...PINNED });
    if (reply !== undefined) {
      client.setRequestHandler('elicitation/create', async ({ params }) => (asked.push(params.message), reply));
    }
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    onTestFinished(() => server.close());
    return { asked, calls, run: runnerOf(client) };
  }

  test.each([
    ['answers', { action: 'accept', content: { decision: 'answer', answer: 'yes' } }, 'yes'],
    ['refuses', { action: 'accept', content: { decision: 'refuse' } }, 'ERR_NOT_APPROVED'],
    ['declines', { action: 'decline' }, 'ERR_NOT_APPROVED'],
  ])('continues without repeating calls when the person %s', async (_, reply, output) => {
    const { asked, calls, run } = await waiting(reply);
    expect((await run(CODE)).output).toStrictEqual([5, output]);
    expect(asked).toStrictEqual(['A program waits for your decision about:\n- ask("Ship?"): {"question":"Ship?"}']);
    expect(calls).toStrictEqual([5]);
  });

  test('is not started again by the request that has the decision, not even after a reset', async () => {
    const { calls, run } = await waiting({ action: 'accept', content: { decision: 'answer', answer: 'yes' } });
    await run('var kept = 1');
    expect((await run(`typeof kept; ${CODE}`, { reset: true })).output).toStrictEqual([5, 'yes']);
    expect(calls).toStrictEqual([5]);
    expect((await run('typeof kept')).output).toBe('undefined');
  });

  test.each([
    ['cancels', { action: 'cancel' }],
    ['cannot be asked', undefined],
  ])('continues to wait when the person %s', async (_, reply) => {
    const { run } = await waiting(reply);
    expect((await run(CODE)).waiting).toMatchObject([{ name: 'ask', args: ['Ship?'] }]);
  });
});

describe('tasks of protocol 2025-11-25', () => {
  async function tasked(tools) {
    const server = await createMcpServer({ tools });
    const client = new EarlierClient(IDENTITY);
    const [ours, theirs] = EarlierTransport.createLinkedPair();
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    onTestFinished(() => server.close());
    const listed = (await client.listTools()).tools;
    const start = (code, options = {}) =>
      client.experimental.tasks.callToolStream({ name: 'run_javascript', arguments: { code } }, CallToolResultSchema, {
        task: { ttl: 60_000 },
        ...options,
      });
    return { client, listed, start, tasks: client.experimental.tasks };
  }

  test('a call becomes a task, whose result the client fetches later', async () => {
    const gate = deferred();
    const { listed, start, tasks } = await tasked({ wait: () => gate.promise });
    expect(listed.map(({ name, execution }) => [name, execution.taskSupport])).toStrictEqual([
      ['run_javascript', 'optional'],
      ['reset', 'forbidden'],
    ]);
    const stream = start('await wait()');
    const { value: created } = await stream.next();
    expect(created).toMatchObject({ type: 'taskCreated', task: { status: 'working', ttl: 60_000 } });
    expect((await tasks.listTasks()).tasks).toHaveLength(1);
    gate.resolve(42);
    const messages = await allOf(stream);
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: { structuredContent: { output: 42 } } });
    expect((await tasks.getTask(created.task.taskId)).status).toBe('completed');
  });

  test('a cancelled task ends its run, and a failed one says so', async () => {
    const started = deferred();
    const { client, start, tasks } = await tasked({ begin: async () => started.resolve() });
    const { value } = await start('var n = 3; await begin(); await new Promise(() => {})').next();
    await started.promise;
    expect((await tasks.cancelTask(value.task.taskId)).status).toBe('cancelled');
    // The next run has its turn only after the cancelled one.
    expect((await runnerOf(client)('n')).output).toBe(3);
    const stream = start('undefinedName');
    const failed = await stream.next();
    expect((await allOf(stream)).at(-1).type).toBe('error');
    expect((await tasks.getTask(failed.value.task.taskId)).status).toBe('failed');
  });

  test('a session has at most 16 tasks', async () => {
    const { start } = await tasked({});
    for (let at = 0; at < 16; at++) await start('1').next();
    const { value } = await start('1').next();
    expect(value).toMatchObject({ type: 'error', error: { message: expect.stringContaining('there are 16 tasks') } });
  });
});

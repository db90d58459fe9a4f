// Every entry point in a test environment that replaces classes of Node.js by those of browsers.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, test } from 'vitest';

import { SESExecutor } from 'ses-executor';
import { createCodeTool } from 'ses-executor/code-tool';
import { SESCodemodeExecutor } from 'ses-executor/codemode';
import { createMcpServer } from 'ses-executor/mcp';
import { parseCodeBlobs } from 'ses-executor/prompts';
import { PyodideExecutor } from 'ses-executor/python';
import { SandboxManager, anyState, registryFromOpenApi } from 'ses-executor/sandbox';
import { SmolagentsExecutor } from 'ses-executor/smolagents';
import { createFileTools } from 'ses-executor/tools';

/** What a promise rejects with. The helpers of other tests need the `URL` of Node.js. */
const rejection = (promise) =>
  promise.then(
    () => expect.unreachable(),
    (error) => error,
  );

/** @param {string} name of the environment */
export function describeEnvironment(name) {
  describe(name, () => {
    test('the environment has replaced classes of Node.js', () => {
      expect(typeof document).toBe('object');
      expect(new AbortController().signal).toBeInstanceOf(globalThis.AbortSignal);
    });

    test('SESExecutor runs code and ends it with a signal of the environment', async () => {
      const executor = new SESExecutor({ autoInit: true });
      await executor.sendTools({ later: async (n) => n + 1 });
      expect((await executor.run('await later(41)')).output).toBe(42);
      const controller = new AbortController();
      const run = rejection(executor.run('await new Promise(() => {})', { signal: controller.signal }));
      controller.abort(new Error('enough'));
      expect(await run).toMatchObject({ code: 'ERR_EXEC_TIMEOUT', details: { aborted: true, reason: 'enough' } });
      await executor.cleanup();
    });

    test('code tools call tools, and Node.js accepts the signals of these', async () => {
      const signals = [];
      const tools = {
        add: async (input, { signal }) => {
          signals.push(signal.aborted);
          return input.a + input.b;
        },
      };
      const tool = createCodeTool({ tools: { add: { inputSchema: { type: 'object' }, execute: tools.add } } });
      const { signal } = new AbortController();
      expect((await tool.execute('await add({ a: 40, b: 2 })', { signal })).output).toBe(42);
      expect(signals).toStrictEqual([false]);
    });

    test('SandboxManager runs programs, also with a signal of the environment', async () => {
      const document = {
        openapi: '3.1.0',
        info: { title: 'A', version: '1' },
        servers: [{ url: 'https://api.test/v1' }],
        paths: { '/n': { get: { operationId: 'getN', responses: { 200: { description: 'n' } } } } },
      };
      const seen = [];
      const answer = async (url) => {
        seen.push(String(url));
        return new Response('{"n":42}', { headers: { 'content-type': 'application/json' } });
      };
      const api = await registryFromOpenApi(document, { fetch: answer });
      const manager = new SandboxManager({ ...api, stateSchema: anyState, poolSize: 0 });
      const source = manager.sources[0].name;
      const { signal } = new AbortController();
      expect(await manager.executeCode(`sdk.${source}.getN({})`, { signal })).toStrictEqual({ n: 42 });
      expect(seen).toStrictEqual(['https://api.test/v1/n']);
      await manager.close();
    });

    test('codemode, agents and MCP servers run code', async () => {
      expect(await new SESCodemodeExecutor().execute('async () => 42', {})).toStrictEqual({ result: 42, logs: [] });
      const agent = new SmolagentsExecutor({ tools: { two: () => 2 } });
      expect((await agent.run('40 + two()')).output).toBe(42);
      await agent.cleanup();
      const server = await createMcpServer({ tools: { two: () => 2 } });
      await server.close();
      expect(parseCodeBlobs('<code>\n42;\n</code>')).toBe('42;');
    });

    test('a remote MCP server is asked with signals that all parts accept', async () => {
      const server = createServer((_, response) => response.writeHead(400).end('refused'));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      // The fetch of happy-dom refuses other origins.
      const url = `http://127.0.0.1:${server.address().port}/`;
      const error = await rejection(createMcpServer({ servers: { other: url } }));
      server.close();
      expect(error.message).toMatch(/refused$|Cross-Origin Request Blocked/);
    });

    test('Python runs', async () => {
      const executor = new PyodideExecutor(undefined, { mount: false });
      await executor.init();
      expect((await executor.run('40 + 2')).output).toBe(42);
      await executor.cleanup();
    });

    test('a URL of the environment is a URL', async () => {
      const root = mkdtempSync(join(tmpdir(), 'ses-executor-environment-'));
      try {
        writeFileSync(join(root, 'a.txt'), 'text');
        const tools = createFileTools({ root: new globalThis.URL(pathToFileURL(root).href) });
        expect(await tools.readText('a.txt')).toBe('text');
        expect(() => createFileTools({ root: new globalThis.URL('https://a.test/') })).toThrow(
          /^options\.root must be the path of a folder, or its file: URL, got /,
        );
      } finally {
        rmSync(root, { recursive: true });
      }
    });
  });
}

// `ses-executor mcp`, with the client of the official SDK over stdin and stdout.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { createMcpServer } from 'ses-executor/mcp';
import { MAX_LINE_BYTES } from '../../build/adapters/mcp/messages.js';
import { connectServers } from '../../build/adapters/mcp/servers.js';
import { StdioTransport } from '../../build/adapters/mcp/stdio.js';
import { OPTIONS } from '../../build/contract/option-table.js';
import { ROOT, deferred, gateTool, runChild, spawnNode, spawnProgram, withExecutor, withFolder } from '../helpers.mjs';
import { serve } from '../http-server.mjs';
import { BIN } from './mcp-command.mjs';

// As the modules load each other: each is loaded once.
const { errorDetails } = createRequire(import.meta.url)('../../build/contract/error-details.js');

/** Calls `fn` with a client of a server that has been started with `args`, and ends both. */
async function withServer(args, fn) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', ...args] }));
  const run = (code, more = {}, options = undefined) =>
    client.callTool({ name: 'run_javascript', arguments: { code, ...more } }, undefined, options);
  try {
    // The client checks structured results by the schemas that it has listed.
    const { tools } = await client.listTools();
    return await fn({ client, run, tools, output: async (...of) => (await run(...of)).structuredContent.output });
  } finally {
    await client.close();
  }
}

/** Calls `fn` with a folder that holds a root with one file, and a file beside it. */
const withRoot = (fn) =>
  withFolder((folder) => {
    const root = join(folder, 'root');
    mkdirSync(root);
    writeFileSync(join(root, 'a.txt'), 'inside\n');
    writeFileSync(join(folder, 'secret.txt'), 'outside\n');
    return fn(root);
  });

describe('run_javascript', () => {
  test('returns output and logs, as text and as data', () =>
    withServer([], async ({ run }) => {
      expect(await run('console.log("hello"); new Map([["n", 1n]])')).toStrictEqual({
        content: [{ type: 'text', text: "Map(1) { 'n' => 1n }\n\nLogs:\nhello" }],
        structuredContent: { output: [['n', '1']], logs: 'hello' },
      });
      expect(await run('"text"')).toStrictEqual({
        content: [{ type: 'text', text: 'text' }],
        structuredContent: { output: 'text', logs: '' },
      });
      expect(await run('undefined')).toStrictEqual({
        content: [{ type: 'text', text: 'The program has no value.' }],
        structuredContent: { logs: '' },
      });
    }));

  test.each([
    ['a graph that shares its parts', 'let x = [1]; for (let i = 0; i < 40; i++) x = [x, x]; x', /\[Array\]/],
    ['a large integer', '1n << 400_000_000n', /^"\[a BigInt of more than 1048576 bits\]"$/],
    [
      'a wide graph',
      'let x = Array(100).fill(1); for (let i = 0; i < 9; i++) x = Array(100).fill(x); x',
      /of 100 items/,
    ],
  ])('cuts %s', (_, code, shown) =>
    withServer([], async ({ run, output }) => {
      const { content, structuredContent } = await run(code);
      expect(JSON.stringify(structuredContent.output)).toMatch(shown);
      expect(content[0].text.length).toBeLessThan(25_000);
      expect(await output('1 + 1')).toBe(2);
    }),
  );

  test('keeps state until a reset', () =>
    withServer([], async ({ client, output }) => {
      await output('let n = 1; const inc = () => (n += 1);');
      expect(await output('inc(); n')).toBe(2);
      expect(await output('typeof n', { reset: true })).toBe('undefined');
      await output('let m = 1');
      expect(await client.callTool({ name: 'reset', arguments: {} })).toStrictEqual({
        content: [{ type: 'text', text: 'The session is empty.' }],
      });
      expect(await output('typeof m')).toBe('undefined');
    }));

  test('executes simultaneous calls in turn', () =>
    withServer([], async ({ output }) => {
      const outputs = await Promise.all([output('let n = await 1'), output('n += 1'), output('n * 10')]);
      expect(outputs).toStrictEqual([1, 2, 20]);
    }));

  test('returns code, message, place, code frame and hint of an error', () =>
    withServer([], async ({ run }) => {
      const codeFrame =
        '  |\n1 | console.log("early");\n2 | null.x\n  |      ^ TypeError: Cannot read properties of null (reading \'x\')';
      const message = "Runtime exception: TypeError: Cannot read properties of null (reading 'x')";
      const hint = 'Correct the code at that place and run it again.';
      expect(await run('console.log("early");\nnull.x')).toStrictEqual({
        isError: true,
        content: [
          {
            type: 'text',
            text: `ERR_RUNTIME_EXCEPTION: ${message} (line 2, column 6)\n${codeFrame}\nHint: ${hint}\n\nLogs:\nearly`,
          },
        ],
        structuredContent: {
          error: { code: 'ERR_RUNTIME_EXCEPTION', message, line: 2, column: 6, codeFrame, hint, retryable: true },
          logs: 'early',
        },
      });
    }));

  test('starts a fresh session after a deadline with --no-keep-state, and the model is informed', () =>
    withServer(['--timeout', '1000', '--no-keep-state'], async ({ run, output }) => {
      await output('let n = 1');
      const { isError, structuredContent } = await run('await new Promise(() => {})');
      expect({ isError, structuredContent }).toStrictEqual({
        isError: true,
        structuredContent: {
          error: {
            code: 'ERR_EXEC_TIMEOUT',
            message: 'Execution timed out after 1000ms',
            hint:
              'Do less in one run, and await only promises that settle. Variables and functions of earlier runs are ' +
              'gone: define again what is still needed.',
            retryable: true,
          },
          logs: '',
        },
      });
      expect(await output('typeof n')).toBe('undefined');
    }));

  // Clients end calls that take longer than a minute, and everything that had been defined was gone.
  test.each([
    ['a tool that never answers', 'await hang()'],
    ['a promise that never settles', 'await new Promise(() => {})'],
    ['a loop', 'for (;;);'],
    ['a function of an earlier call', 'later = 5; await forever()'],
  ])('keeps all definitions when a call is cancelled or reaches its deadline: %s', (_, code) =>
    withFolder(async (folder) => {
      const tools = join(folder, 'tools.mjs');
      writeFileSync(tools, 'export const hang = () => new Promise(() => {});');
      await withServer(['--tools', tools, '--max-operations', '100000000'], async ({ run, output }) => {
        await output('let n = 41; let later = 1; const forever = () => new Promise(() => {});');
        const controller = new AbortController();
        const cancelled = run(code, {}, { signal: controller.signal }).catch(({ message }) => message);
        // The next call waits for the cancelled one.
        await run('1', { timeoutMs: 1 }, { signal: AbortSignal.timeout(300) }).catch(() => {});
        controller.abort('enough');
        await cancelled;
        expect(await output('n + 1')).toBe(42);
        const late = await run(code, { timeoutMs: 200 });
        expect(late.structuredContent.error.hint).not.toContain('gone');
        expect(await output('n + 1')).toBe(42);
      });
    }),
  );

  test('accepts a shorter deadline per call, but no longer one', () =>
    withServer(['--timeout', '20000'], async ({ run }) => {
      const shorter = await run('await new Promise(() => {})', { timeoutMs: 50 });
      expect(shorter.structuredContent.error.message).toBe('Execution timed out after 50ms');
      const longer = await run('1', { timeoutMs: 20_001 });
      expect(longer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('timeoutMs') }] });
    }));

  test('has the limit of operations of the command line', () =>
    withServer(['--max-operations', '10'], async ({ run, tools }) => {
      expect(tools[0].description).toContain('A run may take 10000 ms, 10 loop iterations and 128 MiB of memory.');
      const { structuredContent } = await run('for (let i = 0; i < 11; i++);');
      expect(structuredContent.error).toMatchObject({ code: 'ERR_MAX_OPS_EXCEEDED' });
    }));

  test('has the limit of tool calls of the command line', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'tools.mjs'), 'export const hang = () => new Promise(() => {});');
      await withServer(['--tools', join(folder, 'tools.mjs'), '--tool-timeout', '50'], async ({ output }) =>
        expect(await output('await hang().catch(({ code }) => code)')).toBe('ERR_TOOL_TIMEOUT'),
      );
    }));

  test('has the memory limit of the command line', () =>
    withServer(['--memory', '16', '--max-operations', '1000000000'], async ({ run, tools }) => {
      expect(tools[0].description).toContain('1000000000 loop iterations and 16 MiB of memory.');
      const { structuredContent } = await run('const hoard = []; for (;;) hoard.push({ at: hoard.length });');
      expect(structuredContent.error).toMatchObject({
        code: 'ERR_MEMORY_LIMIT_EXCEEDED',
        message: 'Memory limit exceeded (16 MB)',
      });
    }));

  test('aborts a call that the client cancels, and runs the next one', () =>
    withServer(['--timeout', '600000'], async ({ run, output }) => {
      const controller = new AbortController();
      const cancelled = run('await new Promise(() => {})', {}, { signal: controller.signal });
      const next = output('1 + 1');
      controller.abort('the user left');
      await expect(cancelled).rejects.toThrow('the user left');
      expect(await next).toBe(2);
    }));

  test('cuts long text', () =>
    withServer([], async ({ run }) => {
      const { content, structuredContent } = await run('console.log("l".repeat(30_000)); "o".repeat(30_000)');
      const cut = (character, what) => {
        const half = character.repeat(10_000);
        return `${half}\n[... 10000 of 30000 characters ${what} ...]\n${half}`;
      };
      const output = cut('o', 'of the output; later code gets all of it from outputs.get("o2")');
      const logs = cut('l', 'of the logs; later code gets all of it from outputs.get("o1")');
      expect(structuredContent).toStrictEqual({ output, logs });
      expect(content).toStrictEqual([{ type: 'text', text: `${output}\n\nLogs:\n${logs}` }]);
      const { structuredContent: list } = await run('Array(20_000).fill(0)');
      expect(list.output).toMatch(/^\[0,0,0,[0,]*\n\[\.\.\. 20001 of 40001 characters of the output;.*\]\n[0,]*0\]$/);
    }));

  test('returns an error of the call for wrong arguments', () =>
    withServer([], async ({ client }) => {
      const result = await client.callTool({ name: 'run_javascript', arguments: { code: 1 } });
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('expected string') }] });
    }));
});

describe('the instructions of the server', () => {
  test('without a folder name no file tools', () =>
    withServer([], async ({ client, tools, output }) => {
      expect(client.getServerVersion()).toStrictEqual({
        name: 'ses-executor',
        version: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
      });
      expect(client.getInstructions()).toMatch(/^Use run_javascript to calculate/);
      expect(tools.map(({ name, annotations }) => [name, annotations.readOnlyHint])).toStrictEqual([
        ['run_javascript', true],
        ['reset', false],
      ]);
      expect(tools[0].description).not.toContain('async function');
      expect(tools[0].inputSchema).toMatchObject({ required: ['code'], properties: { code: { type: 'string' } } });
      expect(tools[0].outputSchema).toMatchObject({ required: ['logs'], additionalProperties: false });
      expect(await output('typeof read')).toBe('undefined');
    }));

  test('with a folder name the file tools', () =>
    withRoot((root) =>
      withServer(['--root', root], async ({ client, tools: [{ description, annotations }] }) => {
        const names = [
          'read',
          'readText',
          'readJson',
          'readLines',
          'readBytes',
          'stat',
          'write',
          'edit',
          'move',
          'remove',
        ];
        names.push('grep', 'find', 'ls');
        expect(client.getInstructions()).toContain(names.join(', '));
        expect(description).toContain(' * @param {string} args.path Path of the file, relative to the root\n');
        const declared = [...description.matchAll(/^async function (\w+)\(/gm)].map(([, name]) => name);
        expect(declared).toStrictEqual(names);
        expect(annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: false });
      }),
    ));

  test('with a read-only folder name the reading ones', () =>
    withRoot((root) =>
      withServer(['--root', root, '--read-only'], async ({ client, tools: [{ description, annotations }] }) => {
        expect(client.getInstructions()).toContain('readBytes, stat, grep, find, ls');
        expect(description).not.toContain('function write');
        expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      }),
    ));
});

describe('the environment of the code', () => {
  const TOOLS = `
    export const add = (a, b) => a + b;
    export const later = async (value) => value;
    export const Host = { now: () => 5 };
    export default {
      find: {
        description: 'Finds an item.',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        execute: ({ id }) => ({ id }),
      },
    };`;
  /** A server whose tools give data, text and an error. */
  const OTHER = `
    import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
    import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
    import { z } from 'zod';
    const server = new McpServer({ name: 'other', version: '1.0.0' });
    const outputSchema = { sum: z.number() };
    server.registerTool('add-up', { description: 'Adds.', inputSchema: { all: z.array(z.number()) }, outputSchema }, ({ all }) => {
      const structuredContent = { sum: all.reduce((a, b) => a + b, 0) };
      return { content: [{ type: 'text', text: 'x' }], structuredContent };
    });
    server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({ content: [{ type: 'text', text }] }));
    server.registerTool('fails', {}, () => ({ content: [{ type: 'text', text: 'no disk' }], isError: true }));
    const resource = { uri: 'log:1', text: 'no space' };
    server.registerTool('fails-in-resource', {}, () => ({ content: [{ type: 'resource', resource }], isError: true }));
    server.registerTool('fails-as-data', {}, () => ({ content: [], structuredContent: { left: 0 }, isError: true }));
    server.registerTool('fails-silently', {}, () => ({ content: [], isError: true }));
    server.registerTool('hang', {}, () => new Promise(() => {}));
    server.registerTool('then', {}, () => ({ content: [{ type: 'text', text: 'later' }] }));
    await server.connect(new StdioServerTransport());`;

  test('has --tools, --vars and --allow-import', () =>
    withFolder(async (folder) => {
      const file = (name, text) => (writeFileSync(join(folder, name), text), join(folder, name));
      const args = [
        ...['--tools', file('tools.mjs', TOOLS), '--vars', file('vars.json', '{ "rate": 2 }')],
        ...['--allow-import', `units=${file('units.mjs', 'export const twice = (n) => 2 * n;')}`],
      ];
      await withServer(args, async ({ output, tools: [{ description, annotations }] }) => {
        expect(annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
        expect(description).toContain('These variables are available: rate.');
        expect(description).toContain('no import except `await import(name)` of "units"');
        for (const declaration of [
          'function add(...args) {}',
          'async function later(...args) {}',
          'Host.now = function (...args) {};',
          ' * Finds an item.\n *\n * @param {object} args\n * @param {string} args.id\n',
        ]) {
          expect(description).toContain(declaration);
        }
        const code = `const { twice } = await import('units');
          [add(rate, 1), await later('x'), Host.now(), await find({ id: 'a' }), twice(rate)]`;
        const all = [3, 'x', 5, { id: 'a' }, 4];
        expect(await output(code)).toStrictEqual(all);
        expect(await output(code, { reset: true })).toStrictEqual(all);
      });
    }));

  test('has the tools of another server with --server', () =>
    withFolder(async (folder) => {
      // Where it finds its packages.
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
      writeFileSync(join(folder, 'other.mjs'), OTHER);
      const command = `"${process.execPath}" "${join(folder, 'other.mjs')}"`;
      await withServer(['--server', `other=${command}`], async ({ output, run, client, tools }) => {
        const [{ description }] = tools;
        expect(client.getInstructions()).toContain(
          'call the functions that the description of run_javascript declares',
        );
        expect(description).toContain(
          ' * Adds.\n *\n * @param {object} args\n * @param {number[]} args.all\n * @returns {Promise<{ sum: number }>}\n */\nother.add_up = async function (args) {};',
        );
        const code = `const caught = await other.fails().catch(({ message }) => message);
          [(await other.add_up({ all: [1, 2, 3] })).sum, await other.echo({ text: 'hi' }), caught]`;
        expect(await output(code)).toStrictEqual([6, 'hi', 'no disk']);
        // With a `then` the namespace would be a promise.
        expect(await output('(await other) === other && (await other.then_())')).toBe('later');
        // What an error says in other ways than as text was lost.
        const failures = `await Promise.all(
          [other.fails_in_resource, other.fails_as_data, other.fails_silently].map((fails) => fails().catch((error) => error.message)))`;
        expect(await output(failures)).toStrictEqual(['no space', '{"left":0}', 'the tool has failed']);
        expect(Object.keys(await output('other')).slice(0, 3)).toStrictEqual(['add_up', 'echo', 'fails']);
        const wrong = await run('await other.add_up({ all: "x" })');
        expect(wrong.structuredContent.error).toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', tool: 'other.add_up' });
        const late = await run('await other.hang()', { timeoutMs: 100 });
        expect(late.structuredContent.error.code).toBe('ERR_EXEC_TIMEOUT');
        expect(await output('await other.echo({ text: "again" })')).toBe('again');
      });
    }));

  test.each([
    [
      ['--server', 'node'],
      2,
      /^ses-executor: --server must be like name=command, with an identifier as name, got "node"\n/,
    ],
    [['--server', 'a-b=node'], 2, /^ses-executor: --server must be like name=command/],
    [['--server', 'a=false'], 1, /^ses-executor: the server a cannot be used: .+\n$/],
    [['--tools', '/nowhere.mjs'], 2, /^ses-executor: \/nowhere\.mjs cannot be loaded: /],
    [['--vars', '/nowhere.json'], 2, /^ses-executor: \/nowhere\.json cannot be read: /],
    [['--allow-import', 'a=/nowhere.mjs'], 2, /^ses-executor: \/nowhere\.mjs cannot be read: /],
    [['--openapi', 'a.yaml', '--vars', 'b.json'], 2, /^ses-executor: --openapi and --vars cannot be combined\n/],
  ])('refuses %j', async (args, status, stderr) => {
    const ended = await spawnNode([BIN, 'mcp', ...args]);
    expect({ status: ended.status, stdout: ended.stdout }).toStrictEqual({ status, stdout: '' });
    expect(ended.stderr).toMatch(stderr);
  });

  test('takes secrets of an API from environment variables', () =>
    withFolder(async (folder) => {
      const seen = [];
      const { port } = await serve(({ url, headers }, response) => {
        seen.push([url, headers.authorization, headers.cookie, headers['x-plain']]);
        response.end('{}');
      });
      const file = join(folder, 'api.yaml');
      const operation = 'get: { operationId: a, security: [{ key: [], session: [] }] }';
      const schemes =
        'key: { type: apiKey, in: query, name: api_key }, session: { type: apiKey, in: cookie, name: session }';
      writeFileSync(
        file,
        `openapi: 3.1.0\npaths: { /a: { ${operation} } }\ncomponents: { securitySchemes: { ${schemes} } }\n`,
      );
      const args = [
        ...['mcp', '--openapi', file, '--base-url', 'http://127.0.0.1:${PORT}/v1', '--header', 'x-plain: $5 {x}'],
        ...[
          '--header',
          'Authorization: Bearer ${TOKEN}',
          '--credential',
          'key=${KEY}',
          '--credential',
          'session=${SESSION}',
        ],
      ];
      const env = { PORT: String(port), TOKEN: 'the-token', KEY: 'the-key', SESSION: 's=1' };
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [BIN, ...args], env: { ...process.env, ...env } }),
      );
      await client.callTool({ name: 'execute', arguments: { code: 'sdk.api.a()' } });
      await client.close();
      expect(seen).toStrictEqual([['/v1/a?api_key=the-key', 'Bearer the-token', 'session=s%3D1', '$5 {x}']]);
      for (const [option, text, reason] of [
        ['--header', 'Authorization: Bearer ${NO_SUCH_TOKEN}', '--header needs the environment variable NO_SUCH_TOKEN'],
        ['--credential', 'key=${NO_SUCH_TOKEN}', '--credential needs the environment variable NO_SUCH_TOKEN'],
        ['--base-url', 'http://${NO_SUCH_HOST}', '--base-url needs the environment variable NO_SUCH_HOST'],
        [
          '--header',
          'Authorization hunter2',
          '--header must be like "Name: value"; one of the given headers has no colon',
        ],
        [
          '--header',
          'X-Key: hunter2\nhunter2',
          '--header must be like "Name: value"; the name or the value of X-Key cannot be sent',
        ],
        ['--credential', 'hunter2', '--credential must be like "scheme=value"'],
        [
          '--credential',
          'none=hunter2',
          'options.credentials.none is not a security scheme of the document; they are key, session',
        ],
        [
          '--base-url',
          'ftp://me:hunter2@a.test?key=hunter2',
          'options.baseUrl must be an http URL, got "ftp://a.test"',
        ],
      ]) {
        const { status, stderr } = await spawnNode([BIN, 'mcp', '--openapi', file, option, text]);
        expect([status, stderr.split('\n')[0]]).toStrictEqual([2, `ses-executor: ${reason}`]);
        expect(stderr).not.toContain('hunter2');
      }
    }));

  test('reads files next to an OpenAPI document and reports omitted operations on stderr', () =>
    withFolder(async (folder) => {
      const inner = join(folder, 'api');
      mkdirSync(inner);
      writeFileSync(join(folder, 'secret.yaml'), 'get: {}\n');
      writeFileSync(join(inner, 'a.yaml'), 'get: { operationId: a }\nput: { parameters: [5] }\n');
      symlinkSync('../secret.yaml', join(inner, 'link.yaml'));
      const file = join(inner, 'api.yaml');
      writeFileSync(file, 'openapi: 3.1.0\npaths: { /a: { $ref: a.yaml }, /b: { $ref: link.yaml } }\n');
      const ended = await spawnNode([BIN, 'mcp', '--openapi', file, '--base-url', 'http://127.0.0.1:9']);
      expect({ status: ended.status, stderr: ended.stderr.split('\n') }).toStrictEqual({
        status: 0,
        stderr: [
          'ses-executor: PUT /a is left out: one of its parameters is not an object (#/paths/~1a/put)',
          'ses-executor: /b is left out: the reference link.yaml leads to another file; ' +
            'it cannot be read: it is outside the folder of the document (#/paths/~1b)',
          '',
        ],
      });
    }));

  test('refuses two tools with one name and variables with reserved names', () =>
    withFolder(async (folder) => {
      const tools = join(folder, 'tools.mjs');
      writeFileSync(tools, 'export const read = () => 1;');
      const both = await spawnNode([BIN, 'mcp', '--root', folder, '--tools', tools]);
      expect(both.status).toBe(2);
      expect(both.stderr).toMatch(/^ses-executor: the file tools and the tools both have read\n/);
      writeFileSync(join(folder, 'vars.json'), '{ "console": 1 }');
      const reserved = await spawnNode([BIN, 'mcp', '--vars', join(folder, 'vars.json')]);
      expect(reserved.status).toBe(2);
      expect(reserved.stderr).toMatch(
        /^ses-executor: variables\.console must have another name: `console` is reserved\n/,
      );
    }));
});

describe('createMcpServer', () => {
  /** Calls `fn` with a client of a server in this process. */
  async function withServerHere(options, fn) {
    const server = await createMcpServer(options);
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1.0.0' });
    await Promise.all([server.connect(here), client.connect(there)]);
    try {
      return await fn(client, async (code) => {
        const { structuredContent } = await client.callTool({ name: 'run_javascript', arguments: { code } });
        return structuredContent;
      });
    } finally {
      await client.close();
      await server.close();
    }
  }

  // An option that is undefined is one that is left out: it ran code on a thread.
  if (process.platform === 'linux') {
    test('uses a worker process by default', async () => {
      const script = `
        import { Client } from '@modelcontextprotocol/sdk/client/index.js';
        import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
        import { createMcpServer } from 'ses-executor/mcp';
        import { workersOf } from './__test__/process/helpers.mjs';
        const servers = [];
        for (const options of [{}, { isolation: undefined }, { isolation: 'thread' }]) {
          const server = await createMcpServer({ spares: 0, ...options });
          servers.push(server);
          const [here, there] = InMemoryTransport.createLinkedPair();
          const client = new Client({ name: 'test', version: '1.0.0' });
          await Promise.all([server.connect(here), client.connect(there)]);
          await client.callTool({ name: 'run_javascript', arguments: { code: '1' } });
          console.log(workersOf(process.pid).length);
        }
        for (const server of servers) await server.close();`;
      const { stdout, stderr } = await runChild(script);
      expect({ stdout, stderr }).toStrictEqual({ stdout: '1\n2\n2\n', stderr: '' });
    });
  }

  test('sends variables to an existing executor', () =>
    withExecutor({}, {}, async (executor) => {
      await withServerHere({ executor, variables: { user: 'Ada' } }, async (_, run) => {
        expect(await run('user')).toStrictEqual({ output: 'Ada', logs: '' });
        await executor.cleanup();
        await executor.init();
        await executor.cleanup();
        expect(await run('user')).toMatchObject({ output: 'Ada' });
      });
    }));

  test('reports in each run that variables could not be sent', () =>
    withServerHere({ maxTransferBytes: 2000, variables: { rows: 'x'.repeat(3000) } }, async (_, run) => {
      const error = {
        code: 'ERR_TRANSFER_LIMIT_EXCEEDED',
        message: 'Transfer limit exceeded (2000 bytes)',
        hint: 'The variables that the program around the code sends take more than `maxTransferBytes`: it must send less, or have a larger limit. The code is not to blame.',
        retryable: true,
      };
      expect(await run('typeof rows')).toStrictEqual({ error, logs: '' });
      expect(await run('typeof rows')).toStrictEqual({ error, logs: '' });
    }));

  test('ends active and waiting calls when the server ends', () =>
    withExecutor({}, {}, async (executor) => {
      const gate = gateTool();
      let calls = 0;
      const tools = { gate: () => (calls++, gate.tool()) };
      const server = await createMcpServer({ executor, tools });
      const [here, there] = InMemoryTransport.createLinkedPair();
      const client = new Client({ name: 'test', version: '1.0.0' });
      await Promise.all([server.connect(here), client.connect(there)]);
      const call = () => client.callTool({ name: 'run_javascript', arguments: { code: 'await gate()' } });
      const ended = Promise.allSettled([call(), call(), call()]);
      await gate.called;
      await server.close();
      await ended;
      expect([calls, executor.state]).toStrictEqual([1, 'DEAD']);
    }));

  test.each([
    ['the run ends by its deadline', 'hang({})', { timeoutMs: 100 }, 'ERR_EXEC_TIMEOUT'],
    ['the run does not wait for the tool', 'void hang({}); 1', {}, undefined],
  ])('aborts the signal of a tool when %s', async (_, code, more, expected) => {
    const signals = [];
    const inputSchema = { type: 'object' };
    const execute = (_input, { signal }) => (signals.push([signal, signal.aborted]), new Promise(() => {}));
    await withServerHere({ tools: { hang: { inputSchema, execute } } }, async (client) => {
      const { structuredContent } = await client.callTool({ name: 'run_javascript', arguments: { code, ...more } });
      expect(structuredContent.error?.code).toBe(expected);
      expect(signals.map(([signal, atCall]) => [atCall, signal.aborted])).toStrictEqual([[false, true]]);
    });
  });

  test('accepts any executor', () =>
    withExecutor({ authorizedImports: ['units'] }, {}, async (executor) => {
      await executor.sendVariables({ mine: 41 });
      await withServerHere({ executor, tools: { add: (a, b) => a + b } }, async (client, run) => {
        const { tools } = await client.listTools();
        expect(tools[0].description).not.toContain('A run may take');
        expect(tools[0].description).toContain('no import except `await import(name)` of "units"');
        expect(await run('add(mine, 1)')).toStrictEqual({ output: 42, logs: '' });
      });
      expect(executor.state).toBe('DEAD');
    }));

  test('creates an executor with the options', () =>
    withServerHere({ variables: { n: 1 }, maxOperations: 10 }, async (client, run) => {
      const { tools } = await client.listTools();
      expect(tools[0].description).toContain('A run may take 10000 ms, 10 loop iterations and 128 MiB of memory.');
      expect(await run('n + 1')).toStrictEqual({ output: 2, logs: '' });
      expect((await run('for (;;);')).error.code).toBe('ERR_MAX_OPS_EXCEEDED');
    }));

  // They were declared as they are, and no code could call them.
  test('changes tool names that are not identifiers, and declares the changed names', () => {
    const tools = {
      'list-files': () => 'files',
      delete: () => 'deleted',
      'a.b': { description: 'Tells.', inputSchema: { type: 'object' }, execute: () => 'told' },
    };
    return withServerHere({ tools }, async (client, run) => {
      const { description } = (await client.listTools()).tools[0];
      expect(description.split('\n\n').slice(1).join('\n\n')).toBe(
        'function list_files(...args) {}\n\nfunction delete_(...args) {}\n\n' +
          '/**\n * Tells.\n *\n * @returns {Promise<any>}\n */\nasync function a_b() {}',
      );
      expect(await run('[list_files(), delete_(), await a_b({})]')).toStrictEqual({
        output: ['files', 'deleted', 'told'],
        logs: '',
      });
    });
  });

  test('does not make a call that needs approval if nobody can be asked', async () => {
    const paid = [];
    const pay = { inputSchema: { type: 'object' }, needsApproval: true, execute: () => paid.push(1) };
    await withServerHere({ tools: { pay } }, async (client, run) => {
      const { error } = await run('await pay({})');
      expect([error.code, paid]).toStrictEqual(['ERR_TOOL_PROXY_FAIL', []]);
    });
    await expect(createMcpServer({ tools: { pay: Object.assign(() => 1, { needsApproval: true }) } })).rejects.toThrow(
      /^tools\.pay has needsApproval, which would be ignored: /,
    );
  });

  test('refuses two tool names that become one', async () => {
    await expect(createMcpServer({ tools: { 'a-b': () => 1, a_b: () => 2 } })).rejects.toThrow(
      new TypeError('the tools "a-b" and "a_b" would both be called a_b in code; rename one of them'),
    );
  });

  test('reports the state that a cancelled call lost in the next call', async () => {
    let called;
    const tools = { hang: () => (called.resolve(), new Promise(() => {})) };
    await withServerHere({ tools, keepState: false }, async (client) => {
      const gone = 'Variables and functions of earlier runs are gone: define again what is still needed.';
      const hint = 'Correct the code at that place and run it again.';
      const run = (args, options) => client.callTool({ name: 'run_javascript', arguments: args }, undefined, options);
      const cancel = async () => {
        called = deferred();
        const controller = new AbortController();
        const cancelled = run({ code: 'await hang()' }, { signal: controller.signal });
        await called.promise;
        controller.abort('the user left');
        await expect(cancelled).rejects.toThrow('the user left');
      };
      await run({ code: 'const rows = [1, 2, 3]' });
      await cancel();
      for (const expected of [`${hint} ${gone}`, hint]) {
        expect((await run({ code: 'rows.length' })).structuredContent.error.hint).toBe(expected);
      }
      await cancel();
      expect(await run({ code: '1 + 1' })).toStrictEqual({
        content: [{ type: 'text', text: `2\n\nNote: ${gone}` }],
        structuredContent: { output: 2, logs: '', note: gone },
      });
      expect((await run({ code: '1 + 1' })).structuredContent).toStrictEqual({ output: 2, logs: '' });
      await cancel();
      expect((await run({ code: '1 + 1', reset: true })).structuredContent).toStrictEqual({ output: 2, logs: '' });
    });
  });

  test.each([
    [{ timeout: 5 }, 'options.timeout is not an option; did you mean options.timeoutMs?'],
    [{ root: '.', readonly: true }, 'options.readonly is not an option; did you mean options.readOnly?'],
    [
      { container: 1 },
      `options.container is not an option; the options are executor, answerByCall, root, readOnly, tools, servers, variables, enforcePlan, maxDeclarationChars, ${OPTIONS.map(({ name }) => name).join(', ')}`,
    ],
    [{ executor: {} }, 'options.executor must be an executor, got an object'],
    [null, 'options must be an object, got null'],
    [{ tools: null }, 'options.tools must be an object, got null'],
    [{ servers: ['node'] }, 'options.servers must be an object, got an array'],
    [{ servers: { a: 5 } }, 'options.servers.a must be a command, an address or an object with a url, got 5'],
    [{ variables: 5 }, 'options.variables must be an object, got 5'],
    // Each run failed, and nobody but the model was told.
    [{ variables: { on: { done: () => 1 } } }, 'variables.on.done (function) cannot be cloned'],
    [{ readOnly: null }, 'options.readOnly must be a boolean, got null'],
    [{ tools: { console: () => 1 } }, 'tools.console must have another name: `console` is reserved'],
    [{ tools: { final_answer: () => 1 } }, 'tools.final_answer must have another name: `final_answer` is reserved'],
  ])('refuses %o', async (options, message) => {
    await expect(createMcpServer(options)).rejects.toThrow(new TypeError(message));
  });
});

describe('file tools', () => {
  test('read and write only in the folder', () =>
    withRoot((root) =>
      withServer(['--root', root], async ({ run, output }) => {
        expect(await output("(await read({ path: 'a.txt' })).content[0].text")).toBe('inside\n');
        await output("await write({ path: 'b/c.txt', content: 'new' })");
        expect(readFileSync(join(root, 'b', 'c.txt'), 'utf8')).toBe('new');
        for (const path of ['../secret.txt', join(root, '..', 'secret.txt')]) {
          const read = await run(`await read({ path: ${JSON.stringify(path)} })`);
          expect(read.structuredContent.error).toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', tool: 'read' });
          expect(JSON.stringify(read)).not.toContain('outside\\n');
        }
        const write = await run("await write({ path: '../new.txt', content: 'x' })");
        expect(write.structuredContent.error).toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', tool: 'write' });
        expect(existsSync(join(root, '..', 'new.txt'))).toBe(false);
      }),
    ));

  test('are available again after a reset and after a deadline', () =>
    withRoot((root) =>
      withServer(['--root', root, '--timeout', '1000'], async ({ run, output }) => {
        const text = "(await read({ path: 'a.txt' })).content[0].text";
        expect(await output(text, { reset: true })).toBe('inside\n');
        await run('await new Promise(() => {})');
        expect(await output(text)).toBe('inside\n');
      }),
    ));

  test('that write are omitted with --read-only', () =>
    withRoot((root) =>
      withServer(['--root', root, '--read-only'], async ({ output }) => {
        expect(await output('[typeof read, typeof write, typeof edit]')).toStrictEqual([
          'function',
          'undefined',
          'undefined',
        ]);
      }),
    ));
});

test.skipIf(process.platform === 'win32')('all other servers are ended when one of them cannot be used', () =>
  withFolder(async (folder) => {
    const file = join(folder, 'pid');
    const good = `sh -c 'echo $$ > ${file}; exec "${process.execPath}" "${BIN}" mcp'`;
    const bad = `sh -c 'until [ -s ${file} ]; do :; done; exit 1'`;
    const connecting = connectServers([
      { name: 'a', command: good },
      { name: 'b', command: bad },
    ]);
    await expect(connecting).rejects.toThrow('the server b cannot be used');
    expect(() => process.kill(Number(readFileSync(file, 'utf8')), 0)).toThrow('ESRCH');
  }),
);

/**
 * The text of a server with some tools, whose lines are written by `tools`: functions of the number of the request by
 * name, which may have `more` that is listed of the tool.
 *
 * @param {string} tools
 */
const rawServer = (tools) => `
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  const text = (id, text) => answer(id, { content: [{ type: 'text', text }] });
  const tools = ${tools};
  const listed = Object.entries(tools).map(([name, { more }]) => ({ name, inputSchema: { type: 'object' }, ...more }));
  const cancelled = [];
  const start = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } };
  require('node:readline').createInterface(process.stdin).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') answer(id, start);
    if (method === 'tools/list') answer(id, { tools: listed });
    if (method === 'notifications/cancelled') cancelled.push(params.requestId);
    if (method === 'tools/call') tools[params.name](id);
  });`;

/** That the process whose number a file has is gone: who has to wait for it takes a moment. */
const expectEnded = (file) =>
  vi.waitFor(() => expect(() => process.kill(Number(readFileSync(file, 'utf8')), 0)).toThrow('ESRCH'), 10_000);

/** The command of a server that goes on without input, and the file that it writes its number to. */
const endlessServer = (folder, tools) => {
  const [script, file] = [join(folder, 'server.cjs'), join(folder, 'pid')];
  writeFileSync(
    script,
    `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid));
    setInterval(() => {}, 1e6);
    ${rawServer(tools)}`,
  );
  return { command: `"${process.execPath}" "${script}"`, file };
};

describe('another server', () => {
  /**
   * Calls `fn` with a function that calls a tool of a server with these, and gives its text or the message of its
   * error.
   */
  const withOther = (tools, fn) =>
    withFolder(async (folder) => {
      const script = join(folder, 'server.cjs');
      writeFileSync(script, rawServer(tools));
      const [{ definitions, warnings, close }] = await connectServers([
        { name: 'a', command: `"${process.execPath}" "${script}"` },
      ]);
      const call = (name) =>
        definitions[name].execute({}, { signal: new AbortController().signal }).catch(({ message }) => message);
      await fn(call, definitions, warnings).finally(close);
    });

  test('fails only the call whose answer is too long', () =>
    withOther(
      "{ much: (id) => text(id, 'x'.repeat(11_000_000)), pid: (id) => text(id, String(process.pid)) }",
      async (call) => {
        const pid = await call('pid');
        const all = await Promise.all([call('much'), call('pid')]);
        expect(all).toStrictEqual([
          `MCP error -32600: the answer of the server a is too long: a line may have at most ${MAX_LINE_BYTES} bytes`,
          pid,
        ]);
        expect(await call('pid')).toBe(pid);
      },
    ));

  test('can be used if one tool has an invalid output schema, and results of others are checked', () => {
    const tool = (result, outputSchema) =>
      `Object.assign((id) => answer(id, ${JSON.stringify(result)}), { more: ${JSON.stringify({ outputSchema })} })`;
    const a = { content: [], structuredContent: { a: 1 } };
    const ofA = (schema) => ({ type: 'object', properties: { a: schema } });
    const tools = `{
      reference: ${tool(a, ofA({ $ref: '#/definitions/missing' }))},
      pattern: ${tool(a, ofA({ type: 'string', pattern: '(?i)a' }))},
      number: ${tool(a, { $id: 'A', ...ofA({ type: 'number' }) })},
      text: ${tool(a, { $id: 'A', ...ofA({ type: 'string' }) })},
    }`;
    return withOther(tools, async (call) => {
      expect(await Promise.all(['reference', 'pattern', 'number', 'text'].map(call))).toStrictEqual([
        { a: 1 },
        // The pattern is left out, the type is not.
        "the structured content does not match the tool's output schema: a must be string, got 1",
        { a: 1 },
        "the structured content does not match the tool's output schema: a must be string, got 1",
      ]);
    });
  });

  test('causes a short error if its answer violates the protocol', () => {
    const blocks = JSON.stringify(Array.from({ length: 20 }, () => ({ type: 'text' })));
    return withOther(`{ wrong: (id) => answer(id, { content: ${blocks} }) }`, async (call) => {
      const issues = [0, 1, 2, 3, 4].map((index) => `content.${index}: Invalid input`);
      expect(await call('wrong')).toBe(`its answer is not valid: ${issues.join('; ')}`);
    });
  });

  // Cause: such an answer was dropped, and its call waited for its deadline.
  const expected = 'Invalid input: expected';
  test.each([
    ['an error without a code', '"error":{"message":"disk full"}', 'MCP error -32600: disk full'],
    ['an error whose code is a string', '"error":{"code":"EIO","message":"disk full"}', 'MCP error -32600: disk full'],
    ['an error that is a string', '"error":"disk full"', 'MCP error -32600: disk full'],
    ['an error without a message', '"error":{"code":5}', `the answer is not valid: error.message: ${expected} string, received undefined`],
    ['an error that is null', '"error":null', `the answer is not valid: error: ${expected} object, received null`],
    ['an error that is a list', '"error":[1]', `the answer is not valid: error: ${expected} object, received array`],
    ['a result and an error', '"result":{},"error":null', 'the answer is not valid: Unrecognized key: "error"'],
    ['a result that is a string', '"result":"done"', `the answer is not valid: result: ${expected} object, received string`],
    ['a result that is null', '"result":null', `the answer is not valid: result: ${expected} object, received null`],
    ['a member that JSON-RPC does not have', '"result":{"content":[]},"time":3', 'the answer is not valid: Unrecognized key: "time"'],
  ])('fails a call immediately if it answers with %s', (_, member, message) =>
    withOther(
      `{ wrong: (id) => process.stdout.write(\`{"jsonrpc":"2.0","id":\${id},${member}}\\n\`), ok: (id) => text(id, 'ok') }`,
      async (call) => {
        expect([await call('wrong'), await call('ok')]).toStrictEqual([expect.stringContaining(message), 'ok']);
      },
    ),
  ); // prettier-ignore

  test('may answer with the number of the call as a string', () =>
    withOther("{ ok: (id) => text(String(id), 'ok') }", async (call) => expect(await call('ok')).toBe('ok')));

  test('is notified of a cancelled call while it is active, but not after its answer', () =>
    withOther(
      '{ ok: (id) => text(id, String(id)), hang() {}, cancelled: (id) => text(id, String(cancelled)) }',
      async (call, { ok, hang }) => {
        const controller = new AbortController();
        const hanging = hang.execute({}, controller);
        const id = Number(await ok.execute({}, controller));
        controller.abort(new Error('the run is over'));
        await expect(hanging).rejects.toThrow('the run is over');
        expect(await call('cancelled')).toBe(String(id - 1));
      },
    ));

  // One of these tools refused the whole server.
  test.each([
    ['the name of another tool in code', "'a-b'", '{}', 'the tool "a-b" of the server a is left out: in code it would have the same name as the tool "a_b"'],
    ['a `required` of null', 'bad', '{ inputSchema: { type: "object", required: null } }', /^the tool "bad" of the server a is left out: its description is not valid: inputSchema\.required: /],
    ['properties that are a string', 'bad', '{ inputSchema: { type: "object", properties: "x" } }', /^the tool "bad" of the server a is left out: its description is not valid: inputSchema\.properties: /],
    ['a missing schema', 'bad', '{ inputSchema: undefined }', /^the tool "bad" of the server a is left out: its description is not valid: inputSchema: /],
    ['a description that is not a string', 'bad', '{ description: 5 }', /^the tool "bad" of the server a is left out: its description is not valid: description: /],
    ['an output schema of a list', 'bad', '{ outputSchema: { type: "array" } }', /^the tool "bad" of the server a is left out: its description is not valid: outputSchema\.type: /],
    ['a description of megabytes', 'bad', '{ description: "x".repeat(400_000) }', 'the tool "bad" of the server a is left out: its description is too long'],
    ['no name', "''", '{}', 'the tool "" of the server a is left out: it has no name'],
    ['a name that is a number', 'bad', '{ name: 5 }', /^the tool \(without a name\) of the server a is left out: its description is not valid: name: /],
    ['a property that is null', 'bad', '{ inputSchema: { type: "object", properties: { a: null } } }', /^the tool "bad" of the server a is left out: /],
  ])('loses one tool because of %s, and keeps the others', (_, name, more, warning) =>
    withOther(
      `{ a_b: (id) => text(id, 'ok'), ${name}: Object.assign((id) => text(id, 'bad'), { more: ${more} }), last: (id) => text(id, 'last') }`,
      async (call, definitions, warnings) => {
        expect(Object.keys(definitions)).toStrictEqual(['a_b', 'last']);
        expect([await call('a_b'), await call('last')]).toStrictEqual(['ok', 'last']);
        expect(warnings).toStrictEqual([typeof warning === 'string' ? warning : expect.stringMatching(warning)]);
      },
    ),
  ); // prettier-ignore

  test('keeps the first of two tools that have the same name in code but not in themselves', () =>
    withOther("{ 'a-b': (id) => text(id, 'first'), 'a.b': (id) => text(id, 'second') }", async (call, _, warnings) => {
      expect(await call('a_b')).toBe('first');
      expect(warnings).toStrictEqual([
        'the tool "a.b" of the server a is left out: in code it would have the same name as the tool "a-b"',
      ]);
    }));

  test.each([
    ['  "http://localhost:3000/sse"', 'a'],
    ['http://example.com/mcp', 'a'],
    ['wss://example.com', 'a'],
    ['HTTPS://example.com --header x', 'a'],
    ["'file:///tmp/server.mjs'", 'a'],
  ])('whose command is an unusable address never reaches a shell: %s', async (command, name) => {
    const message = /^the server a must be a command, or an address such as /;
    await expect(createMcpServer({ servers: { [name]: command } })).rejects.toThrow(message);
    const { status, stderr } = await spawnNode([BIN, 'mcp', '--server', `${name}=${command}`]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^ses-executor: the server a must be a command, or an address such as /);
  });

  test('has no tools that can only be called as a task', () =>
    withOther(
      "{ ok() {}, task: Object.assign(() => {}, { more: { execution: { taskSupport: 'required' } } }) }",
      async (_, definitions) => expect(Object.keys(definitions)).toStrictEqual(['ok']),
    ));

  test('that lists its tools endlessly is refused', () =>
    withFolder(async (folder) => {
      const script = join(folder, 'server.cjs');
      writeFileSync(script, rawServer('{ ok() {} }').replace('tools: listed', "tools: listed, nextCursor: 'more'"));
      await expect(connectServers([{ name: 'a', command: `"${process.execPath}" "${script}"` }])).rejects.toThrow(
        'the server a cannot be used: it lists its tools on more than 1000 pages',
      );
    }));

  test('that has ended is started again by the next call, but only a few times', () =>
    withOther("{ end: () => process.exit(3), ok: (id) => text(id, 'ok') }", async (call) => {
      const ended = 'the server a has ended (exit code 3); the next call starts it again';
      for (let times = 0; times < 3; times++) {
        expect(await Promise.all([call('end'), call('end')])).toStrictEqual([ended, ended]);
        expect(await Promise.all([call('ok'), call('ok')])).toStrictEqual(['ok', 'ok']);
      }
      expect(await call('end')).toBe(ended);
      expect(await call('ok')).toMatch(
        /^the server a has ended and cannot be started again: it has been started 4 times recently; wait \d+ s$/,
      );
    }));

  // The causes of these errors are of the host's client.
  test('shows code the code and the data of its errors, but no causes', () =>
    withOther(
      `{ fail: (id) => console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no', data: { retryable: true } } })),
        end: () => process.exit(3) }`,
      async (_, definitions) => {
        const seen = {};
        for (const name of ['fail', 'end']) {
          const calling = definitions[name].execute({}, { signal: new AbortController().signal });
          const error = await calling.catch((thrown) => thrown);
          seen[name] = [error.code, errorDetails(error), error.cause !== undefined];
        }
        expect(seen).toStrictEqual({
          fail: [-32000, { data: { retryable: true } }, false],
          end: [undefined, undefined, true],
        });
      },
    ));

  test
    .skipIf(process.platform === 'win32')
    .each([
      'cd "$FOLDER" && "$NODE" server.cjs',
      'NAME=value "$NODE" "$FOLDER/server.cjs"',
      '. /dev/null; "$NODE" "$FOLDER/server.cjs"',
      '(cd "$FOLDER" && "$NODE" server.cjs) 2> /dev/null',
      'sleep 1000 & echo $! > "$FOLDER/sleep"; "$NODE" "$FOLDER/server.cjs"',
      'exec "$NODE" "$FOLDER/server.cjs"',
    ])('may be started by any shell command and ends with all of its processes: %s', (line) =>
    withFolder(async (folder) => {
      const file = join(folder, 'pid');
      writeFileSync(
        join(folder, 'server.cjs'),
        `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid));
        ${rawServer('{ ok() {} }')}`,
      );
      const command = `FOLDER="${folder}" NODE="${process.execPath}"; export FOLDER NODE; ${line}`;
      const [{ definitions, close }] = await connectServers([{ name: 'a', command }]);
      expect(Object.keys(definitions)).toStrictEqual(['ok']);
      await close();
      await expectEnded(file);
      if (line.startsWith('sleep')) await expectEnded(join(folder, 'sleep'));
    }),
  );

  test.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGINT', 'SIGHUP', 'process.exit()'])(
    'that ignores the end of its input ends when its host ends by %s',
    (end) =>
      withFolder(async (folder) => {
        const { command, file } = endlessServer(folder, '{ ok() {} }');
        const host = `require(${JSON.stringify(join(ROOT, 'build/adapters/mcp'))})
          .createMcpServer({ servers: { a: ${JSON.stringify(command)} } })
          .then(() => process.exit());`;
        const isSignal = end.startsWith('SIG');
        const args = isSignal ? [BIN, 'mcp', '--server', `a=${command}`] : ['-e', host];
        const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
        const exited = once(child, 'exit');
        if (isSignal) {
          child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
          await once(child.stdout, 'data');
          child.kill(end);
        }
        expect(await exited).toStrictEqual(isSignal ? [null, end] : [0, null]);
        await expectEnded(file);
      }),
  );

  test.skipIf(process.platform === 'win32')('that cannot be used reports how it ended', async () => {
    await expect(connectServers([{ name: 'a', command: 'exit 7' }])).rejects.toThrow(
      new Error('the server a cannot be used: it has ended (exit code 7)'),
    );
  });
});

describe('progress', () => {
  const SERVER = `
    const write = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const report = (progressToken, more) =>
      write({ method: 'notifications/progress', params: { progressToken, ...more } });
    const work = (id, { progressToken }) => {
      report(progressToken, { progress: 1, total: 3, message: 'reading' });
      setTimeout(() => report(progressToken, { progress: 2, total: 3 }), 150);
      setTimeout(() => report(progressToken, { progress: 2.5 }), 300);
      setTimeout(() => answer(id, { content: [{ type: 'text', text: 'done' }] }), 450);
    };
    const flood = (id, { progressToken }) => {
      for (let progress = 1; progress <= 500; progress++) report(progressToken, { progress });
      // The SDK drops reports that it reads together with the answer.
      setTimeout(() => answer(id, { content: [] }), 150);
    };
    ${rawServer('{ work() {}, flood() {} }').replace('tools[params.name](id)', '({ work, flood })[params.name](id, params._meta)')}`;

  const withProgress = (code, options, more = {}) =>
    withFolder(async (folder) => {
      const script = join(folder, 'server.cjs');
      writeFileSync(script, SERVER);
      return withServer(['--server', `other="${process.execPath}" "${script}"`], async ({ run }) => {
        const reports = [];
        const onprogress = (report) => reports.push(report);
        const { structuredContent } = await run(code, more, { onprogress, ...options });
        return { reports, output: structuredContent.output };
      });
    });

  test('of a tool of another server reaches the client with increasing numbers', async () => {
    const { reports, output } = await withProgress('await other.work()');
    expect(output).toBe('done');
    expect(reports[0]).toStrictEqual({ progress: 1, message: 'other.work: 1/3 reading' });
    expect(reports.at(-1)).toStrictEqual({ progress: reports.length, message: 'other.work: 2.5' });
  });

  test('of several calls in one run has distinct messages', async () => {
    const { reports } = await withProgress('await Promise.all([other.work(), other.flood()])');
    expect(reports.map(({ progress }) => progress)).toStrictEqual(reports.map((_, at) => at + 1));
    const messages = reports.map(({ message }) => message);
    expect(messages.findLast((message) => message.startsWith('other.work'))).toBe('other.work: 2.5');
    expect(messages.findLast((message) => message.startsWith('other.flood'))).toBe('other.flood: 500');
  });

  test('of a server that reports each step is reduced', async () => {
    const { reports } = await withProgress('await other.flood(); await other.work()');
    expect(reports.length).toBeLessThan(100);
    const messages = reports.map(({ message }) => message).filter((message) => message.startsWith('other.flood'));
    expect(messages.at(-1)).toBe('other.flood: 500');
  });

  test('is reported for a silent run, so that the client does not end it', async () => {
    const code = 'await new Promise(() => {})';
    const options = { timeout: 5_800, resetTimeoutOnProgress: true };
    const { reports, output } = await withProgress(code, options, { timeoutMs: 7_500 });
    expect(reports.map(({ message }) => message)).toStrictEqual(['running for 5 s']);
    expect(output).toBe(undefined);
  }, 20_000);

  test('has the lines that code logs, for the call that runs', async () => {
    const gates = [deferred(), deferred()];
    const server = await createMcpServer({ tools: { wait: (n) => gates[n].promise } });
    onTestFinished(() => server.close());
    const [here, there] = InMemoryTransport.createLinkedPair();
    await server.connect(here);
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(there);
    // Each run ends when the client knows what it has logged. The second one is queued meanwhile.
    const reports = await Promise.all(
      gates.map(async (gate, n) => {
        const messages = [];
        const onprogress = ({ message }) => {
          messages.push(message);
          gate.resolve();
        };
        const call = { name: 'run_javascript', arguments: { code: `console.log("run ${n}");\nawait wait(${n})` } };
        await client.callTool(call, undefined, { onprogress });
        return messages;
      }),
    );
    expect(reports).toStrictEqual([['log: run 0'], ['log: run 1']]);
  });

  test('is not sent to a client that did not ask for it', async () => {
    const { output } = await withProgress('await other.work()', { onprogress: undefined });
    expect(output).toBe('done');
  });
});

test('a call of another server may take as long as its run, and ends with it', async () => {
  const command = `"${process.execPath}" "${BIN}" mcp --timeout 600000`;
  const [{ definitions, close }] = await connectServers([{ name: 'a', command }]);
  onTestFinished(close);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const controller = new AbortController();
  const settled = vi.fn();
  const called = definitions.run_javascript.execute(
    { code: 'await new Promise(() => {})' },
    { signal: controller.signal },
  );
  called.then(settled, settled);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(settled).not.toHaveBeenCalled();
  controller.abort(new Error('the run is over'));
  await expect(called).rejects.toThrow('the run is over');
  vi.useRealTimers();
  // The server's session has one run at a time: this one would wait for the first.
  const signal = AbortSignal.timeout(30_000);
  expect(await definitions.run_javascript.execute({ code: '40 + 2' }, { signal })).toMatchObject({ output: 42 });
});

describe('the server process', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
  };
  const callOf = (id, code) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'run_javascript', arguments: { code } },
  });
  const lines = (messages) => messages.map((message) => `${JSON.stringify(message)}\n`).join('');

  test('writes only the protocol to stdout', async () => {
    const child = startServer();
    child.stdin.write(
      lines([initialize, callOf(2, 'console.log("logged"); console.error("failed"); 1'), callOf(3, 'null.x')]),
    );
    const replies = [];
    for await (const line of linesOf(child.stdout)) {
      replies.push(JSON.parse(line));
      if (replies.length === 3) child.stdin.end();
    }
    expect(replies.map(({ jsonrpc, id }) => [jsonrpc, id])).toStrictEqual([
      ['2.0', 1],
      ['2.0', 2],
      ['2.0', 3],
    ]);
    expect(await child.ended).toStrictEqual({ status: 0, signal: null, stderr: '' });
  });

  // A message without a line break would be the beginning of the next message, which the client then cannot read.
  test('redirects output of tools from stdout to stderr', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'tools.mjs');
      const tool = "() => { console.log('called'); process.stdout.write('half a line'); return 1; }";
      writeFileSync(file, `console.log('loaded'); export const print = ${tool};`);
      const child = startServer('--tools', file);
      child.stdin.write(lines([initialize, callOf(2, 'print()')]));
      const replies = [];
      for await (const line of linesOf(child.stdout)) {
        replies.push(JSON.parse(line));
        if (replies.length === 2) child.stdin.end();
      }
      expect(replies[1].result.structuredContent).toStrictEqual({ output: 1, logs: '' });
      expect(await child.ended).toStrictEqual({ status: 0, signal: null, stderr: 'loaded\ncalled\nhalf a line' });
    }));

  // Node.js ends a process by default, and with it all variables of the session.
  test('continues when a tool leaves an unhandled rejection', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'tools.mjs');
      writeFileSync(file, "export const forget = () => { Promise.reject(new Error('not awaited')); return 1; };");
      const child = startServer('--tools', file);
      child.stdin.write(lines([initialize, callOf(2, 'let kept = forget(); kept')]));
      const replies = [];
      for await (const line of linesOf(child.stdout)) {
        replies.push(JSON.parse(line));
        if (replies.length === 2) child.stdin.write(lines([callOf(3, 'kept + 1')]));
        if (replies.length === 3) child.stdin.end();
      }
      expect(replies.slice(1).map(({ result }) => result.structuredContent.output)).toStrictEqual([1, 2]);
      const { stderr, ...ended } = await child.ended;
      expect(ended).toStrictEqual({ status: 0, signal: null });
      expect(stderr).toMatch(/^ses-executor: unhandled rejection: Error: not awaited\n {4}at .*forget/);
    }));

  test('ends with stdin, also during a run', async () => {
    const child = startServer('--timeout', '600000');
    child.stdin.write(lines([initialize, callOf(2, 'await new Promise(() => {})')]));
    for await (const _ of linesOf(child.stdout)) child.stdin.end();
    expect(await child.ended).toStrictEqual({ status: 0, signal: null, stderr: '' });
  });

  test('answers a line that is too long with an error and continues', async () => {
    const child = startServer();
    const code = `/*${'x'.repeat(11 * 2 ** 20)}*/`;
    const { id: _, ...noId } = callOf(2, `'"id":7' ${code}`);
    const last = { method: 'tools/call', params: callOf(4, code).params, jsonrpc: '2.0', id: 'four' };
    child.stdin.write(lines([initialize, callOf(2, code), noId, last, callOf(5, '1 + 1')]));
    const replies = [];
    for await (const line of linesOf(child.stdout)) {
      replies.push(JSON.parse(line));
      if (replies.length === 5) child.stdin.end();
    }
    const error = { code: -32600, message: 'the message is too long: a line may have at most 10485760 bytes' };
    expect(replies.slice(1).map(({ id, error, result }) => [id, error ?? result.structuredContent])).toStrictEqual([
      [2, error],
      [null, error],
      ['four', error],
      [5, { output: 2, logs: '' }],
    ]);
    expect(await child.ended).toStrictEqual({ status: 0, signal: null, stderr: '' });
  });

  test('keeps both ends of a line that is too long, and accepts one of the maximum length', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const transport = new StdioTransport(input, output);
    const methods = [];
    transport.onmessage = ({ method }) => methods.push(method);
    await transport.start();
    const concat = vi.spyOn(Buffer, 'concat');
    onTestFinished(() => concat.mockRestore());
    // 64 MiB without an end, of which the process must not hold more than a line may have, and this chunk.
    const chunk = Buffer.alloc(2 ** 20, 'x');
    for (let i = 0; i < 64; i++) input.emit('data', chunk);
    input.emit('data', Buffer.from('\n'));
    expect(Math.max(...concat.mock.results.map(({ value }) => value.length))).toBeLessThanOrEqual(11 * 2 ** 20);
    expect(JSON.parse(output.read()).error.code).toBe(-32600);
    const lineOf = (length) => {
      const message = { jsonrpc: '2.0', method: 'a', params: { text: '' } };
      message.params.text = 'x'.repeat(length - JSON.stringify(message).length);
      return Buffer.from(`${JSON.stringify(message)}\n`);
    };
    input.emit('data', lineOf(MAX_LINE_BYTES));
    expect([methods, output.read()]).toStrictEqual([['a'], null]);
    input.emit('data', lineOf(MAX_LINE_BYTES + 1));
    expect([methods, JSON.parse(output.read()).error.code]).toStrictEqual([['a'], -32600]);
  });

  test('answers invalid messages as JSON-RPC specifies and continues', async () => {
    const child = startServer();
    const invalid = (more) => ({ jsonrpc: '2.0', ...more });
    const cases = [
      ['nonsense', null, -32700],
      ['{"jsonrpc":"2.0","id":7,"method":"ping"', null, -32700],
      ['"text"', null, -32600],
      ['null', null, -32600],
      ['[]', null, -32600],
      [[invalid({ id: 1, method: 'ping' })], null, -32600],
      [{}, null, -32600],
      [{ id: 7, method: 'ping' }, 7, -32600],
      [{ jsonrpc: '1.0', id: 'seven', method: 'ping' }, 'seven', -32600],
      [invalid({ id: 7 }), 7, -32600],
      [invalid({ id: 7, method: 5 }), 7, -32600],
      [invalid({ method: 5 }), null, -32600],
      [invalid({ id: null, method: 'ping' }), null, -32600],
      [invalid({ id: 1.5, method: 'ping' }), null, -32600],
      [invalid({ id: {}, method: 'ping' }), null, -32600],
      [invalid({ id: 7, method: 'ping', more: 1 }), 7, -32600],
      [invalid({ id: 7, method: 'ping', params: [1] }), 7, -32602],
      [invalid({ id: 7, method: 'ping', params: 'text' }), 7, -32602],
      [invalid({ id: 7, method: 'ping', params: { _meta: 5 } }), 7, -32602],
      [invalid({ id: 7, method: 'initialize' }), 7, -32602],
      [invalid({ id: 7, method: 'tools/call' }), 7, -32602],
      [invalid({ id: 7, method: 'tools/call', params: { name: 5 } }), 7, -32602],
      [invalid({ id: 7, method: 'tools/call', params: { name: 'reset', arguments: [] } }), 7, -32602],
      [invalid({ id: 7, method: 'no/such/method' }), 7, -32601],
    ];
    const text = (message) => (typeof message === 'string' ? message : JSON.stringify(message));
    child.stdin.write(`${cases.map(([message]) => `${text(message)}\n`).join('')}\n \r\n${lines([initialize])}`);
    const replies = [];
    for await (const line of linesOf(child.stdout)) {
      const reply = JSON.parse(line);
      replies.push(reply);
      if (reply.id === 1) child.stdin.end();
    }
    const ofRefused = replies.filter(({ error }) => error !== undefined);
    // Methods are looked up a turn later than lines are read.
    const inOrder = (all) => all.map((one) => JSON.stringify(one)).sort();
    expect(inOrder(ofRefused.map(({ jsonrpc, id, error }) => [jsonrpc, id, error.code]))).toStrictEqual(
      inOrder(cases.map(([, id, code]) => ['2.0', id, code])),
    );
    expect(ofRefused.filter(({ error }) => typeof error.message !== 'string' || error.message === '')).toStrictEqual(
      [],
    );
    expect(ofRefused.find(({ error }) => error.message.includes('params.name')).error.message).toBe(
      'the message is not valid: params.name: Invalid input: expected string, received number',
    );
    expect(replies.length).toBe(cases.length + 1);
    expect(await child.ended).toStrictEqual({ status: 0, signal: null, stderr: '' });
  });

  test('answers no notification and no response, and reports invalid ones on stderr', async () => {
    const child = startServer();
    child.stdin.write(
      lines([
        { jsonrpc: '2.0', method: 'notifications/initialized', params: 'text' },
        { jsonrpc: '2.0', id: 7, result: 5 },
        { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } },
        initialize,
      ]),
    );
    const replies = [];
    for await (const line of linesOf(child.stdout)) {
      replies.push(JSON.parse(line));
      child.stdin.end();
    }
    expect(replies.map(({ id }) => id)).toStrictEqual([1]);
    expect(await child.ended).toStrictEqual({
      status: 0,
      signal: null,
      stderr: expect.stringMatching(
        /^ses-executor: the notification notifications\/initialized is not valid\nses-executor: .*unknown message ID.*\nses-executor: received a response that is not valid\n$/,
      ),
    });
  });

  test('answers thousands of invalid messages without delay', async () => {
    const child = startServer();
    const count = 5_000;
    child.stdin.write(`${'nonsense\n'.repeat(count)}${lines([initialize])}`);
    let refused = 0;
    for await (const line of linesOf(child.stdout)) {
      if (JSON.parse(line).error?.code === -32700) refused++;
      else child.stdin.end();
    }
    expect(refused).toBe(count);
    expect(await child.ended).toStrictEqual({ status: 0, signal: null, stderr: '' });
  });
});

describe('wrong usage: status 2, and the reason on stderr', () => {
  test.each([
    [['--root', '/nowhere/at/all'], 'ses-executor: --root must be a folder, got "/nowhere/at/all"\n'],
    [['--read-only'], 'ses-executor: --read-only needs --root\n'],
    [['--tool-timeout', '0'], 'ses-executor: --tool-timeout must be an integer from 1 to 2147483647, got "0"\n'],
    [['--timeout', 'soon'], 'ses-executor: --timeout must be an integer from 1 to 2147483647, got "soon"\n'],
    [['--memory', '7'], 'ses-executor: --memory must be an integer from 8 to 65536, got "7"\n'],
    [['--json'], 'ses-executor: mcp does not take --json\n'],
    [['file.js'], 'ses-executor: mcp takes no file, got "file.js"\n'],
  ])('for %j', async (args, reason) => {
    const { status, stdout, stderr } = await spawnNode([BIN, 'mcp', ...args]);
    expect({ status, stdout }).toStrictEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/\nRun `ses-executor --help` for usage\.\n$/);
    expect(stderr.slice(0, reason.length)).toBe(reason);
  });

  test('--root with run is refused', async () => {
    const { status, stderr } = await spawnNode([BIN, 'run', '-', '--root', '.'], { input: '1' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^ses-executor: run does not take --root\n/);
  });
});

describe('the example', () => {
  let example;
  beforeAll(async () => {
    example = await spawnNode(['examples/mcp-client.mjs']);
  });

  test('ends successfully', () => {
    expect(example).toMatchObject({ status: 0, signal: null, stderr: '' });
  });

  test('shows the instructions, a file, an error, state and a reset', () => {
    expect(example.stdout).toMatch(/^--- instructions of the server\nUse run_javascript to calculate/);
    expect(example.stdout).toContain('program.length > 0\n--- result\ntrue\n');
    expect(example.stdout).toMatch(/--- error\nERR_RUNTIME_EXCEPTION: .* \(line 3, column 14\)\n/);
    expect(example.stdout).toContain('--- run_javascript\nlines.length\n--- result\n4\n');
    expect(example.stdout).toContain('--- reset\nThe session is empty.\n');
  });

  test('shows a type error, an approval of a plan, and an image', () => {
    expect(example.stdout).toMatch(
      /--- error\nERR_VALIDATION_FAILED: .*'town' does not exist in type '{ city: string; }'/,
    );
    expect(example.stdout).toContain(
      [
        'The plan of the program:',
        'The program can call 1 tool:',
        '- warn: at most 2 times',
        '    line 1: warn({ city: "Lagos" | "Berlin" }) at most 2 times',
        '--- the person approves the plan',
      ].join('\n'),
    );
    expect(example.stdout.match(/--- the person is asked/g)).toHaveLength(1);
    expect(example.stdout).toContain('--- result\n["sent to Lagos","sent to Berlin"]\n');
    expect(example.stdout).toMatch(/--- result\nLagos\n\(image, with the map\)\n\n$/);
  });
});

/** A server to write lines to; `ended` resolves when it has. */
function startServer(...args) {
  const child = spawn(process.execPath, [BIN, 'mcp', ...args]);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  child.ended = new Promise((resolve) => {
    child.on('close', (status, signal) => resolve({ status, signal, stderr }));
  });
  return child;
}

/** Each line of a stream, as soon as it is there. */
async function* linesOf(stream) {
  let rest = '';
  for await (const text of stream.setEncoding('utf8')) {
    const parts = (rest + text).split('\n');
    rest = parts.pop();
    yield* parts;
  }
  expect(rest).toBe('');
}

// Node.js makes no pipes for a process that it has no descriptors for, and the event that tells of it had no listener.
test.runIf(process.platform === 'linux')(
  'a server that cannot be started without file descriptors does not end the process',
  async () => {
    const script = `
    import { closeSync, openSync } from 'node:fs';
    import servers from './build/adapters/mcp/servers.js';
    const open = [];
    try { for (;;) open.push(openSync('/dev/null')); } catch {}
    const failure = await servers.connectServers([{ name: 'other', command: 'cat' }]).catch((error) => error);
    await new Promise(setImmediate);
    for (const descriptor of open) closeSync(descriptor);
    console.log(failure.message);`;
    const node = ['ulimit -Sn 100; exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval', script];
    const { status, stdout, stderr } = await spawnProgram('sh', ['-c', ...node]);
    const message = 'the server other cannot be used: there are no descriptors left for its pipes\n';
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: message, stderr: '' });
  },
);

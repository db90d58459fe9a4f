// `ses-executor mcp --python`, with the client of the official SDK.

import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';

import { createMcpServer } from 'ses-executor/mcp';
import { PyodideExecutor } from 'ses-executor/python';

import { ROOT, withFolder } from '../helpers.mjs';

test('tools of another server whose names are Python keywords can be called from both languages', () =>
  withFolder(async (folder) => {
    const script = join(folder, 'server.cjs');
    writeFileSync(
      script,
      `const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      const tools = ['get', 'del', 'delete'].map((name) => ({ name, inputSchema: { type: 'object' } }));
      const start = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } };
      require('node:readline').createInterface(process.stdin).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (method === 'initialize') answer(id, start);
        if (method === 'tools/list') answer(id, { tools });
        if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: params.name }] });
      });`,
    );
    const args = [join(ROOT, 'bin', 'ses-executor.js'), 'mcp', '--python'];
    args.push('--server', `kv="${process.execPath}" "${script}"`);
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    try {
      const { tools } = await client.listTools();
      const told = tools.map(({ description }) => description.match(/(?<=^def |^)kv\.\w+/gm));
      expect(told).toStrictEqual([['kv.get', 'kv.del', 'kv.delete_'], ['kv.get', 'kv.del_', 'kv.delete_'], null]);
      const output = async (name, code) =>
        (await client.callTool({ name, arguments: { code } })).structuredContent.output;
      expect(await output('run_javascript', '[await kv.del(), await kv.delete_()]')).toStrictEqual(['del', 'delete']);
      expect(await output('run_python', '[kv.del_(), kv.delete_()]')).toStrictEqual(['del', 'delete']);
    } finally {
      await client.close();
    }
  }));

test('run_python is a separate tool with the same functions', () =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, 'a.txt'), 'inside\n');
    writeFileSync(join(folder, 'tools.mjs'), 'export const add = async (a, b) => a + b;');
    writeFileSync(join(folder, 'vars.json'), '{ "n": 2 }');
    const args = [join(ROOT, 'bin', 'ses-executor.js'), 'mcp', '--python', '--root', folder];
    args.push('--tools', join(folder, 'tools.mjs'), '--vars', join(folder, 'vars.json'));
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toStrictEqual(['run_javascript', 'run_python', 'reset']);
      const { description } = tools[1];
      expect(description).toContain('def add(*args, **kwargs): ...');
      expect(description).toContain(
        'These variables are available: n. Apart from the functions, there is no network and no file system. ',
      );
      expect(description).toMatch(/\ndef read\(\*, path: str, /);
      const run = (code) => client.callTool({ name: 'run_python', arguments: { code } });
      const code = 'text = read(path="a.txt")["content"][0].text\nprint(text.strip())\nadd(n, 1)';
      expect((await run(code)).structuredContent).toStrictEqual({ output: 3, logs: 'inside\n' });
      const { isError, structuredContent } = await run('text.nope');
      expect(isError).toBe(true);
      expect(structuredContent.error).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', line: 1, column: 1 });
      await client.callTool({ name: 'reset', arguments: {} });
      expect((await run('text')).structuredContent.error.message).toContain("NameError: name 'text' is not defined");
    } finally {
      await client.close();
    }
  }));

// `--max-operations` limited JavaScript only, and the description spoke of functions where there are none.
test('run_python has the limits of the command line and mentions them', async () => {
  const args = [join(ROOT, 'bin', 'ses-executor.js'), 'mcp', '--python', '--max-operations', '100'];
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  try {
    const { tools } = await client.listTools();
    expect(tools[1].description).toBe(
      'Runs Python, and returns the value of its last expression. print is collected. Variables and functions persist from ' +
        'call to call. There is no network and no file system. The only modules are collections, datetime, itertools, json, ' +
        'math, queue, random, re, stat, statistics, time, unicodedata. A run may take 10000 ms, 100 lines and 128 MiB of ' +
        'memory. `display(value)` shows you an image, audio or a file: its bytes, or a content block. ' +
        '`progress(text, fraction)` tells the user how far the program is.',
    );
    const { structuredContent } = await client.callTool({
      name: 'run_python',
      arguments: { code: 'for i in range(1000):\n    pass' },
    });
    expect(structuredContent.error.code).toBe('ERR_MAX_OPS_EXCEEDED');
  } finally {
    await client.close();
  }
});

// The model was told to write JavaScript.
test('a server with a Python executor has run_python instead of run_javascript', async () => {
  const executor = new PyodideExecutor(['math'], { mount: false });
  const server = await createMcpServer({ executor, tools: { add: (a, b) => a + b } });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  try {
    expect(client.getInstructions()).toMatch(
      /^Use run_python to calculate, .* that the description of run_python declares: /,
    );
    const [{ name, title, description, inputSchema }, reset] = (await client.listTools()).tools;
    expect([name, title]).toStrictEqual(['run_python', 'Run Python']);
    expect(description).toMatch(
      /^Runs Python that can call the functions below, [^]*\n\ndef add\(\*args, \*\*kwargs\): \.\.\.$/,
    );
    expect(inputSchema.properties.code.description).toBe('The program, in Python');
    expect(reset.description).toBe('Forgets all variables and functions that run_python has defined.');
    const { structuredContent } = await client.callTool({ name, arguments: { code: 'add(sum(range(3)), 1)' } });
    expect(structuredContent).toStrictEqual({ output: 4, logs: '' });
  } finally {
    await server.close();
  }
});

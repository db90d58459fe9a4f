// `ses-executor mcp --python`, with the client of the official SDK.

import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';

import { ROOT, withFolder } from '../helpers.mjs';

test('run_python is a tool of its own, with the same functions', () =>
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
      expect(tools.map(({ name }) => name)).toEqual(['run_javascript', 'run_python', 'reset']);
      const { description } = tools[1];
      expect(description).toContain('def add(*args, **kwargs): ...');
      expect(description).toContain(
        'These variables are there: n. Beside the functions there is no network and no file system, ',
      );
      expect(description).toMatch(/\ndef read\(\*, path: str, /);
      const run = (code) => client.callTool({ name: 'run_python', arguments: { code } });
      const code = 'text = read(path="a.txt")["content"][0].text\nprint(text.strip())\nadd(n, 1)';
      expect((await run(code)).structuredContent).toEqual({ output: 3, logs: 'inside\n' });
      const { isError, structuredContent } = await run('text.nope');
      expect(isError).toBe(true);
      expect(structuredContent.error).toMatchObject({ code: 'ERR_RUNTIME_EXCEPTION', line: 1, column: 1 });
      await client.callTool({ name: 'reset', arguments: {} });
      expect((await run('text')).structuredContent.error.message).toContain("NameError: name 'text' is not defined");
    } finally {
      await client.close();
    }
  }));

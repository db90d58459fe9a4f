// The option `--typecheck` of `ses-executor run`, `repl` and `mcp`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';

import { spawnNode, withFolder } from '../helpers.mjs';
import { BIN } from '../adapters/mcp-command.mjs';

const TOOLS = `export const search = {
  inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
  execute: async () => console.error('called'),
};`;
const WRONG = 'await search({ querry: "tin" })';
const MESSAGE = "'querry' does not exist in type '{ query?: string; }'. Did you mean to write 'query'?";

const cli = (args, input) =>
  withFolder((folder) => {
    writeFileSync(join(folder, 'tools.mjs'), TOOLS);
    writeFileSync(join(folder, 'a.py'), '1');
    return spawnNode([BIN, ...args], { cwd: folder, input });
  });

test('run refuses a wrong call before the tool is called', async () => {
  const { status, stderr } = await cli(['run', '-', '--tools', 'tools.mjs', '--typecheck', 'error'], WRONG);
  expect(status).toBe(1);
  expect(stderr).toContain('ERR_VALIDATION_FAILED: Code validation failed\nstdin:1:16: ERROR ');
  expect(stderr).toContain(MESSAGE);
  expect(stderr).not.toContain('called');
});

test('run prints mistakes to stderr and calls the tool with --typecheck warn', async () => {
  const { status, stderr } = await cli(['run', '-', '--tools', 'tools.mjs', '--typecheck', 'warn'], WRONG);
  expect({ status, stderr }).toStrictEqual({ status: 0, stderr: expect.stringMatching(/called/) });
  expect(stderr).toContain(MESSAGE);
});

test.each([[[]], [['--typecheck', 'off']]])('run %j checks no types', async (args) => {
  expect(await cli(['run', '-', '--tools', 'tools.mjs', ...args], WRONG)).toMatchObject({
    status: 0,
    stderr: 'called\n',
  });
});

test('repl refuses a wrong call and knows the types of earlier input', async () => {
  const input = `${WRONG}\nconst rows = [1, 2];\nrows.lenght;\n`;
  const { status, stdout, stderr } = await cli(['repl', '--tools', 'tools.mjs', '--typecheck', 'error'], input);
  expect(status).toBe(0);
  expect(stdout + stderr).toContain(MESSAGE);
  expect(stdout + stderr).toContain("Property 'lenght' does not exist on type 'number[]'. Did you mean 'length'?");
  expect(stderr).not.toContain('called');
});

test('mcp refuses a wrong call', () =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, 'tools.mjs'), TOOLS);
    const client = new Client({ name: 'test', version: '1.0.0' });
    const args = [BIN, 'mcp', '--tools', join(folder, 'tools.mjs'), '--typecheck', 'error'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    const { isError, content } = await client.callTool({ name: 'run_javascript', arguments: { code: WRONG } });
    expect(isError).toBe(true);
    expect(content[0].text).toContain(MESSAGE);
    await client.close();
  }));

test.each([
  [['run', '-', '--typecheck', 'on'], '--typecheck must be one of error, warn, off, got "on"'],
  [['run', 'a.py', '--typecheck', 'error'], '--typecheck is for JavaScript and TypeScript'],
  [['repl', '--python', '--typecheck', 'warn'], '--typecheck is for JavaScript and TypeScript'],
  [['mcp', '--openapi', 'a.yaml', '--typecheck', 'error'], '--openapi and --typecheck cannot be combined'],
  [['check', '-', '--typecheck', 'error'], 'check does not take --typecheck'],
])('%j is wrong usage', async (args, message) => {
  expect(await cli(args, '')).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});

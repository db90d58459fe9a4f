// Front ends for people and models have no limit of operations by default, only of time. Executors keep the
// specification's.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, test } from 'vitest';

import { SESExecutor } from 'ses-executor';
import { createCodeTool } from 'ses-executor/code-tool';
import { SESCodemodeExecutor } from 'ses-executor/codemode';
import { createMcpServer } from 'ses-executor/mcp';
import { PyodideExecutor } from 'ses-executor/python';
import { SmolagentsExecutor } from 'ses-executor/smolagents';

import { expectCode, spawnNode } from '../helpers.mjs';

const LOOP = 'let n = 0; for (let i = 0; i < 1_000_000; i++) n++; n';
const WHILE = 'let m = 0; while (m < 300_000) m++; m';

/** The output of a program of an MCP server, and the description of its tool. */
async function runByMcp(options, code) {
  const server = await createMcpServer(options);
  const client = new Client({ name: 'test', version: '1.0.0' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  const { structuredContent } = await client.callTool({ name: 'run_javascript', arguments: { code } });
  const { tools } = await client.listTools();
  await client.close();
  await server.close();
  return { result: structuredContent, description: tools.find(({ name }) => name === 'run_javascript').description };
}

describe('operations are not limited', () => {
  test.each([
    ['a for loop', LOOP, 1_000_000],
    ['a while loop', WHILE, 300_000],
    ['reduce', 'Array.from({ length: 1_000_000 }, (_, i) => i).reduce((n) => n + 1, 0)', 1_000_000],
  ])('in code tools and codemode: %s', async (_, code, output) => {
    expect((await createCodeTool({ tools: {} }).execute(code)).output).toBe(output);
    expect((await new SESCodemodeExecutor().execute(code, {})).result).toBe(output);
  });

  test('in MCP servers, whose description mentions no limit', async () => {
    const { result, description } = await runByMcp({}, LOOP);
    expect(result).toMatchObject({ output: 1_000_000 });
    expect(description).toMatch(/ A run may take 10000 ms and \d+ MiB of memory\./);
    const limited = await runByMcp({ maxOperations: 1_000 }, LOOP);
    expect(limited.description).toContain(' A run may take 10000 ms, 1000 loop iterations and ');
    expect(limited.result.error.code).toBe('ERR_MAX_OPS_EXCEEDED');
  });

  test('on the command line and in the REPL by default', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ses-executor-limits-'));
    try {
      const file = join(folder, 'a.js');
      writeFileSync(file, LOOP);
      const run = (...args) => spawnNode(['bin/ses-executor.js', 'run', ...args, file]);
      expect(await run()).toMatchObject({ status: 0, stdout: '1000000\n' });
      expect(await run('--max-operations', '1000')).toMatchObject({ status: 1 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('in Python code tools, neither lines nor while loops', async () => {
    const tool = createCodeTool({ language: 'python', tools: {} });
    const code = 'n = 0\nwhile n < 60_000:\n    n += 1\nn';
    expect((await tool.execute(code)).output).toBe(60_000);
  });

  test('in Python executors with Infinity', async () => {
    const python = new PyodideExecutor(undefined, {
      max_operations: Infinity,
      max_while_iterations: Infinity,
      mount: false,
    });
    await python.init();
    expect((await python.run('n = 0\nwhile n < 60_000:\n    n += 1\nn')).output).toBe(60_000);
    await python.cleanup();
  });
});

test('executors, also those of agents, keep the limit of the specification', async () => {
  const executor = new SESExecutor({ autoInit: true });
  const error = await expectCode(executor.run(LOOP), 'ERR_MAX_OPS_EXCEEDED');
  expect(error.details.maxOperations).toBe(50_000);
  await executor.cleanup();
  const agent = new SmolagentsExecutor();
  await expectCode(agent.run(LOOP), 'ERR_MAX_OPS_EXCEEDED');
  await agent.cleanup();
});

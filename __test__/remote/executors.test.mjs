// Other executors on a fleet, by the option alone.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, onTestFinished, test } from 'vitest';

import { createMcpServer } from 'ses-executor/mcp';
import { PyodideExecutor } from '../../build/python/index.js';
import { DurableSession, memoryStore } from '../../build/durable/index.js';
import { rejection } from '../helpers.mjs';
import { managerOf } from '../sandbox/market.mjs';
import { anyState } from '../../build/sandbox/index.js';
import { fleetOfFile, startWorker, until } from './helpers.mjs';

const fleet = fleetOfFile({ args: ['--spares', '0'] });

const place = () => ({ isolation: 'remote', remote: fleet.remote });

test('PyodideExecutor runs Python with tools, variables and errors', async () => {
  const executor = new PyodideExecutor(undefined, place());
  await executor.init();
  await executor.sendTools({ double: (n) => n * 2 });
  await executor.sendVariables({ start: 20 });
  expect((await executor.run('import math\nresult = double(start) + math.floor(2.9)\nresult')).output).toBe(42);
  expect((await rejection(executor.run('1 / 0'))).code).toBe('ERR_RUNTIME_EXCEPTION');
  expect(executor.isolation).toMatchObject({ mode: 'remote', worker: expect.any(String) });
  await executor.cleanup();
}, 120_000);

test('SandboxManager executes programs', async () => {
  const manager = managerOf({ ...place(), stateSchema: anyState });
  expect(await manager.executeSearch("spec.find('candles').length")).toBe(1);
  const call = { source: 'market', method: 'getQuote', params: { symbol: 'XAUUSD' } };
  expect(await manager.executeCode("sdk.market.getQuote({ symbol: 'XAUUSD' })")).toStrictEqual(call);
});

test('an MCP server runs programs with tools', async () => {
  const server = await createMcpServer({ ...place(), tools: { add: (a, b) => a + b } });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => server.close());
  const { content } = await client.callTool({ name: 'run_javascript', arguments: { code: 'add(40, 2)' } });
  expect(content).toStrictEqual([{ type: 'text', text: '42' }]);
  await until(() => fleet.worker.children.length > 0);
});

test('a durable session whose worker is killed is rebuilt on another one', async () => {
  const store = memoryStore();
  const session = await DurableSession.open('s', { store, tools: { pay: () => 7 }, executor: place() });
  await session.run('let n = await pay()');
  const other = await startWorker(fleet.broker.url, { args: ['--spares', '0', '--name', 'other'] });
  fleet.worker.kill('SIGKILL');
  await fleet.worker.ended();
  const outcome = await session.run('n').catch((error) => error);
  // Whether the end of the worker is noticed before the run begins depends on the moment.
  if (outcome instanceof Error) expect(outcome.code).toBe('ERR_WORKER_LOST');
  expect((await session.run('n')).output).toBe(7);
  expect(session.isolation.worker).toBe('other');
  await session.cleanup();
  await until(() => other.children.length === 0);
}, 60_000);

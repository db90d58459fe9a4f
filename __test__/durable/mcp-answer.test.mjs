// Decisions that a client without elicitation passes on with a second call, over stdio, across restarts of the server.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';

import { SESExecutor } from 'ses-executor';
import { createMcpServer } from 'ses-executor/mcp';
import { rejection } from '../helpers.mjs';
import { temporaryFolder } from './helpers.mjs';

const SERVER = fileURLToPath(new URL('fixtures/mcp-server.mjs', import.meta.url));
const CODE = 'const paid = [await charge(5), await pay({ amount: 500 })]; [paid, await ask("Ship?")]';

/** A client of a server process. `decide` replies to elicitations. */
async function connect(folder, { options = { answerByCall: true }, decide } = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SERVER, folder, JSON.stringify(options)],
  });
  const capabilities = decide === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  if (decide !== undefined) client.setRequestHandler(ElicitRequestSchema, decide);
  const closed = new Promise((resolve) => (client.onclose = resolve));
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  const call = (name, args) => client.callTool({ name, arguments: args });
  return {
    tools: tools.map(({ name }) => name),
    run: (code) => call('run_javascript', { code }),
    answer: (key, decision, more) => call('answer', { code: CODE, key, decision, ...more }),
    kill: async () => {
      process.kill(transport.pid, 'SIGKILL');
      await closed;
    },
  };
}

const effectsIn = (folder) => {
  const path = join(folder, 'effects');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const keysOf = ({ structuredContent }) => structuredContent.waiting?.map(({ key }) => key);

test('each decision is a call of `answer`, also in a server process that was started after the program began', async () => {
  const folder = temporaryFolder();
  const first = await connect(folder);
  expect(first.tools).toStrictEqual(['run_javascript', 'answer', 'reset']);
  expect(keysOf(await first.run(CODE))).toStrictEqual(['s/1/2']);
  // The same code alone decides nothing, nor does another key.
  expect(keysOf(await first.run(CODE))).toStrictEqual(['s/1/2']);
  expect(keysOf(await first.answer('s/1/1', 'approve'))).toStrictEqual(['s/1/2']);
  expect(effectsIn(folder)).toStrictEqual(['charge s/1/1']);
  await first.kill();

  const second = await connect(folder);
  expect(keysOf(await second.answer('s/1/2', 'approve'))).toStrictEqual(['s/1/3']);
  expect(effectsIn(folder)).toStrictEqual(['charge s/1/1', 'pay s/1/2']);
  const { structuredContent } = await second.answer('s/1/3', 'answer', { answer: 'yes' });
  expect(structuredContent).toStrictEqual({ output: [[5, 500], 'yes'], logs: '' });
  expect(effectsIn(folder)).toStrictEqual(['charge s/1/1', 'pay s/1/2']);
  const late = await second.answer('s/1/3', 'answer', { answer: 'no' });
  expect([late.isError, late.structuredContent.error.code]).toStrictEqual([true, 'ERR_INVALID_STATE']);
});

test('a refusal makes the call fail after a restart, and its tool is not called', async () => {
  const folder = temporaryFolder();
  const first = await connect(folder);
  await first.run(CODE);
  await first.kill();
  const second = await connect(folder);
  const { isError, structuredContent } = await second.answer('s/1/2', 'refuse');
  expect([isError, structuredContent.error.code]).toStrictEqual([true, 'ERR_TOOL_PROXY_FAIL']);
  expect(structuredContent.error.message).toContain('a person has refused this call');
  expect(effectsIn(folder)).toStrictEqual(['charge s/1/1']);
});

test('a client that can ask the person decides nothing with `answer`', async () => {
  const folder = temporaryFolder();
  const { run, answer } = await connect(folder, { decide: () => ({ action: 'cancel' }) });
  expect(keysOf(await run(CODE))).toStrictEqual(['s/1/2']);
  const refused = await answer('s/1/2', 'approve');
  expect(refused.content[0].text).toBe(
    'this client asks the user itself: send the same code to run_javascript to be asked again',
  );
  expect([refused.isError, effectsIn(folder)]).toStrictEqual([true, ['charge s/1/1']]);
});

test('a server without answerByCall has no tool `answer`', async () => {
  const { tools, answer } = await connect(temporaryFolder(), { options: {} });
  expect(tools).toStrictEqual(['run_javascript', 'reset']);
  expect((await answer('s/1/2', 'approve')).content[0].text).toContain('Tool answer not found');
});

test('answerByCall must be a boolean, and needs a durable session', async () => {
  const messages = [];
  for (const options of [
    { answerByCall: 1 },
    { answerByCall: true },
    { answerByCall: true, executor: new SESExecutor() },
  ]) {
    messages.push((await rejection(createMcpServer(options))).message);
  }
  const noSession = 'options.answerByCall needs a DurableSession as options.executor: nothing else waits';
  expect(messages).toStrictEqual(['options.answerByCall must be a boolean, got 1', noSession, noSession]);
});

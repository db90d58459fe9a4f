// Tools of MCP servers, as the clients of the frameworks bring them: one shape for results, and thrown errors.

import { DynamicStructuredTool } from '@langchain/core/tools';
import { createTool as mastraTool } from '@mastra/core/tools';
import { MCPServerStdio, RunContext, getAllMcpTools } from '@openai/agents';
import { dynamicTool, jsonSchema } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createCodeTool as aiCodeTool } from 'ses-executor/ai';
import { createCodeTool as langchainCodeTool } from 'ses-executor/langchain';
import { createMcpServer } from 'ses-executor/mcp';
import { createCodeTool as mastraCodeTool } from 'ses-executor/mastra';
import { createCodeTool as openAiCodeTool } from 'ses-executor/openai-agents';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';

import { MESSAGES, RESULTS, VALUES } from './fixtures/mcp-results.mjs';

const SERVER = '__test__/adapters/fixtures/mcp-server.mjs';
const SCHEMA = { type: 'object', properties: { result: { type: 'string' } }, required: ['result'] };

/** The blocks and artifacts that `@langchain/mcp-adapters` makes of a result. */
function langchainOutput({ content, structuredContent, isError }) {
  if (isError) {
    const texts = content.map(({ text = '' }) => text).join('\n');
    const message = `MCP tool 'answer' on server 'results' returned an error: ${texts}`;
    throw Object.assign(new Error(message), { name: 'ToolException' });
  }
  const blocks = content.map((block) =>
    block.type === 'image'
      ? { type: 'image_url', image_url: { url: `data:${block.mimeType};base64,${block.data}` } }
      : block,
  );
  const artifacts = structuredContent ? [{ type: 'mcp_structured_content', data: structuredContent }] : [];
  if (blocks.length !== 1 || blocks[0].type !== 'text') return [blocks, artifacts];
  return structuredContent ? [[{ ...blocks[0], structuredContent }], artifacts] : [blocks[0].text, artifacts];
}

const closing = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** A program that gives its value as JSON: images would be taken out of an output. */
const asJson = (code) => `JSON.stringify(await (async () => { ${code} })())`;

/** Each entry resolves to a function that runs code which can call `answer`, and that resolves to the output. */
const CLIENTS = {
  'the AI SDK': async () => {
    const answer = dynamicTool({
      inputSchema: jsonSchema(SCHEMA),
      execute: async ({ result }) => ({ isError: false, ...RESULTS[result] }),
    });
    const tool = aiCodeTool({ tools: { answer } });
    return async (code) =>
      JSON.parse((await tool.execute({ code: asJson(code) }, { toolCallId: '1', messages: [] })).output);
  },
  LangChain: async () => {
    const answer = new DynamicStructuredTool({
      name: 'answer',
      description: '',
      schema: SCHEMA,
      responseFormat: 'content_and_artifact',
      metadata: { annotations: undefined },
      func: async ({ result }) => langchainOutput(RESULTS[result]),
    });
    const tool = langchainCodeTool({ tools: [answer] });
    return async (code) => JSON.parse(await tool.invoke({ code: asJson(code) }));
  },
  Mastra: async () => {
    const answer = mastraTool({
      id: 'answer',
      description: '',
      inputSchema: undefined,
      execute: async ({ result }) => {
        const { structuredContent, isError } = RESULTS[result];
        return isError || structuredContent === undefined ? RESULTS[result] : structuredContent;
      },
    });
    const tool = mastraCodeTool({ tools: { answer } });
    return async (code) => JSON.parse((await tool.execute({ code: asJson(code) }, {})).output);
  },
  'OpenAI Agents': async () => {
    const server = new MCPServerStdio({ name: 'results', command: process.execPath, args: [SERVER] });
    await server.connect();
    closing.push(() => server.close());
    const tool = openAiCodeTool({ tools: await getAllMcpTools([server]) });
    return async (code) => {
      const input = JSON.stringify({ code: asJson(code) });
      return JSON.parse(await tool.invoke(new RunContext({}), input));
    };
  },
  'mcp --server': async () => {
    const server = await createMcpServer({ servers: { results: `"${process.execPath}" ${SERVER}` } });
    const client = new Client({ name: 'test', version: '1.0.0' });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(ours), client.connect(theirs)]);
    closing.push(() => server.close());
    return async (code) => {
      const text = `const answer = (input) => results.answer(input); ${asJson(code)}`;
      const { structuredContent } = await client.callTool({ name: 'run_javascript', arguments: { code: text } });
      if (structuredContent.error) throw new Error(structuredContent.error.message);
      return JSON.parse(structuredContent.output);
    };
  },
};

describe.each(Object.keys(CLIENTS))('a tool of an MCP server, provided by %s', (name) => {
  let run;
  beforeAll(async () => {
    run = await CLIENTS[name]();
  });

  test.each(Object.entries(VALUES))('returns the same shape everywhere: %s', async (result, value) => {
    expect(await run(`return await answer({ result: ${JSON.stringify(result)} })`)).toStrictEqual(value);
  });

  test.each(Object.entries(MESSAGES))('throws an error: %s', async (result, message) => {
    const code = `try { return { output: await answer({ result: ${JSON.stringify(result)} }) } } catch ({ message, data }) { return { message, data } }`;
    const prefix = name === 'LangChain' ? "MCP tool 'answer' on server 'results' returned an error: " : '';
    // The client of LangChain drops the data.
    const data = name === 'LangChain' ? undefined : RESULTS[result].structuredContent;
    expect(await run(code)).toStrictEqual({ message: `${prefix}${message}`, ...(data !== undefined && { data }) });
  });
});

test.each([
  ['content that is not a list of blocks', { content: 'text' }],
  ['a block of no known kind', { content: [{ type: 'text', value: 1 }] }],
  ['another property', { content: [{ type: 'text', text: '{}' }], id: 1 }],
  ['nothing', {}],
  ['an empty list as the only property', { content: [] }],
])('a value that merely resembles a result is returned unchanged: %s', async (_, value) => {
  const answer = dynamicTool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => value });
  const tool = aiCodeTool({ tools: { answer } });
  const { output } = await tool.execute({ code: 'await answer({})' }, { toolCallId: '1', messages: [] });
  expect(output).toStrictEqual(value);
});

// Images, audio and files that code shows: in the code tool, in the real frameworks, and in an MCP server.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Anthropic from '@anthropic-ai/sdk';
import { createTool as mastraTool } from '@mastra/core/tools';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Agent, Runner, Usage } from '@openai/agents';
import * as ai6 from 'ai';
import * as mocks6 from 'ai/test';
import * as ai5 from 'ai-v5';
import * as mocks5 from 'ai-v5/test';
import * as ai7 from 'ai-v7';
import * as mocks7 from 'ai-v7/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { SESExecutor } from 'ses-executor';
import { createBrowserCodeTool } from '@cloudflare/codemode/browser';
import { EventType, chat, toolDefinition } from '@tanstack/ai';
import { createCodeMode } from '@tanstack/ai-code-mode';

import { createCodeTool as aiCodeTool } from 'ses-executor/ai';
import { createCodeTool as anthropicCodeTool } from 'ses-executor/anthropic';
import { createCodeTool } from 'ses-executor/code-tool';
import { CodemodeRuntime, SESCodemodeExecutor, withContent as codemodeWithContent } from 'ses-executor/codemode';
import { DurableSession, memoryStore, waitForAnswer } from 'ses-executor/durable';
import { createCodeTool as langchainCodeTool } from 'ses-executor/langchain';
import { createCodeTool as mastraCodeTool } from 'ses-executor/mastra';
import { createCodeTool as openAiCodeTool } from 'ses-executor/openai-agents';
import { PyodideExecutor } from 'ses-executor/python';
import { createSESIsolateDriver, withContent as tanstackWithContent } from 'ses-executor/tanstack-ai';

import { ProgressLine } from '../../build/adapters/cli/progress-line.js';
import { ROOT, spawnNode, withExecutor, withFolder } from '../helpers.mjs';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' };
const PDF = Buffer.from('%PDF-1.7').toString('base64');
const WAV = Buffer.from('RIFF\x04\0\0\0WAVE').toString('base64');
const SHOWN_PDF = {
  type: 'resource',
  resource: { uri: 'display:///2.pdf', mimeType: 'application/pdf', blob: PDF },
};
const AUDIO = { type: 'audio', data: WAV, mimeType: 'audio/wav' };
const tools = {
  photo: { execute: () => IMAGE },
  report: { execute: () => new Uint8Array(Buffer.from(PDF, 'base64')) },
  sound: { execute: () => ({ type: 'audio', data: WAV, mimeType: 'audio/wav' }) },
};
/** Shows text and an image, and fails. */
const FAILING = 'display("seen"); display(await photo()); throw new Error("late")';
/** What the model reads of it where failures are text. */
const FAILURE_TEXT =
  /^(?:CodeToolError: )?ERR_RUNTIME_EXCEPTION: Runtime exception: late [^]*\n\nShown before the failure:\nseen\n\[image\/png, 70 bytes, which cannot be shown here\]\nTo show a file, show it in a program that does not fail\.$/;
/** Shows three parts, and has a value. */
const CODE = 'display(await photo()); display(await report()); display(await sound()); 5';

describe.each(['thread', 'process'])('code in a %s', (isolation) => {
  test('shows content, in order and next to its output', async () => {
    const { execute } = createCodeTool({ tools, isolation });
    expect(await execute(CODE)).toStrictEqual({ output: 5, logs: '', text: '5', content: [IMAGE, SHOWN_PDF, AUDIO] });
    expect(await execute('display("text"); await display({ a: [1] }); const x = 1')).toMatchObject({
      content: [
        { type: 'text', text: 'text' },
        { type: 'text', text: '{"a":[1]}' },
      ],
    });
  });

  test('in Python too', async () => {
    const { execute } = createCodeTool({ tools, isolation, language: 'python' });
    expect(await execute('display(photo())\ndisplay(report())\ndisplay(sound())\n5')).toStrictEqual({
      output: 5,
      logs: '',
      text: '5',
      content: [IMAGE, SHOWN_PDF, AUDIO],
    });
    expect((await execute('final_answer(photo())')).content).toStrictEqual([IMAGE]);
  });
});

describe('the code tool', () => {
  test('removes content from the output, also from a final answer', async () => {
    const { execute } = createCodeTool({ tools });
    const text = '[image/png, 70 bytes]';
    for (const code of ['await photo()', 'final_answer(await photo())', 'return (await photo())']) {
      expect(await execute(code)).toStrictEqual({ output: text, logs: '', text, content: [IMAGE] });
    }
    expect(await execute('({ city: "Oslo", photo: await photo() })')).toMatchObject({
      output: { city: 'Oslo', photo: text },
      content: [IMAGE],
    });
    expect(await execute('[1]')).not.toHaveProperty('content');
  });

  test('has what code has shown before it failed', async () => {
    const { execute } = createCodeTool({ tools });
    const { error, content } = await execute('display(await photo()); throw new Error("late")');
    expect(error.message).toContain('late');
    expect(content).toStrictEqual([IMAGE]);
  });

  test('fails the call that shows too much', async () => {
    const { execute } = createCodeTool({ tools });
    const { error, content } = await execute('const it = await photo(); for (let i = 0; i < 21; i++) display(it)');
    expect(error).toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', message: expect.stringContaining('at most 20 parts') });
    expect(content.length).toBe(20);
  });

  test('shows a blob as what its bytes are', async () => {
    await withExecutor({ globals: ['fetch'] }, {}, async (executor) => {
      const { execute } = createCodeTool({ tools, executor });
      const code = `const bytes = Uint8Array.from(atob('${PNG}'), (char) => char.charCodeAt(0));
        display(new Blob([bytes]));
        display(new File([bytes], 'a.png', { type: 'image/png' }));
        display(await new Response(bytes).blob());
        display(new Blob(['%PDF-', '1.7']))`;
      const { content } = await execute(code);
      expect(content).toStrictEqual([IMAGE, IMAGE, IMAGE, expect.objectContaining({ type: 'resource' })]);
      expect(content[3].resource).toMatchObject({ mimeType: 'application/pdf', blob: PDF });
    });
  });

  test.each(['tools', 'variables', 'own declarations'])('leaves the name `display` to %s', async (whose) => {
    await withExecutor({}, {}, async (executor) => {
      if (whose === 'variables') await executor.sendVariables({ display: 'mine' });
      const own = whose === 'tools' ? { display: () => 'mine' } : {};
      const { execute, description } = createCodeTool({ tools: own, executor });
      expect(description.includes('`display(value)` shows')).toBe(whose === 'own declarations');
      if (whose === 'own declarations') await execute('function display() { return "mine" }');
      const code = { tools: 'await display()', variables: 'display', 'own declarations': 'display()' }[whose];
      expect(await execute(code)).toStrictEqual({ output: 'mine', logs: '', text: 'mine' });
    });
  });

  test('keeps names for programs that use them as variables', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { execute } = createCodeTool({ tools: {}, executor });
      for (const code of ['let progress = 0; const outputs = [1]', 'progress += 5; outputs.push(2); progress']) {
        expect(await execute(code)).not.toHaveProperty('error');
      }
      expect(await execute('[progress, outputs]')).toStrictEqual({ output: [5, [1, 2]], logs: '', text: '[5,[1,2]]' });
    });
  });

  test('asks nobody about it, and plans do not contain it', async () => {
    const asked = [];
    await withExecutor({ onToolCall: ({ name }) => void asked.push(name) }, {}, async (executor) => {
      const { execute, plan } = createCodeTool({ tools, executor, enforcePlan: true });
      const code = 'display(await photo()); progress("half", 0.5)';
      expect((await plan(code)).tools.map(({ name }) => name)).toStrictEqual(['photo']);
      expect((await execute(code)).content).toStrictEqual([IMAGE]);
      expect(asked).toStrictEqual(['photo']);
    });
  });

  test('passes the type check of programs that use it', async () => {
    const { execute } = createCodeTool({ tools, typecheck: 'error' });
    expect((await execute('display(await photo()); progress("a", 0.1); 5')).content).toStrictEqual([IMAGE]);
  });

  test('reports what code says about its progress', async () => {
    const seen = [];
    const { execute } = createCodeTool({ tools: {} });
    const code = 'progress("a".repeat(2000), 0.25); progress("next"); progress("bad", 5)';
    await execute(code, { onProgress: (progress) => seen.push(progress) });
    expect(seen[0]).toStrictEqual({ logs: '', calls: 0, running: [], message: 'a'.repeat(1_000), fraction: 0.25 });
    expect(await execute('progress("nobody listens"); 1')).toStrictEqual({ output: 1, logs: '', text: '1' });
  });
});

describe('a durable session', () => {
  const options = () => ({ store: memoryStore(), tools: { ask: async () => waitForAnswer() } });

  test('shows everything once, with the end of the program, also after a restart', async () => {
    const own = options();
    let photos = 0;
    const shown = { photo: { execute: () => (photos++, IMAGE) } };
    const code = 'display(await photo()); const answer = await ask(); display("after " + answer); answer';
    const first = await DurableSession.open('one', own);
    const waiting = await createCodeTool({ tools: shown, executor: first }).execute(code);
    expect(waiting).toMatchObject({ waiting: [{ name: 'ask' }] });
    expect(waiting).not.toHaveProperty('content');
    await first.cleanup();
    const second = await DurableSession.open('one', own);
    const answer = ([{ key }]) => ({ [key]: { result: 'yes' } });
    expect(await createCodeTool({ tools: shown, executor: second }).execute(code, { answer })).toStrictEqual({
      output: 'yes',
      logs: '',
      text: 'yes',
      content: [IMAGE, { type: 'text', text: 'after yes' }],
    });
    expect(photos).toBe(1);
    await second.cleanup();
  });
});

describe('a long output', () => {
  test('is kept in the session, where later code reads, pages and searches it', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { execute } = createCodeTool({ tools: {}, executor, maxOutputChars: 200 });
      const { text } = await execute('Array.from({ length: 500 }, (_, n) => `row ${n}`).join("\\n")');
      expect(text).toContain('characters of the output; later code gets all of it from outputs.get("o1") ...]');
      const page = 'outputs.get("o1").split("\\n").slice(300, 302)';
      expect((await execute(page)).output).toStrictEqual(['row 300', 'row 301']);
      expect(
        (await execute('(await outputs.get("o1")).split("\\n").filter((it) => /49$/.test(it))')).output,
      ).toStrictEqual(
        ['row 49', 'row 149', 'row 249', 'row 349', 'row 449'], // prettier-ignore
      );
      expect((await execute('({ rows: Array(5_000).fill({ a: 1 }) })')).text).toContain('outputs.get("o2")');
      expect((await execute('outputs.get("o2").rows.length')).output).toBe(5_000);
      expect((await execute('console.log("x".repeat(900)); 1')).logs).toContain('from outputs.get("o3")');
      expect((await execute('outputs.get("o3").length')).output).toBe(900);
      expect((await execute('outputs.get("o9")')).error.message).toContain(
        'RangeError: this output is not kept; the kept ones are o1, o2, o3',
      );
    });
  });

  test('is not kept where calls share no session, or the name has another meaning', async () => {
    const code = '"x".repeat(1000)';
    const advice = /of the output; return a part, a count or a summary/;
    expect((await createCodeTool({ tools: {}, maxOutputChars: 100 }).execute(code)).text).toMatch(advice);
    await withExecutor({}, {}, async (executor) => {
      const outputs = { list: () => 1 };
      expect((await createCodeTool({ tools: { outputs }, executor, maxOutputChars: 100 }).execute(code)).text).toMatch(
        advice,
      );
    });
  });

  test('of one session is not available in another one', async () => {
    const executors = [new SESExecutor(), new SESExecutor()];
    const { execute } = createCodeTool({ tools: {}, executor: (of) => executors[of], maxOutputChars: 100 });
    await execute('"x".repeat(1000)', { context: 0 });
    expect((await execute('outputs.get("o1")', { context: 1 })).error.message).toContain('this output is not kept');
    expect((await execute('outputs.get("o1").length', { context: 0 })).output).toBe(1_000);
    for (const executor of executors) await executor.cleanup();
  });

  test('is read in Python too', async () => {
    const executor = new PyodideExecutor([], { mount: false });
    const { execute } = createCodeTool({ tools: {}, executor, maxOutputChars: 100 });
    expect((await execute('"x" * 1000')).text).toContain('later code gets all of it from outputs.get("o1")');
    expect((await execute('len(outputs.get("o1"))')).output).toBe(1_000);
    await executor.cleanup();
  });
});

const SDKS = {
  5: { ...ai5, Model: mocks5.MockLanguageModelV2, reason: (it) => it, usage: {} },
  6: { ...ai6, Model: mocks6.MockLanguageModelV3, reason: (unified) => ({ unified }) },
  7: { ...ai7, Model: mocks7.MockLanguageModelV4, reason: (unified) => ({ unified }) },
};

test.each([
  [5, { type: 'media', data: PNG, mediaType: 'image/png' }, { type: 'media', data: PDF, mediaType: 'application/pdf' }],
  [
    6,
    { type: 'image-data', data: PNG, mediaType: 'image/png' },
    { type: 'file-data', data: PDF, mediaType: 'application/pdf', filename: '2.pdf' },
  ],
  [
    7,
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
    { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: PDF }, filename: '2.pdf' },
  ],
])('the model of AI SDK %s gets images and files as parts of the tool result', async (version, image, pdf) => {
  const { Model, reason, generateText, stepCountIs, ...others } = SDKS[version];
  const { usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } } } = others;
  const prompts = [];
  const turns = [{ code: CODE }, { code: '1 + 1' }, { code: FAILING }, {}];
  const model = new Model({
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt);
      const { code } = turns[prompts.length - 1];
      const input = JSON.stringify({ code });
      const call = { type: 'tool-call', toolCallId: `call-${prompts.length}`, toolName: 'code', input };
      return {
        content: code === undefined ? [{ type: 'text', text: 'done' }] : [call],
        finishReason: reason(code === undefined ? 'stop' : 'tool-calls'),
        usage,
        warnings: [],
      };
    },
  });
  const warnings = [];
  globalThis.AI_SDK_LOG_WARNINGS = (it) => warnings.push(it);
  const { steps } = await generateText({
    model,
    tools: { code: aiCodeTool({ tools: CODE_FUNCTIONS }) },
    stopWhen: stepCountIs(4),
    prompt: 'go',
  });
  delete globalThis.AI_SDK_LOG_WARNINGS;
  expect(warnings).toStrictEqual([]);
  expect(steps[0].toolResults[0].output).toStrictEqual({ output: 5, logs: '', content: [IMAGE, SHOWN_PDF, AUDIO] });
  const resultIn = (prompt) => prompt.at(-1).content[0].output;
  const { type, value } = resultIn(prompts[1]);
  expect(type).toBe('content');
  expect(value[0]).toStrictEqual({ type: 'text', text: '{"output":5,"logs":""}' });
  expect(value[1]).toMatchObject(image);
  expect(value[2]).toMatchObject(pdf);
  expect(value[3].mediaType).toBe('audio/wav');
  // Without content, the result is the one that the SDK makes itself.
  expect(resultIn(prompts[2])).toMatchObject({ type: 'json', value: { output: 2, logs: '' } });
  // A failure of the SDK is text.
  expect(resultIn(prompts[3])).toStrictEqual({ type: 'error-text', value: expect.stringMatching(FAILURE_TEXT) });
});

/** The tools as functions. */
const CODE_FUNCTIONS = Object.fromEntries(Object.entries(tools).map(([name, { execute }]) => [name, execute]));

/** What the model of OpenAI Agents gets for a program. */
async function openAiOutput(program) {
  let result;
  const call = {
    type: 'function_call',
    callId: '1',
    name: 'run_javascript',
    arguments: JSON.stringify({ code: program }),
  };
  const outputs = [
    call,
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] },
  ];
  const getResponse = async ({ input }) => {
    result = input.at(-1).output;
    return { usage: new Usage(), output: [outputs.shift()] };
  };
  const code = openAiCodeTool({ tools });
  const agent = new Agent({ name: 'a', instructions: 'a', model: { getResponse }, tools: [code] });
  await new Runner({ tracingDisabled: true }).run(agent, 'go');
  return result;
}

test('the model of OpenAI Agents gets images and PDF files as parts of the output', async () => {
  expect(await openAiOutput(CODE)).toStrictEqual([
    { type: 'input_text', text: '5' },
    { type: 'input_image', image: `data:image/png;base64,${PNG}` },
    { type: 'input_file', file: `data:application/pdf;base64,${PDF}`, filename: '2.pdf' },
    { type: 'input_text', text: '[audio/wav, 12 bytes, which cannot be shown here]' },
  ]);
});

test('the model of OpenAI Agents gets what code has shown before it failed', async () => {
  expect(await openAiOutput(FAILING)).toStrictEqual([
    {
      type: 'input_text',
      text: expect.stringMatching(/^ERR_RUNTIME_EXCEPTION: Runtime exception: late (?!.*Shown before)/s),
    },
    { type: 'input_text', text: 'seen' },
    { type: 'input_image', image: `data:image/png;base64,${PNG}` },
  ]);
});

/** What the model of Anthropic's runner gets for a program. */
async function anthropicResult(program) {
  let result;
  const contents = [
    [{ type: 'tool_use', id: 'call-1', name: 'run_javascript', input: { code: program } }],
    [{ type: 'text', text: 'done' }],
  ];
  const client = new Anthropic({
    apiKey: 'none',
    fetch: async (_, { body }) => {
      result = JSON.parse(body).messages.at(-1).content;
      const content = contents.shift();
      const usage = { input_tokens: 0, output_tokens: 0 };
      const stop = content[0].type === 'text' ? 'end_turn' : 'tool_use';
      const about = { id: '1', type: 'message', role: 'assistant', model: 'scripted' };
      return Response.json({ ...about, content, stop_reason: stop, usage });
    },
  });
  await client.beta.messages.toolRunner({
    model: 'scripted',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'go' }],
    tools: [anthropicCodeTool({ tools })],
  });
  return result;
}

test("the model of Anthropic's runner gets images and documents as blocks of the tool result", async () => {
  expect(await anthropicResult(CODE)).toStrictEqual([
    {
      type: 'tool_result',
      tool_use_id: 'call-1',
      content: [
        { type: 'text', text: '5' },
        { type: 'image', source: { type: 'base64', data: PNG, media_type: 'image/png' } },
        { type: 'document', title: '2.pdf', source: { type: 'base64', data: PDF, media_type: 'application/pdf' } },
        { type: 'text', text: '[audio/wav, 12 bytes, which cannot be shown here]' },
      ],
    },
  ]);
});

test("the model of Anthropic's runner reads what code has shown before it failed: its API refuses other parts", async () => {
  const [{ is_error: isError, content }, ...others] = await anthropicResult(FAILING);
  expect([isError, others]).toStrictEqual([true, []]);
  expect(content.replace(/^Error: /, '')).toMatch(FAILURE_TEXT);
});

test('a message of LangChain has images, audio and files as content blocks, also of code that failed', async () => {
  const code = langchainCodeTool({ tools });
  const call = (program) => ({ type: 'tool_call', id: '1', name: 'run_javascript', args: { code: program } });
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
  const { content, status } = await code.invoke(call(CODE));
  expect(status).toBe('success');
  expect(content).toStrictEqual([
    { type: 'text', text: '5' },
    image,
    {
      type: 'file',
      source_type: 'base64',
      mime_type: 'application/pdf',
      data: PDF,
      metadata: { filename: '2.pdf' },
    },
    { type: 'audio', source_type: 'base64', mime_type: 'audio/wav', data: WAV },
  ]);
  const failed = await code.invoke(call('display(await photo()); fail()'));
  expect([failed.status, failed.content[1]]).toStrictEqual(['error', image]);
  expect((await code.invoke(call('1 + 1'))).content).toBe('2');
});

test('the model of Mastra gets images and files as parts of the tool result', async () => {
  const prompts = [];
  const { Model, reason } = SDKS[5];
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const turns = [{ code: CODE }, { code: FAILING }, {}];
  const model = new Model({
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt);
      const { code } = turns[prompts.length - 1];
      const call = { type: 'tool-call', toolCallId: 'call-1', toolName: 'code', input: JSON.stringify({ code }) };
      return {
        content: code === undefined ? [{ type: 'text', text: 'done' }] : [call],
        finishReason: reason(code === undefined ? 'stop' : 'tool-calls'),
        usage,
        warnings: [],
      };
    },
  });
  const photo = mastraTool({ id: 'photo', description: '', inputSchema: z.object({}), execute: async () => IMAGE });
  const code = mastraCodeTool({ tools: { ...tools, photo } });
  const agent = new MastraAgent({ id: 'a', name: 'a', instructions: 'a', model, tools: { code } });
  const { text } = await agent.generate('go', { maxSteps: 3 });
  expect(text).toBe('done');
  const { output } = prompts[1].at(-1).content[0];
  expect(output.type).toBe('content');
  expect(output.value).toMatchObject([
    { type: 'text', text: '{"output":5,"logs":""}' },
    { type: 'media', data: PNG, mediaType: 'image/png' },
    { type: 'media', data: PDF, mediaType: 'application/pdf' },
    { type: 'media', data: WAV, mediaType: 'audio/wav' },
  ]);
  const failed = prompts[2].at(-1).content.at(-1).output;
  expect(failed).toStrictEqual({ type: 'error-text', value: expect.stringMatching(FAILURE_TEXT) });
});

describe('the code mode of TanStack AI', () => {
  const photo = toolDefinition({ name: 'photo', description: 'A photo.', inputSchema: z.object({}) }).server(
    async () => IMAGE,
  );
  const tool = () => createCodeMode({ driver: createSESIsolateDriver(), tools: [photo], transpile: (it) => it }).tool;
  const image = { type: 'image', source: { type: 'data', value: PNG, mimeType: 'image/png' } };
  const program = `display(await external_photo({})); display(new Uint8Array([37, 80, 68, 70, 45])); return 5;`;

  test('passes images and files to its model as content parts', async () => {
    const turns = [program, undefined];
    let seen;
    const adapter = {
      kind: 'text',
      name: 'scripted',
      model: 'scripted',
      async *chatStream({ messages }) {
        seen = messages;
        const code = turns.shift();
        const run = { runId: 'run', threadId: 'thread' };
        yield { type: EventType.RUN_STARTED, ...run };
        if (code !== undefined) {
          const input = { typescriptCode: code };
          yield { type: EventType.TOOL_CALL_START, toolCallId: '1', toolCallName: 'execute_typescript' };
          yield { type: EventType.TOOL_CALL_ARGS, toolCallId: '1', delta: JSON.stringify(input) };
          yield { type: EventType.TOOL_CALL_END, toolCallId: '1', input };
        }
        yield { type: EventType.RUN_FINISHED, ...run, finishReason: code === undefined ? 'stop' : 'tool_calls' };
      },
    };
    const messages = [{ role: 'user', content: 'go' }];
    for await (const _ of chat({ adapter, messages, tools: [tanstackWithContent(tool())] }));
    expect(seen.find(({ role }) => role === 'tool').content).toStrictEqual([
      { type: 'text', content: '{"success":true,"result":5,"logs":[]}' },
      image,
      { type: 'document', source: { type: 'data', value: 'JVBERi0=', mimeType: 'application/pdf' } },
    ]);
  });

  test('returns the result of code mode if there is no content, and the image as data without `withContent`', async () => {
    const given = await tanstackWithContent(tool()).execute({ typescriptCode: 'return { a: 1 };' }, {});
    expect(given).toStrictEqual({ success: true, result: { a: 1 }, logs: [] });
    const returned = await tanstackWithContent(tool()).execute(
      { typescriptCode: 'return { photo: await external_photo({}) };' },
      {},
    );
    const result = '{"success":true,"result":{"photo":"[image/png, 70 bytes]"},"logs":[]}';
    expect(returned).toStrictEqual([{ type: 'text', content: result }, image]);
    const plain = await tool().execute({ typescriptCode: 'return await external_photo({});' }, {});
    expect(plain.result).toStrictEqual(IMAGE);
    const { error } = await tool().execute({ typescriptCode: program }, {});
    expect(error.message).toContain('display is not defined');
  });

  test('needs a tool that runs code', () => {
    expect(() => tanstackWithContent({})).toThrow(new TypeError('tool must be a tool of code mode, got an object'));
  });
});

describe('codemode', () => {
  test.each([6, 7])('passes images to a model of AI SDK %s', async (version) => {
    const { Model, reason, generateText, stepCountIs, tool, jsonSchema } = SDKS[version];
    const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };
    const made = createBrowserCodeTool({
      executor: new SESCodemodeExecutor(),
      tools: { photo: { description: 'A photo.', inputSchema: { type: 'object' }, execute: async () => IMAGE } },
    });
    const { description, inputSchema, execute, toModelOutput } = codemodeWithContent(made);
    const code = tool({ description, inputSchema: jsonSchema(inputSchema), execute, toModelOutput });
    const prompts = [];
    const turns = ['async () => { display(await codemode.photo({})); return 5; }', 'async () => 6', undefined];
    const model = new Model({
      doGenerate: async ({ prompt }) => {
        prompts.push(prompt);
        const program = turns[prompts.length - 1];
        const input = JSON.stringify({ code: program });
        const call = { type: 'tool-call', toolCallId: `call-${prompts.length}`, toolName: 'code', input };
        const finish = program === undefined ? 'stop' : 'tool-calls';
        const content = program === undefined ? [{ type: 'text', text: 'done' }] : [call];
        return { content, finishReason: reason(finish), usage, warnings: [] };
      },
    });
    await generateText({ model, tools: { code }, stopWhen: stepCountIs(3), prompt: 'go' });
    const [shown, plain] = [prompts[1], prompts[2]].map((prompt) => prompt.at(-1).content[0].output);
    expect(shown.type).toBe('content');
    expect(JSON.parse(shown.value[0].text)).toMatchObject({ result: 5 });
    expect(shown.value[1]).toMatchObject(
      version === 7
        ? { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } }
        : { type: 'image-data', mediaType: 'image/png', data: PNG },
    );
    expect(plain).toMatchObject({ type: 'json', value: { result: 6 } });
  });

  test('returns the image as data without `withContent`', async () => {
    const executor = new SESCodemodeExecutor();
    expect((await executor.execute('async () => codemode.photo()', { photo: async () => IMAGE })).result).toStrictEqual(
      IMAGE,
    );
  });
});

describe('the runtime of codemode', () => {
  const runtime = (store, calls = []) =>
    new CodemodeRuntime({
      connectors: [
        {
          name: 'shop',
          tools: {
            photo: { execute: () => IMAGE },
            order: { requiresApproval: true, execute: (order) => (calls.push(order), 'ordered') },
          },
        },
      ],
      store,
    });

  test('has what code shows in its outcome, also of code that fails', async () => {
    const { execute, description } = runtimeOf(runtime(memoryStore()));
    expect(description).toContain('`display(value)` shows you an image');
    const shown = await execute('async () => { display(await shop.photo()); display("seen"); return 5; }');
    expect(shown).toMatchObject({ status: 'completed', result: 5, content: [IMAGE, { type: 'text', text: 'seen' }] });
    expect(shown.calls.map(({ connector, method }) => `${connector}.${method}`)).toStrictEqual(['shop.photo']);
    const failed = await execute('async () => { display(await shop.photo()); throw new Error("late"); }');
    expect(failed).toMatchObject({ status: 'error', error: expect.stringContaining('late'), content: [IMAGE] });
    expect(await execute('async () => 5')).not.toHaveProperty('content');
    const tool = codemodeWithContent({ execute });
    const output = await tool.execute('async () => { display(await shop.photo()); return 5; }', { toolCallId: '1' });
    const { value } = tool.toModelOutput({ toolCallId: '1', input: {}, output });
    expect(value[1]).toMatchObject({ type: 'image-data', data: PNG });
  });

  test('has it at the end of a program that waited, also in another process', async () => {
    const store = memoryStore();
    const code =
      'async () => { display(await shop.photo()); const done = await shop.order({ n: 1 }); display("after"); return done; }';
    const { executionId, ...paused } = await runtime(store).execute({ code });
    expect([paused.status, 'content' in paused]).toStrictEqual(['paused', false]);
    const calls = [];
    const outcome = await runtime(store, calls).approve({ executionId });
    expect(outcome).toMatchObject({ status: 'completed', result: 'ordered', content: [IMAGE, { text: 'after' }] });
    expect(calls).toStrictEqual([{ n: 1 }]);
  });

  function runtimeOf(made) {
    return { execute: (code) => made.execute({ code }), description: made.description };
  }
});

describe('an MCP server', () => {
  async function withServer(args, work) {
    const command = [join(ROOT, 'bin', 'ses-executor.js'), 'mcp', ...args];
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: command }));
    const run = (code, name = 'run_javascript', options = {}) =>
      client.callTool({ name, arguments: { code } }, undefined, options);
    try {
      return await work({ client, run });
    } finally {
      await client.close();
    }
  }

  test('returns images as blocks, and no base64 in text or data', () =>
    withServer(['--python'], async ({ run }) => {
      const code = `const png = Uint8Array.fromBase64("${PNG}"); display(png); ({ png })`;
      expect(await run(code)).toStrictEqual({
        content: [{ type: 'text', text: '{"png":"[image/png, 70 bytes]"}' }, IMAGE, IMAGE],
        structuredContent: { output: { png: '[image/png, 70 bytes]' }, logs: '' },
      });
      expect((await run('display(b"%PDF-1.7")\n5', 'run_python')).content).toStrictEqual([
        { type: 'text', text: '5' },
        { ...SHOWN_PDF, resource: { ...SHOWN_PDF.resource, uri: 'display:///1.pdf' } },
      ]);
      const failed = await run('display(png); fail()');
      expect([failed.isError, failed.content[1]]).toStrictEqual([true, IMAGE]);
    }));

  test('reports what code says about its progress, with a total', () =>
    withServer([], async ({ run }) => {
      const reports = [];
      const controller = new AbortController();
      // The program ends when its progress has arrived.
      const onprogress = (report) => (reports.push(report), controller.abort('seen'));
      const code = 'progress("reading", 0.5); await new Promise(() => {})';
      const options = { onprogress, signal: controller.signal };
      await expect(run(code, undefined, options)).rejects.toThrow('seen');
      expect(reports).toStrictEqual([{ progress: 1, total: 2, message: 'reading' }]);
    }));

  test('keeps long outputs until the session is reset', () =>
    withServer([], async ({ client, run }) => {
      const { content } = await run('"x".repeat(30_000)');
      expect(content[0].text).toContain('outputs.get("o1")');
      expect((await run('outputs.get("o1").length')).structuredContent.output).toBe(30_000);
      await client.callTool({ name: 'reset', arguments: {} });
      expect((await run('outputs.get("o1")')).structuredContent.error.message).toContain('this output is not kept');
    }));
});

describe('the command line', () => {
  const runFile = (code, args = []) =>
    withFolder(async (folder) => {
      const file = join(folder, 'program.mjs');
      writeFileSync(file, code);
      return spawnNode([join(ROOT, 'bin', 'ses-executor.js'), 'run', file, ...args]);
    });
  const code = `progress("half", 0.5); console.log("line"); display(Uint8Array.fromBase64("${PNG}")); display("text"); 5`;

  test('prints what code shows and its progress', async () => {
    const { status, stdout, stderr } = await runFile(code);
    expect({ status, stdout, stderr }).toStrictEqual({
      status: 0,
      stdout: '[image/png, 70 bytes]\ntext\n5\n',
      stderr: 'half (50 %)\nline\n',
    });
  });

  test('has it in its JSON', async () => {
    const { stdout } = await runFile(code, ['--json']);
    expect(JSON.parse(stdout)).toMatchObject({ output: 5, content: [IMAGE, { type: 'text', text: 'text' }] });
    expect(JSON.parse((await runFile('5', ['--json'])).stdout)).not.toHaveProperty('content');
  });

  test('replaces the line of progress on a terminal, whose control sequences code cannot write', () => {
    const written = [];
    const stream = { isTTY: true, columns: 20, write: (text) => written.push(text) };
    const line = new ProgressLine(stream);
    line.report('one\n\x1b]0;x', 0.25);
    line.log('log\n');
    line.report('a message that is too long');
    line.clear();
    line.clear();
    const clear = '\r\x1b[K';
    expect(written).toStrictEqual(['one \u241b]0;x (25 %)', clear, 'log\n', 'a message that is t', clear]);
  });
});

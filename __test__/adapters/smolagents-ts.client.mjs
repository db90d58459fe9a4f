// `ses-executor/smolagents` used by the agents of smolagents-ts itself. The package is not on npm: `npm run
// test:client` runs this file with a checkout in the folder SMOLAGENTS_TS.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, test } from 'vitest';

import { renderSystemPrompt } from 'ses-executor/prompts';
import { JavaScriptCodeAgent } from 'ses-executor/smolagents';

import { create, recorded } from './smolagents-fixtures.mjs';

const fromCheckout = (file) => import(pathToFileURL(join(process.env.SMOLAGENTS_TS, 'src', file)).href);
const { CodeAgent } = await fromCheckout('agents/index.ts');
const { BaseTool } = await fromCheckout('tools/index.ts');
const { GrepTool } = await fromCheckout('tools/grep.ts');
const { ReadTool } = await fromCheckout('tools/read.ts');
const { WriteTool } = await fromCheckout('tools/write.ts');
const { LogLevel } = await fromCheckout('types/index.ts');

const verbosity_level = LogLevel.ERROR;

class SearchTool extends BaseTool {
  name = 'search';
  description = 'Searches a list.';
  inputs = {
    query: { type: 'string', description: 'What to look for' },
    max_results: { type: 'integer', description: 'How many results at most', default: 2 },
  };
  output_type = 'array';
  calls = [];

  async forward(args) {
    this.calls.push(args);
    return ['a', 'b', 'c'].map((end) => args.query + end).slice(0, args.max_results);
  }
}

/** A model that gives one answer after the other, and ends each at the first stop sequence in it. */
class ScriptedModel {
  requests = [];

  constructor(...answers) {
    this.answers = answers;
  }

  async generate(messages, { stop_sequences }) {
    this.requests.push({ messages: [...messages], stop_sequences });
    const answer = this.answers[this.requests.length - 1];
    const ends = stop_sequences.map((stop) => answer.indexOf(stop)).filter((at) => at !== -1);
    return { role: 'assistant', content: answer.slice(0, Math.min(...ends, answer.length)) };
  }
}

const code = (text) => `Thought: so.\n<code>\n${text}\n</code>`;
const observations = (agent) => agent.get_memory().steps.flatMap(({ observations: text }) => text ?? []);

describe('the CodeAgent of smolagents-ts with a SmolagentsExecutor', () => {
  test('sends variables, tools and code in each step without init(), and keeps state', async () => {
    const tool = new SearchTool();
    const { proxy, calls } = recorded(create({ tools: [tool] }));
    const model = new ScriptedModel(
      'Thought: I search.\n<code>\nconst found = await search("x");\nconsole.log(found.length);\nfound\n</code>\nObservation: []',
      code('final_answer({ found, more: (await search({ query: "y", max_results: 3 })).at(-1) });'),
    );
    const agent = new CodeAgent({ model, tools: [tool], executor: proxy, verbosity_level });
    expect(await agent.run('Search.')).toStrictEqual({ found: ['xa', 'xb'], more: 'yc' });
    const step = (text) => [
      ['sendVariables', {}],
      ['sendTools', {}, {}],
      ['run', text],
    ];
    expect(calls).toStrictEqual([
      ...step('\nconst found = await search("x");\nconsole.log(found.length);\nfound'),
      ...step('\nfinal_answer({ found, more: (await search({ query: "y", max_results: 3 })).at(-1) });'),
    ]);
    expect(tool.calls).toStrictEqual([
      { query: 'x', max_results: 2 },
      { query: 'y', max_results: 3 },
    ]);
    expect(model.requests.map(({ stop_sequences }) => stop_sequences)).toStrictEqual(
      Array(2).fill(['Observation:', 'Calling tools:', '</code>']),
    );
    expect(observations(agent)).toStrictEqual([
      'Execution logs:\n2\nLast output from code snippet:\n[\n  "xa",\n  "xb"\n]',
    ]);
    await agent.cleanup();
    expect(proxy.state).toBe('DEAD');
  });

  test('ends with the message of the executor, which contains the hint', async () => {
    const agent = new CodeAgent({
      model: new ScriptedModel(code('serch("x")')),
      tools: [],
      executor: create({ tools: [new SearchTool()] }),
      verbosity_level,
    });
    await expect(agent.run('Search.')).rejects.toMatchObject({
      name: 'AgentExecutionError',
      message: `ERR_RUNTIME_EXCEPTION: Runtime exception: ReferenceError: serch is not defined (line 2, column 1)
  |
2 | serch("x")
  | ^ ReferenceError: serch is not defined
Hint: Did you mean \`search\`?`,
    });
  });

  test('refuses tools that exist only in Python', async () => {
    const model = new ScriptedModel(code('1'));
    const agent = new CodeAgent({ model, tools: [new GrepTool('/mnt')], executor: create(), verbosity_level });
    await expect(agent.run('Read.')).rejects.toMatchObject({ code: 'ERR_PYTHON_TOOL', tools: ['grep'] });
  });
});

describe('JavaScriptCodeAgent over the CodeAgent of smolagents-ts', () => {
  const Agent = JavaScriptCodeAgent(CodeAgent);
  const agentOf = (answers, config = {}) =>
    new Agent({ model: new ScriptedModel(...answers), tools: [new SearchTool()], verbosity_level, ...config });

  test('has the prompt for JavaScript in the first message to the model', async () => {
    const tags = ['<js>', '</js>'];
    const agent = agentOf(['<js>\nfinal_answer(1)\n</js>'], {
      instructions: 'Be brief.',
      authorized_imports: ['units'],
      code_block_tags: tags,
      executor_options: { modules: { units: 'export const km = 1;' } },
    });
    expect(await agent.run('go')).toBe(1);
    const [{ messages }] = agent.model.requests;
    expect(messages).toStrictEqual([
      {
        role: 'system',
        content: renderSystemPrompt({
          tools: agent.tools,
          authorizedImports: ['units'],
          customInstructions: 'Be brief.',
          codeBlockTags: tags,
        }),
      },
      { role: 'user', content: 'go' },
    ]);
    expect(messages[0].content).toContain('async function search(query, max_results = 2) {}');
    expect(messages[0].content).toContain('async function final_answer(answer) {}');
    await agent.cleanup();
  });

  test('turns errors, answers without code and timeouts into observations', async () => {
    const agent = agentOf(
      [
        code('const kept = 1;\nnull.x'),
        'It is Paris.',
        code('await new Promise(() => {})'),
        code('final_answer([typeof kept, await search("x", 1)])'),
      ],
      { executor_options: { timeoutMs: 1_000 } },
    );
    expect(await agent.run('go')).toStrictEqual(['undefined', ['xa']]);
    const retry = 'Correct the cause in your next code block. If that has failed before, try a different approach.';
    expect(observations(agent)).toStrictEqual([
      `Execution logs:
Error:
ERR_RUNTIME_EXCEPTION: Runtime exception: TypeError: Cannot read properties of null (reading 'x') (line 3, column 6)
  |
2 | const kept = 1;
3 | null.x
  |      ^ TypeError: Cannot read properties of null (reading 'x')
Hint: Correct the code at that place and run it again.
${retry}`,
      `Error:
There is no code in your answer: nothing was found between <code> and </code>.
Your answer was:
It is Paris.
Send your reasoning and one block of JavaScript code, for instance:
Thought: What you want to do next, and why.
<code>
// Your JavaScript code here
</code>
To give the final answer, call final_answer(value) in that block.`,
      `Execution logs:
Error:
ERR_EXEC_TIMEOUT: Execution timed out after 1000ms
Hint: Do less in one run, and await only promises that settle. Variables and functions of earlier runs are gone: define again what is still needed.
${retry}`,
    ]);
    await agent.cleanup();
  });

  test('calls a managed agent of smolagents-ts as a function', async () => {
    const helper = agentOf([code('final_answer((await search("of helper"))[0])')], {
      name: 'helper',
      description: 'Helps.',
    });
    const agent = agentOf([code('final_answer(await helper("do"))')], { managed_agents: [helper] });
    expect(await agent.run('go')).toBe('of helpera');
    expect(helper.model.requests[0].messages[1]).toStrictEqual({ role: 'user', content: 'do' });
    await Promise.all([agent.cleanup(), helper.cleanup()]);
  });

  test('replaces the file tools of smolagents-ts, which are Python', async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'ses-executor-client-'));
    try {
      const answers = [
        code('await write("a.txt", "one");\nfinal_answer((await read({ path: "a.txt" })).content[0].text)'),
      ];
      const agent = agentOf(answers, { tools: [new WriteTool('/mnt'), new ReadTool('/mnt')], workDir });
      expect(await agent.run('go')).toBe('one');
      expect(readFileSync(join(workDir, 'a.txt'), 'utf8')).toBe('one');
      await agent.cleanup();
    } finally {
      rmSync(workDir, { recursive: true });
    }
  });
});

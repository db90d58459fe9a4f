// `JavaScriptCodeAgent` over a stand-in for the `CodeAgent` of smolagents-ts, which is not on npm. The class itself is
// used in `smolagents-ts.client.mjs`.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from 'vitest';

import { renderSystemPrompt } from 'ses-executor/prompts';
import { JavaScriptCodeAgent, SmolagentsExecutor } from 'ses-executor/smolagents';

import { CodeAgent } from './code-agent.mjs';

class SearchTool {
  name = 'search';
  description = 'Searches a list.';
  inputs = { query: { type: 'string', description: 'What to look for' }, limit: { type: 'integer', default: 2 } };
  output_type = 'array';
  // A tool for Python, too.
  pythonCode = 'def search(query, limit=2): ...';
  forward = async ({ query, limit }) => ['a', 'b', 'c'].map((end) => query + end).slice(0, limit);
}

const agents = [];
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.cleanup())));

/** An agent whose model gives these answers. */
function agentOf(answers, config = {}) {
  let turn = 0;
  const model = async () => answers[turn++];
  const agent = new (JavaScriptCodeAgent(CodeAgent))({ model, tools: [new SearchTool()], ...config });
  agents.push(agent);
  return agent;
}

const code = (text) => `Thought: so.\n<code>\n${text}\n</code>`;
const RETRY = 'Correct the cause in your next code block. If that has failed before, try a different approach.';
const noCode = (answer) => `Error:
There is no code in your answer: nothing was found between <code> and </code>.
Your answer was:
${answer}
Send your reasoning and one block of JavaScript code, for instance:
Thought: What you want to do next, and why.
<code>
// Your JavaScript code here
</code>
To give the final answer, call final_answer(value) in that block.`;
const observations = (agent) => agent.steps.map((step) => step.observations);

test('the agent has the prompt for JavaScript', () => {
  const agent = agentOf([], {
    instructions: 'Be brief.',
    authorized_imports: ['units'],
    code_block_tags: ['<js>', '</js>'],
  });
  const expected = renderSystemPrompt({
    tools: agent.tools,
    authorizedImports: ['units'],
    customInstructions: 'Be brief.',
    codeBlockTags: ['<js>', '</js>'],
  });
  expect(agent.prompts).toStrictEqual(['', expected]);
  expect(expected).toContain('async function search(query, limit = 2) {}');
});

// An option that is undefined is one that is left out: nothing could be imported.
test('an executor without authorized imports gets those of the agent', async () => {
  const agent = agentOf([code('final_answer(Object.keys(await import("units")))')], {
    authorized_imports: ['units'],
    executor_options: { authorizedImports: undefined, modules: { units: 'export const km = 1;' } },
  });
  expect(await agent.run('go')).toStrictEqual(['km']);
});

// The prompt named those of the agent, or none.
test('the prompt lists imports from the options of the executor', () => {
  const agent = agentOf([], { executor_options: { authorizedImports: ['units'] } });
  expect(agent.prompts[1]).toBe(renderSystemPrompt({ tools: agent.tools, authorizedImports: ['units'] }));
});

test('tools, managed agents and variables are available, and state is kept', async () => {
  const helper = { name: 'helper', description: 'Helps.', run: async (task, options) => [task, options] };
  const agent = agentOf(
    [
      code('const found = await search(topic); console.log(found.length)'),
      code('final_answer([found, await search({ query: "x", limit: 1 }), await helper("do")])'),
    ],
    { managed_agents: [helper] },
  );
  expect(await agent.run('go', { additional_args: { topic: 't' } })).toStrictEqual([
    ['ta', 'tb'],
    ['xa'],
    ['do', { additional_args: undefined, reset: true }],
  ]);
  expect(observations(agent)[0]).toBe('Execution logs:\n2');
});

describe('failures of a step are observations that do not end the run', () => {
  test('an error of the code is an observation', async () => {
    const agent = agentOf([code('console.log("before");\nnull.x'), code('final_answer(1)')]);
    expect(await agent.run('go')).toBe(1);
    expect(observations(agent)[0]).toBe(`Execution logs:
before
Error:
ERR_RUNTIME_EXCEPTION: Runtime exception: TypeError: Cannot read properties of null (reading 'x') (line 3, column 6)
  |
2 | console.log("before");
3 | null.x
  |      ^ TypeError: Cannot read properties of null (reading 'x')
Hint: Correct the code at that place and run it again.
${RETRY}`);
  });

  test('a timeout is an observation, and the next step has a new isolate', async () => {
    const agent = agentOf(
      [
        code('const n = 1'),
        code('await new Promise(() => {})'),
        code('final_answer(typeof n + (await search("x")).length)'),
      ],
      { executor_options: { timeoutMs: 1_000 } },
    );
    expect(await agent.run('go')).toBe('undefined2');
    expect(observations(agent)[1]).toBe(`Execution logs:
Error:
ERR_EXEC_TIMEOUT: Execution timed out after 1000ms
Hint: Do less in one run, and await only promises that settle. Variables and functions of earlier runs are gone: define again what is still needed.
${RETRY}`);
  });

  test('an answer without code is an observation, and code elsewhere in an answer is found', async () => {
    const agent = agentOf(['It is Paris.', '```js\nfinal_answer(1)\n```', code('final_answer(2)')]);
    expect(await agent.run('go')).toBe(2);
    expect(observations(agent).slice(0, 2)).toStrictEqual([
      noCode('It is Paris.'),
      `Error:\nThe code of your answer must be between <code> and </code>.\n${RETRY}`,
    ]);
  });
});

test('drafts in thoughts do not run', async () => {
  const calls = [];
  const tools = [{ ...new SearchTool(), forward: async ({ query }) => calls.push(query) }];
  const agent = agentOf(
    [
      `I could try\n<code>\nawait search("draft")\n</code>\n</think>\n${code('await search("real")')}`,
      `<thinking>\n<code>\nawait search("second draft")\n</code>\n</thinking>\nNothing to do.`,
      code('const a = 1;\nfinal_answer(a)') + code('const a = 2;\nfinal_answer(a)'),
    ],
    { tools },
  );
  expect(await agent.run('go')).toBe(2);
  expect(calls).toStrictEqual(['real']);
  expect(observations(agent)[1]).toBe(`Execution logs:\n${noCode('Nothing to do.')}`);
});

test('failures outside of the code end the run', async () => {
  const failing = agentOf([code('1')], {
    executor: { sendVariables: async () => Promise.reject(new Error('no disk')) },
  });
  failing.cleanup = async () => {};
  await expect(failing.run('go')).rejects.toThrow(new Error('no disk'));
  const agent = agentOf([]);
  agent.model = async () => Promise.reject(new Error('no network'));
  await expect(agent.run('go')).rejects.toThrow(new Error('no network'));
  expect(() => JavaScriptCodeAgent({})).toThrow(
    new TypeError('CodeAgent must be the class of smolagents-ts, got an object'),
  );
});

test('the agent accepts any executor', async () => {
  const executor = new SmolagentsExecutor({ tools: { add: (a, b) => a + b, search: async () => [] } });
  const agent = agentOf([code('final_answer(add(1, 2))')], { executor });
  expect(await agent.run('go')).toBe(3);
});

describe('file tools of smolagents-ts', () => {
  /** As in smolagents-ts: the implementation is Python, and `forward` only throws. */
  class PythonTool {
    description = "Use this instead of Python's open().";
    output_type = 'dict';
    pythonCode = 'def tool(**kwargs): ...';
    constructor(name, inputs, cwd) {
      Object.assign(this, { name, inputs, cwd });
    }
    async forward() {
      throw new Error('Unsupported operation');
    }
    to_dict() {
      return { type: 'function', function: { name: this.name } };
    }
  }
  const path = { path: { type: 'string', description: 'Path' } };
  const content = { content: { type: 'string', description: 'Content' } };

  test('are replaced by those of this package', async () => {
    const root = mkdtempSync(join(tmpdir(), 'ses-executor-agent-'));
    try {
      const tools = [
        new PythonTool('write', { ...path, ...content }, root),
        new PythonTool('read', path, root),
        new PythonTool('ls', path, root),
        new SearchTool(),
      ];
      const agent = agentOf(
        [
          code(
            'await write({ path: "a.txt", content: "one" });\nconst { content } = await read("a.txt");\ncontent[0].text',
          ),
          code('final_answer([(await ls({ path: "." })).content[0].text, await search("x", 1)])'),
        ],
        { tools },
      );
      expect(await agent.run('go')).toStrictEqual(['a.txt', ['xa']]);
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one');
      expect(agent.tools.get('write').to_dict()).toStrictEqual({ type: 'function', function: { name: 'write' } });
      const prompt = agent.prompts.at(-1);
      expect(prompt).toContain('Write a whole file');
      expect(prompt).not.toContain("Python's open()");
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test('use the working directory if Python would mount the folder', async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'ses-executor-agent-'));
    try {
      const tools = [new PythonTool('write', { ...path, ...content }, '/mnt')];
      const agent = agentOf([code('await write("b.txt", "two"); final_answer(1)')], { tools, workDir });
      expect(await agent.run('go')).toBe(1);
      expect(readFileSync(join(workDir, 'b.txt'), 'utf8')).toBe('two');
    } finally {
      rmSync(workDir, { recursive: true });
    }
  });

  test('are refused with their names if they exist only in Python', () => {
    const tools = [new PythonTool('plot', path, tmpdir()), new PythonTool('read', path, undefined), new SearchTool()];
    expect(() => agentOf([], { tools })).toThrow(
      expect.objectContaining({ name: 'TypeError', code: 'ERR_PYTHON_TOOL', tools: ['plot', 'read'] }),
    );
  });

  // Cause: parameters and templates with braces hid that the function only throws.
  test.each([
    ['destructured parameters', async ({ path: given }) => { throw new Error(given); }],
    ['a template', function forward(args) { throw new Error(`Unsupported: ${args.path}`); }],
    ['a default', (args = {}) => { throw new Error(String(args)); }],
    ['a rejected promise', () => { return Promise.reject(new Error('Unsupported operation')); }],
    ['a comment', () => {
      // Python only
      throw new Error('x');
    }],
  ])('are recognized by a function with %s', (_title, forward) => {
    const tool = Object.assign(new PythonTool('plot', path, tmpdir()), { forward });
    expect(() => agentOf([], { tools: [tool] })).toThrow(expect.objectContaining({ code: 'ERR_PYTHON_TOOL' }));
  }); // prettier-ignore

  test.each([
    ['throws in some cases', (args) => { if (args.path === '') { throw new Error('x'); } return 1; }],
    ['throws at its end', (args) => { for (const one of [args]) { if (one) return 1; } throw new Error('x'); }],
    ['throws in a function', (args) => [args].map(() => { throw new Error('x'); })],
  ])('are kept if their function only %s', (_title, forward) => {
    const tool = Object.assign(new PythonTool('plot', path, tmpdir()), { forward });
    expect(agentOf([code('1')], { tools: [tool] }).tools.get('plot').forward).toBe(forward);
  }); // prettier-ignore
});

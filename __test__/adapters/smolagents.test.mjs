// `ses-executor/smolagents`: the executor by itself, and in a loop that an agent's author writes with the parts of
// `ses-executor/prompts`. The agents of smolagents-ts themselves use it in `smolagents-ts.client.mjs`.

import { describe, expect, test, vi } from 'vitest';

import { ExecutorError, SESExecutor } from 'ses-executor';
import { createCodeTool } from 'ses-executor/code-tool';
import { CodeParsingError, parseCodeBlobs, renderSystemPrompt } from 'ses-executor/prompts';
import {
  SmolagentsExecutor,
  createSmolagentsExecutor,
  formatErrorObservation,
  formatObservation,
} from 'ses-executor/smolagents';

import { isExecutor } from '../../build/contract/executor.js';
import { BaseTool, SearchTool, create, recorded } from './smolagents-fixtures.mjs';
import { deferred, expectCode, rejection } from '../helpers.mjs';

class FinalAnswerTool extends BaseTool {
  name = 'final_answer';
  description = 'Provides the final answer to the user.';
  inputs = { answer: { type: 'any', description: 'The final answer to return to the user' } };
  output_type = 'any';

  forward({ answer }) {
    return Promise.resolve(answer);
  }
}

/**
 * A loop that uses the executor without smolagents-ts: it calls the executor as `CodeAgent` does, reads code and writes
 * observations with the functions of this package, and errors become observations.
 */
class AgentLoop {
  code_block_tags = ['<code>', '</code>'];
  state = new Map();
  managed_agents = new Map();
  messages = [];

  constructor({ model, tools, executor }) {
    this.model = model;
    this.tools = new Map([...tools, new FinalAnswerTool()].map((tool) => [tool.name, tool]));
    this.executor = executor;
    this.messages.push({ role: 'system', content: this.initialize_system_prompt() });
  }

  initialize_system_prompt() {
    const { tools, managed_agents: managedAgents, instructions: customInstructions } = this;
    return renderSystemPrompt({ tools, managedAgents, customInstructions, codeBlockTags: this.code_block_tags });
  }

  async run(task, { additional_args = {} } = {}) {
    this.messages.push({ role: 'user', content: task });
    for (const [name, value] of Object.entries(additional_args)) this.state.set(name, value);
    for (let step = 0; step < 10; step++) {
      const event = await this._step_stream();
      if (event.is_final_answer) return event.output;
      this.messages.push({ role: 'assistant', content: `Observation:\n${event.observation}` });
    }
    throw new Error('no final answer');
  }

  async _step_stream() {
    const stop_sequences = ['Observation:', 'Calling tools:', this.code_block_tags[1]];
    const response = await this.model.generate([...this.messages], { stop_sequences });
    let output_text = response.content;
    if (output_text && !output_text.trim().endsWith(this.code_block_tags[1])) output_text += this.code_block_tags[1];
    this.messages.push({ role: 'assistant', content: output_text });
    try {
      const code_action = parseCodeBlobs(output_text, this.code_block_tags);
      await this.executor.sendVariables(Object.fromEntries(this.state));
      const pythonToolsMap = {};
      for (const tool of this.tools.values()) if (tool.pythonCode) pythonToolsMap[tool.name] = tool.pythonCode;
      await this.executor.sendTools({}, pythonToolsMap);
      const code_output = await this.executor.run(code_action);
      const { output, logs, is_final_answer } = code_output;
      return { output, is_final_answer, observation: formatObservation({ output, logs }), code_output };
    } catch (error) {
      if (!(error instanceof ExecutorError || error instanceof CodeParsingError)) throw error;
      return { is_final_answer: false, observation: formatErrorObservation(error) };
    }
  }
}

/** A model that gives one answer after the other, and ends each at the first stop sequence in it. */
class ScriptedModel {
  requests = [];

  constructor(...answers) {
    this.answers = answers;
  }

  async generate(messages, options) {
    this.requests.push({ messages, options });
    const answer = this.answers[this.requests.length - 1];
    const ends = options.stop_sequences.map((stop) => answer.indexOf(stop)).filter((at) => at !== -1);
    return { role: 'assistant', content: answer.slice(0, Math.min(...ends, answer.length)) };
  }
}

describe('the executor used by a loop with the parts of this package', () => {
  test('supports three calls per step without init, keeps state and repairs errors', async () => {
    const tool = new SearchTool();
    const { proxy, calls } = recorded(create({ tools: [tool] }));
    const model = new ScriptedModel(
      'Thought: I search.\n<code>\nconst found = await search(topic);\nconsole.log(found.length);\nfound\n</code>\nObservation: []',
      'Thought: More.\n<code>\nconst more = await search({ query: topic, limit: 3 });\n</code>',
      'I have it.',
      'Thought: The name is max_results.\n```js\nconst more = await search({ query: topic, max_results: 3 });\n```',
      "Thought: Done.\n<code>\nfinal_answer({ found, more: more.at(-1) });\n</code>",
    ); // prettier-ignore
    const agent = new AgentLoop({ model, tools: [tool], executor: proxy });
    const answer = await agent.run('Search.', { additional_args: { topic: 'x' } });

    expect(answer).toStrictEqual({ found: ['xa', 'xb'], more: 'xc' });
    const step = (code) => [
      ['sendVariables', { topic: 'x' }],
      ['sendTools', {}, {}],
      ['run', code],
    ];
    expect(calls).toStrictEqual([
      ...step('const found = await search(topic);\nconsole.log(found.length);\nfound'),
      ...step('const more = await search({ query: topic, limit: 3 });'),
      ...step('const more = await search({ query: topic, max_results: 3 });'),
      ...step('final_answer({ found, more: more.at(-1) });'),
    ]);
    expect(tool.calls).toStrictEqual([
      { query: 'x', max_results: 2, engine: null },
      { query: 'x', max_results: 3, engine: null },
    ]);

    expect(model.requests.map(({ options }) => options)).toStrictEqual(
      Array(5).fill({ stop_sequences: ['Observation:', 'Calling tools:', '</code>'] }),
    );
    const observations = agent.messages.map(({ content }) => content).filter((text) => text.startsWith('Observation:'));
    expect(observations).toStrictEqual([
      'Observation:\nExecution logs:\n2\nLast output from code snippet:\n[\n  "xa",\n  "xb"\n]',
      `Observation:
Error:
ERR_TOOL_PROXY_FAIL: Tool execution failed: TypeError: search has no argument "limit"; it takes (query, max_results, engine) or one object ({ query, max_results, engine }) (line 1, column 20)
  |
1 | const more = await search({ query: topic, limit: 3 });
  |                    ^ TypeError: search has no argument "limit"; it takes (query, max_results, engine) or one object ({ query, max_results, engine })
Hint: Correct the arguments, catch the error, or do without this call.
Correct the cause in your next code block. If that has failed before, try a different approach.`,
      `Observation:
Error:
There is no code in your answer: nothing was found between <code> and </code>.
Your answer was:
I have it.
Send your reasoning and one block of JavaScript code, for instance:
Thought: What you want to do next, and why.
<code>
// Your JavaScript code here
</code>
To give the final answer, call final_answer(value) in that block.`,
      'Observation:\nExecution logs:\n\nLast output from code snippet:\n[\n  "xa",\n  "xb",\n  "xc"\n]',
    ]);
    const [{ role, content }] = model.requests[0].messages;
    expect(role).toBe('system');
    expect(content).toContain('async function search(query, max_results = 2, engine = null) {}\n');
    expect(content).toContain('async function final_answer(answer) {}\n</code>');
  });

  test('calls tools through functions that an agent wraps around forward', async () => {
    const tool = new SearchTool();
    const final = new FinalAnswerTool();
    const executor = create();
    const tool_map = Object.fromEntries(
      [tool, final].map((each) => [each.name, async (...args) => each.forward(args[0])]),
    );
    await executor.sendVariables({});
    await executor.sendTools(tool_map);
    const result = await executor.run("final_answer(await search({ query: 'x', max_results: 1 }))");
    expect(result).toStrictEqual({ output: ['xa'], logs: '', is_final_answer: true });
  });
});

describe('the executor', () => {
  test('is recognized as an executor', () => {
    const executor = new SmolagentsExecutor();
    expect(isExecutor(executor)).toBe(true);
    expect(executor.state).toBe('NEW');
    expect(create()).toBeInstanceOf(SmolagentsExecutor);
  });

  test('returns output, logs and is_final_answer, and hides its other properties', async () => {
    const executor = create();
    const result = await executor.run('console.log("a");\nconsole.warn("b");\n1 + 1');
    expect(Object.keys(result)).toStrictEqual(['output', 'logs', 'is_final_answer']);
    expect(result).toStrictEqual({ output: 2, logs: 'a\nb', is_final_answer: false });
    expect(result.logEntries.map(({ level, message }) => [level, message])).toStrictEqual([
      ['log', 'a'],
      ['warn', 'b'],
    ]);
    expect(result.stats.toolCalls).toBe(0);
    expect(await executor.run('final_answer(null)')).toStrictEqual({ output: null, logs: '', is_final_answer: true });
  });

  test('throws the errors of the native executor', async () => {
    const executor = create();
    const error = await expectCode(executor.run('console.log(1);\nnope()'), 'ERR_RUNTIME_EXCEPTION');
    expect(error).toMatchObject({
      logs: '1',
      retryable: true,
      details: { name: 'ReferenceError', line: 2, column: 1 },
    });
    const cause = new RangeError('no');
    const failing = { name: 'boom', inputs: {}, forward: () => Promise.reject(cause) };
    await executor.sendTools([failing]);
    const tool = await expectCode(executor.run('await boom()'), 'ERR_TOOL_PROXY_FAIL');
    expect(tool).toMatchObject({ retryable: true, details: { name: 'RangeError', tool: 'boom', message: 'no' } });
    expect(tool.cause).toBe(cause);
  });

  test('has messages of errors that contain all known details, for agents that show only messages', async () => {
    const executor = create({ tools: [new SearchTool()] });
    const error = await expectCode(executor.run('1;\nserch("x")'), 'ERR_RUNTIME_EXCEPTION');
    expect(error.message)
      .toBe(`ERR_RUNTIME_EXCEPTION: Runtime exception: ReferenceError: serch is not defined (line 2, column 1)
  |
1 | 1;
2 | serch("x")
  | ^ ReferenceError: serch is not defined
Hint: Did you mean \`search\`?`);
    expect(error.explanation).toBe(error.message);
    expect(formatErrorObservation(error)).toBe(
      `Error:\n${error.message}\nCorrect the cause in your next code block. If that has failed before, try a different approach.`,
    );
  });

  test('has its tools whatever is sent, also after init, cleanup and a timeout', async () => {
    const executor = create({ tools: [new SearchTool()] });
    const works = async () => expect((await executor.run("(await search('x'))[0]")).output).toBe('xa');
    await works();
    await executor.sendTools({ search: () => 'other', more: () => 5 });
    await works();
    expect((await executor.run('more()')).output).toBe(5);

    await executor.cleanup();
    expect(executor.state).toBe('DEAD');
    await executor.init();
    await executor.init();
    await works();
    await executor.cleanup();
    await works();

    const late = executor.run('await new Promise(() => {})', { timeoutMs: 100 });
    const error = await expectCode(late, 'ERR_EXEC_TIMEOUT');
    expect(executor.state).toBe('DIRTY');
    expect(formatErrorObservation(error)).toBe(`Error:
ERR_EXEC_TIMEOUT: Execution timed out after 100ms
Hint: Do less in one run, and await only promises that settle. Variables and functions of earlier runs are gone: define again what is still needed.
Correct the cause in your next code block. If that has failed before, try a different approach.`);
    await Promise.all([executor.sendVariables({ y: 'y' }), executor.sendTools({}), executor.init()]);
    expect(executor.state).toBe('READY');
    await works();
    expect((await executor.run('y')).output).toBe('y');
  });

  // A worker process that ended between two steps was replaced without a word.
  test.runIf(process.platform !== 'win32')(
    'reports in the next step that a process ended with all definitions',
    async () => {
      const executor = create({ tools: [], isolation: 'process' });
      const lose = async () => {
        await executor.run('let kept = 1');
        process.kill(executor.isolation.pid, 'SIGKILL');
        while (executor.state !== 'DIRTY') await new Promise((resolve) => setImmediate(resolve));
      };
      const gone = 'Variables and functions of earlier runs are gone: define again what is still needed.';
      await lose();
      await executor.sendVariables({ sent: 1 });
      const { output, logs } = await executor.run('console.log(sent); typeof kept');
      expect([output, logs]).toStrictEqual(['undefined', `${gone}\n1`]);
      expect((await executor.run('1')).logs).toBe('');
      await lose();
      const error = await expectCode(executor.run('kept'), 'ERR_RUNTIME_EXCEPTION');
      expect(error.details).toMatchObject({ name: 'ReferenceError', message: 'kept is not defined', recovered: true });
      expect(error.message.split('\n').at(-1)).toBe(`Hint: Correct the code at that place and run it again. ${gone}`);
      expect((await executor.run('1')).logs).toBe('');
      await expectCode(executor.run('await new Promise(() => {})', { timeoutMs: 100 }), 'ERR_EXEC_TIMEOUT');
      expect((await executor.run('1')).logs).toBe('');
      await executor.cleanup();
      expect((await executor.run('1')).logs).toBe('');
    },
  );

  test('ends a start after a failure by cleanup(): its run is not executed, and later calls get their own isolate', async () => {
    const executor = create({ tools: [] });
    await expectCode(executor.run('await new Promise(() => {})', { timeoutMs: 100 }), 'ERR_EXEC_TIMEOUT');
    expect(executor.state).toBe('DIRTY');
    const run = expectCode(executor.run('1'), 'ERR_INVALID_STATE');
    const cleaned = executor.cleanup();
    const next = executor.run('2');
    expect((await run).details.hint).toBe('cleanup() was called');
    await cleaned;
    expect((await next).output).toBe(2);
    await executor.cleanup();
    expect(executor.state).toBe('DEAD');
  });

  test('starts once for simultaneous calls', async () => {
    const executor = create({ tools: [new SearchTool()], runConcurrency: 'queue', maxQueuedRuns: 4 });
    const outcomes = await Promise.all([
      executor.sendVariables({ a: 1 }),
      executor.init(),
      executor.sendTools({ two: () => 2 }),
      executor.run("(await search('x')).length"),
      executor.run("(await search('x', 1)).length"),
    ]);
    expect(outcomes.slice(3).map(({ output }) => output)).toStrictEqual([2, 1]);
    expect((await executor.run('a + two()')).output).toBe(3);
  });

  test('leaves states to the caller with autoInit: false', async () => {
    const executor = create({ autoInit: false, tools: [new SearchTool()] });
    await expectCode(executor.run('1'), 'ERR_INVALID_STATE');
    await executor.init();
    expect((await executor.run("(await search('x')).length")).output).toBe(2);
    await expectCode(executor.run('await new Promise(() => {})', { timeoutMs: 100 }), 'ERR_EXEC_TIMEOUT');
    await expectCode(executor.sendVariables({}), 'ERR_INVALID_STATE');
    await expectCode(executor.init(), 'ERR_INVALID_STATE');
    await executor.cleanup();
    await executor.init();
    expect((await executor.run("(await search('x')).length")).output).toBe(2);
  });

  test('accepts the options of SESExecutor, and tools', async () => {
    const executor = create({ maxOperations: 10 });
    await expectCode(executor.run('for (;;);'), 'ERR_MAX_OPS_EXCEEDED');
    expect(() => create({ maxOps: 1 })).toThrow(
      new TypeError('options.maxOps is not an option; did you mean options.maxOperations?'),
    );
    // Only those of the executor were known to the message.
    expect(() => create({ tool: [] })).toThrow(
      new TypeError('options.tool is not an option; did you mean options.tools?'),
    );
    expect(() => create({ language: 'python', tool: [] })).toThrow(
      new TypeError('options.tool is not an option; did you mean options.tools?'),
    );
    expect(() => create({ autoInit: 1 })).toThrow(new TypeError('options.autoInit must be a boolean, got 1'));
    expect(() => create({ language: 'py' })).toThrow(
      new RangeError('options.language must be "auto" or "javascript" or "typescript" or "python", got "py"'),
    );
    expect(() => create(5)).toThrow(new TypeError('options must be an object, got 5'));
    expect(() => create({ tools: [5] })).toThrow(
      new TypeError('tools[0].name must be a non-empty string, got undefined'),
    );
  });

  test('refuses tools in Python with a code and a suggestion', async () => {
    const executor = create();
    const error = await rejection(executor.sendTools({}, { read: 'def read(path): ...', ls: 'def ls(): ...' }));
    expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_PYTHON_TOOL', tools: ['read', 'ls'] });
    expect(error.message).toBe(
      'Python tools cannot run in a JavaScript executor: read, ls. Give the agent tools without `pythonCode`, and give ' +
        'the executor Tool objects whose `forward(args)` is JavaScript: createSmolagentsExecutor({ tools: [tool] }) or ' +
        'sendTools({ name: tool })',
    );
    expect(executor.state).toBe('NEW');
    await executor.sendTools({}, {});
    await executor.sendTools({}, undefined);
    expect((await rejection(executor.sendTools({}, 'def f(): ...'))).message).toBe(
      'pythonTools must be an object of sources by name, got "def f(): ..."',
    );
  });
});

test('any executor is started, gets the tools, and is renewed after a timeout', async () => {
  const inner = new SESExecutor();
  const executor = create({ executor: inner, tools: [new SearchTool()] });
  expect((await executor.run('await search("x")')).output).toStrictEqual(['xa', 'xb']);
  expect([executor.state, inner.state]).toStrictEqual(['READY', 'READY']);
  await expectCode(executor.run('await new Promise(() => {})', { timeoutMs: 100 }), 'ERR_EXEC_TIMEOUT');
  expect((await executor.run('await search({ query: "y", max_results: 1 })')).output).toStrictEqual(['ya']);
  expect(() => createSmolagentsExecutor({ executor: inner, timeoutMs: 5 })).toThrow(
    new TypeError('options.timeoutMs is an option of executors: pass it where the executor is created'),
  );
  expect(() => createSmolagentsExecutor({ executor: 5 })).toThrow(
    new TypeError('options.executor must be an executor, got 5'),
  );
});

test.each([
  ['at its first run', (executor) => executor.state],
  ['by init()', (executor) => executor.init()],
])('a READY executor gets the tools %s, once for each isolate', async (_, start) => {
  const inner = new SESExecutor();
  await inner.init();
  const send = vi.spyOn(inner, 'sendTools');
  const executor = create({ executor: inner, tools: [new SearchTool()] });
  await start(executor);
  expect((await executor.run('await search("x")')).output).toStrictEqual(['xa', 'xb']);
  expect((await executor.run('await search("x")')).output).toStrictEqual(['xa', 'xb']);
  await executor.cleanup();
  await inner.init();
  expect((await executor.run('await search("x")')).output).toStrictEqual(['xa', 'xb']);
  expect(send).toHaveBeenCalledTimes(2);
});

describe('two of them over one executor', () => {
  const tool = (name, answer) => ({ name, inputs: {}, forward: () => Promise.resolve(answer) });
  const outcome = (executor, code) =>
    executor.run(code).then(
      ({ output }) => output,
      ({ details, code }) => details.message ?? code,
    );

  test('call only their own tools', async () => {
    const inner = new SESExecutor();
    const [ada, bob] = [
      create({ executor: inner, tools: [tool('inbox', 'mails of Ada')] }),
      create({ executor: inner, tools: [tool('inbox', 'mails of Bob'), tool('only', 'of Bob')] }),
    ];
    await ada.sendTools({ sent: () => 'by Ada' });
    const none = (name) => `${name} is not one of the functions that this code can call`;
    const outcomes = [
      [ada, 'await inbox()', 'mails of Ada'],
      [bob, 'await inbox()', 'mails of Bob'],
      [bob, 'await sent()', none('sent')],
      [ada, 'await inbox()', 'mails of Ada'],
      [ada, 'await only()', none('only')],
      [ada, 'await sent()', 'by Ada'],
      [bob, 'await only()', 'of Bob'],
    ];
    // At once: they take turns.
    const all = await Promise.all(outcomes.map(([executor, code]) => outcome(executor, code)));
    expect(all).toStrictEqual(outcomes.map(([, , expected]) => expected));
  });

  test('have their own and the sent tools in a new isolate after the other has ended the previous one', async () => {
    const inner = new SESExecutor({ timeoutMs: 1_000 });
    const [ada, bob] = [
      create({ executor: inner, tools: [tool('a', 'of Ada')] }),
      create({ executor: inner, tools: [tool('b', 'of Bob')] }),
    ];
    await ada.sendTools({ sent: () => 'by Ada' });
    expect(await outcome(ada, '[await a(), sent()]')).toStrictEqual(['of Ada', 'by Ada']);
    expect(await outcome(bob, 'await new Promise(() => {})')).toBe('ERR_EXEC_TIMEOUT');
    expect(await outcome(bob, 'await b()')).toBe('of Bob');
    expect(await outcome(ada, '[await a(), sent()]')).toStrictEqual(['of Ada', 'by Ada']);
    await bob.cleanup();
    expect(await outcome(ada, '[await a(), sent()]')).toStrictEqual(['of Ada', 'by Ada']);
    await ada.cleanup();
    expect(await outcome(ada, '[await a(), typeof sent]')).toStrictEqual(['of Ada', 'undefined']);
  });

  test('wait for each other until the signal of a run ends the wait', async () => {
    const inner = new SESExecutor();
    const [called, answer] = [deferred(), deferred()];
    const ada = create({ executor: inner, tools: { wait: () => (called.resolve(), answer.promise) } });
    const bob = create({ executor: inner });
    const first = outcome(ada, 'await wait()');
    await called.promise;
    const controller = new AbortController();
    const waiting = bob.run('globalThis.begun = true', { signal: controller.signal });
    controller.abort(new Error('the user left'));
    const error = await expectCode(waiting, 'ERR_EXEC_TIMEOUT');
    expect(error.details).toStrictEqual({ aborted: true, reason: 'the user left' });
    expect(error.message).toBe(
      'ERR_EXEC_TIMEOUT: Execution aborted: the user left\nHint: The caller has ended this run; the code is not to blame.',
    );
    answer.resolve('answered');
    expect(await first).toBe('answered');
    expect(await outcome(bob, 'typeof begun')).toBe('undefined');
    await expect(bob.run('1', { signal: 5 })).rejects.toThrow(
      new TypeError('options.signal must be an AbortSignal, got 5'),
    );
  });

  // An isolate of its owner's making counted as none, so that nobody noticed its end: no tools were sent to the next
  // one.
  test('have their tools after the owner has started and cleaned up the executor', async () => {
    const inner = new SESExecutor();
    const ada = create({ executor: inner, tools: [tool('inbox', 'mails of Ada')] });
    await ada.cleanup();
    await inner.init();
    expect(await outcome(ada, 'await inbox()')).toBe('mails of Ada');
    await inner.cleanup();
    expect(await outcome(ada, 'await inbox()')).toBe('mails of Ada');
    await ada.cleanup();
  });

  test('list their own tools and those of the executor', async () => {
    const inner = new SESExecutor();
    await inner.init();
    await inner.sendTools({ common() {} });
    const [ada, bob] = [
      create({ executor: inner, tools: [tool('a', 1)] }),
      create({ executor: inner, tools: [tool('b', 2)] }),
    ];
    await ada.run('1');
    await bob.run('1');
    const told = (executor) => createCodeTool({ tools: {}, executor }).description.match(/(?<=function )\w+/g);
    expect([ada, bob, inner].map(told)).toStrictEqual([['a', 'common'], ['b', 'common'], ['common']]);
  });
});

test('tools that are sent at the same time are all available, and reserved names are refused', async () => {
  const executor = create();
  await Promise.all([executor.sendTools({ a: () => 1 }), executor.sendTools({ b: () => 2 })]);
  expect(await rejection(executor.sendTools({ console: () => 3 }))).toStrictEqual(
    new TypeError('tools.console must have another name: `console` is reserved'),
  );
  expect((await executor.run('[a(), b()]')).output).toStrictEqual([1, 2]);
});

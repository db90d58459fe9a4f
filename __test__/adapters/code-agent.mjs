// A stand-in for smolagents-ts, which is not on npm.

class FinalAnswerTool {
  name = 'final_answer';
  description = 'Provides the final answer.';
  inputs = { answer: { type: 'any', description: 'The final answer' } };
  forward = async ({ answer }) => answer;
}

/**
 * As in smolagents-ts: the prompt is asked for twice, first before the fields are there; a step that fails ends the
 * run.
 */
export class CodeAgent {
  constructor({ model, tools = [], managed_agents = [], instructions, executor, ...config }) {
    this.model = model;
    this.tools = new Map([...tools, new FinalAnswerTool()].map((tool) => [tool.name, tool]));
    this.managed_agents = new Map(managed_agents.map((agent) => [agent.name, agent]));
    this.prompts = [this.initialize_system_prompt()];
    this.state = new Map();
    this.instructions = instructions;
    this.authorized_imports = config.authorized_imports ?? ['math'];
    this.code_block_tags = config.code_block_tags ?? ['<code>', '</code>'];
    if (executor === undefined) throw new Error('this would start Pyodide');
    this.executor = executor;
    this.prompts.push(this.initialize_system_prompt());
    this.steps = [];
  }

  initialize_system_prompt() {
    return 'You write Python.';
  }

  async run(task, { additional_args = {} } = {}) {
    for (const [name, value] of Object.entries(additional_args)) this.state.set(name, value);
    for (let number = 1; number <= 10; number++) {
      const step = {};
      this.steps.push(step);
      for await (const event of this._step_stream(step)) if (event.is_final_answer) return event.output;
    }
    throw new Error('no final answer');
  }

  async *_step_stream(step) {
    const response = await this.model(this.steps);
    step.model_output = response;
    yield { content: response };
    const [opening, closing] = this.code_block_tags;
    const from = response.indexOf(opening);
    if (from === -1) throw new Error('Your code snippet is invalid: write Python');
    const code = response.slice(from + opening.length, response.indexOf(closing));
    await this.executor.sendVariables(Object.fromEntries(this.state));
    const pythonTools = [...this.tools.values()].filter(({ pythonCode }) => pythonCode !== undefined);
    await this.executor.sendTools({}, Object.fromEntries(pythonTools.map((tool) => [tool.name, tool.pythonCode])));
    const { output, logs, is_final_answer } = await this.executor.run(code).catch((error) => {
      throw new Error(`AgentExecutionError: ${error.message}`);
    });
    step.observations = `Execution logs:\n${logs}`;
    if (output !== undefined) step.observations += `\nLast output from code snippet:\n${JSON.stringify(output)}`;
    yield { output, is_final_answer, observation: step.observations };
  }
}

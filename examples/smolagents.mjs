// An agent's loop as the `CodeAgent` of smolagents-ts has it: system prompt, model, code of the answer, the three calls
// of the executor, observation. The model's answers are written down here; everything else is real.

import { planOf } from 'ses-executor/code-tool';
import { CodeParsingError, parseCodeBlobs, renderSystemPrompt } from 'ses-executor/prompts';
import { SmolagentsExecutor, formatErrorObservation, formatObservation, toHostTools } from 'ses-executor/smolagents';

import { approvePlan } from './approval.mjs';
import { MAP, partText } from './map.mjs';

const CODE_BLOCK_TAGS = ['<code>', '</code>'];

/** A tool as smolagents-ts has them (`BaseTool`). */
class PopulationTool {
  name = 'population';
  description = 'Looks up how many people live in a city.';
  inputs = {
    city: { type: 'string', description: 'Name of the city.' },
    year: { type: 'integer', description: 'Year of the census.', default: 2020 },
  };
  output_type = 'integer';
  #people = { Guangzhou: { 2010: 12_701_948, 2020: 18_676_605 }, Shanghai: { 2010: 23_019_196, 2020: 24_870_895 } };

  async forward({ city, year }) {
    const people = this.#people[city]?.[year];
    if (people === undefined) throw new Error(`no census of ${city} in ${year}`);
    return people;
  }
}

/** A person approves programs that can call it. */
class PublishTool {
  name = 'publish';
  description = 'Publishes a sentence.';
  inputs = { text: { type: 'string', description: 'The sentence.' } };
  output_type = 'string';

  async forward({ text }) {
    return `published: ${text}`;
  }
}

class MapTool {
  name = 'draw_map';
  description = 'Draws a map of a city.';
  inputs = { city: { type: 'string', description: 'Name of the city.' } };
  output_type = 'image';

  async forward() {
    return { type: 'image', data: MAP, mimeType: 'image/png' };
  }
}

/** Answers as a model would, and stops where the agent wants it to. */
class ScriptedModel {
  #answers;

  constructor(answers) {
    this.#answers = answers[Symbol.iterator]();
  }

  async generate(messages, { stop_sequences: stops }) {
    if (messages[0].role !== 'system') throw new Error('the system prompt is missing');
    const { value: answer = '' } = this.#answers.next();
    const ends = stops.map((stop) => answer.indexOf(stop)).filter((at) => at !== -1);
    return { role: 'assistant', content: answer.slice(0, Math.min(...ends, answer.length)) };
  }
}

/** The agent, with the names of smolagents-ts. Unlike there, an error is what the next step begins with. */
class CodeAgent {
  state = new Map([['cities', ['Guangzhou', 'Shanghai']]]);
  #programs = [];

  constructor({ model, tools, executor, max_steps = 10 }) {
    this.tools = toHostTools(tools);
    this.model = model;
    this.executor = executor;
    this.max_steps = max_steps;
    const system_prompt = renderSystemPrompt({ tools, codeBlockTags: CODE_BLOCK_TAGS });
    this.messages = [{ role: 'system', content: system_prompt }];
  }

  async run(task) {
    this.messages.push({ role: 'user', content: task });
    for (let step = 1; step <= this.max_steps; step++) {
      console.log(`Step ${step}`);
      const { output, is_final_answer, observation } = await this.step();
      if (is_final_answer) return output;
      this.messages.push({ role: 'assistant', content: `Observation:\n${observation}` });
      console.log(`Observation:\n${observation}\n`);
    }
    throw new Error(`no final answer in ${this.max_steps} steps`);
  }

  async step() {
    const stop_sequences = ['Observation:', 'Calling tools:', CODE_BLOCK_TAGS[1]];
    const message = await this.model.generate(this.messages, { stop_sequences });
    if (!message.content.trim().endsWith(CODE_BLOCK_TAGS[1])) message.content += CODE_BLOCK_TAGS[1];
    this.messages.push(message);
    console.log(message.content);
    try {
      const code = parseCodeBlobs(message.content, CODE_BLOCK_TAGS);
      await this.executor.sendVariables(Object.fromEntries(this.state));
      // The second are the tools whose source is Python.
      await this.executor.sendTools({}, {});
      const plan = planOf(code, { tools: this.tools, earlier: this.#programs });
      if (plan.tools.some(({ name }) => name === 'publish')) approvePlan({ name: 'publish', plan });
      this.#programs.push(code);
      const { output, logs, is_final_answer } = await this.executor.run(code, { plan });
      return { output, is_final_answer, observation: formatObservation({ output, logs }) };
    } catch (error) {
      if (!(error instanceof CodeParsingError) && error.details === undefined) throw error;
      return { is_final_answer: false, observation: formatErrorObservation(error) };
    }
  }
}

const answers = [
  `Thought: I will look up both cities.
<code>
const now = await Promise.all(cities.map((city) => population(city)));
console.log(cities.lenght, 'cities');
</code>`,
  `Thought: I will look up both cities, in the last census and in the one before.
<code>
const now = await Promise.all(cities.map((city) => population(city)));
console.log(now);
const before = [await population(cities[0], '2010')];
</code>
Observation: [`,
  `Thought: The year has to be a number. Nothing has run yet, so I need \`now\` again.
<code>
const now = await Promise.all(cities.map((city) => population(city)));
const before = await Promise.all(cities.map((city) => population({ city, year: 2010 })));
const growth = cities.map((city, i) => ({ city, percent: Math.round((now[i] / before[i] - 1) * 100) }));
growth
</code>`,
  'The final answer is Guangzhou, which grew by 47 percent.',
  `Thought: I must call final_answer.
<code>
growth.sort((a, b) => b.percent - a.percent);
console.log(await publish(\`\${growth[0].city} grew by \${growth[0].percent}%\`));
final_answer(await draw_map(growth[0].city));
</code>`,
];

const tools = [new PopulationTool(), new PublishTool(), new MapTool()];
const executor = new SmolagentsExecutor({ tools, timeoutMs: 5_000, typecheck: 'error' });
const agent = new CodeAgent({ model: new ScriptedModel(answers), tools, executor });
console.log(
  `\nFinal answer: ${partText(await agent.run('Which of the cities grew more? Publish it, and show a map.'))}`,
);
await executor.cleanup();

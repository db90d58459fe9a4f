// `npm run demo:openai-agents`: the OpenAI Agents SDK, and a model that calls tools from code. The model's turns are
// written down; the SDK, the executor and the tools are real.

import { Agent, Runner, Usage, tool } from '@openai/agents';
import { z } from 'zod';

import { createCodeTool } from 'ses-executor/openai-agents';

import { approvePlan } from './approval.mjs';
import { MAP, partText } from './map.mjs';

const temperatures = { Berlin: 21.5, Lagos: 30.25, Oslo: 14 };

const listCities = tool({
  name: 'list_cities',
  description: 'Names of the cities that have a station.',
  parameters: z.object({}),
  execute: async () => Object.keys(temperatures),
});
const getTemperature = tool({
  name: 'get_temperature',
  description: 'Temperature now, in degrees Celsius.',
  parameters: z.object({ city: z.string().describe('Name of the city in English') }),
  execute: async ({ city }) => temperatures[city],
});
const warn = tool({
  name: 'warn',
  description: 'Sends a warning about the heat to the people of a city.',
  parameters: z.object({ city: z.string() }),
  needsApproval: true,
  execute: async ({ city }) => `sent to ${city}`,
});
const getMap = tool({
  name: 'get_map',
  description: 'A map of a city, as an image.',
  parameters: z.object({ city: z.string() }),
  execute: async () => ({ type: 'image', image: `data:image/png;base64,${MAP}` }),
});

const code = createCodeTool({
  tools: [listCities, getTemperature, warn, getMap],
  timeoutMs: 5_000,
  typecheck: 'error',
  approve: approvePlan,
});

/** Answers each request with the next turn: code to run, or its last words. */
class ScriptedModel {
  #turns = [
    { code: 'await get_temperature({ town: "Oslo" })' },
    {
      code: `const cities = await list_cities();
const degrees = await Promise.all(cities.map((city) => get_temperature({ city })));
const warmest = degrees.indexOf(Math.max(...degrees));
({ city: cities[warmest], degrees: degrees[warmest] })`,
    },
    { code: 'await Promise.all(["Lagos", "Berlin"].map((city) => warn({ city })))' },
    { code: 'display(await get_map({ city: "Lagos" }));\n"Lagos"' },
    { text: 'It is warmest in Lagos, at 30.25 degrees.' },
  ];
  #turn = 0;

  async getResponse({ input }) {
    const last = input.at(-1);
    if (last.type === 'function_call_result')
      console.log(`--- result\n${[last.output].flat().map(partText).join('\n')}\n`);
    const { code, text } = this.#turns[this.#turn++];
    if (code !== undefined) console.log(`--- the model calls run_javascript\n${code}\n`);
    const output =
      code === undefined
        ? { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
        : {
            type: 'function_call',
            callId: `call-${this.#turn}`,
            name: 'run_javascript',
            arguments: JSON.stringify({ code }),
          };
    return { usage: new Usage(), output: [output] };
  }
}

const agent = new Agent({
  name: 'meteorologist',
  instructions: 'Answer briefly.',
  model: new ScriptedModel(),
  tools: [code],
});
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'Where is it warmest?');
console.log(`--- the model answers\n${finalOutput}`);

// `npm run demo:langchain`: LangChain, and a model that calls tools from code. The model's turns are written down;
// LangChain, the executor and the tools are real.

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createAgent } from 'langchain';
import { z } from 'zod';

import { createCodeTool } from 'ses-executor/langchain';

import { approvePlan } from './approval.mjs';
import { MAP, partText } from './map.mjs';

const temperatures = { Berlin: 21.5, Lagos: 30.25, Oslo: 14 };

const listCities = tool(async () => Object.keys(temperatures), {
  name: 'list_cities',
  description: 'Names of the cities that have a station.',
  schema: z.object({}),
});
const getTemperature = tool(async ({ city }) => temperatures[city], {
  name: 'get_temperature',
  description: 'Temperature now, in degrees Celsius.',
  schema: z.object({ city: z.string().describe('Name of the city in English') }),
});
const warn = {
  name: 'warn',
  description: 'Sends a warning about the heat to the people of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  needsApproval: true,
  execute: async ({ city }) => `sent to ${city}`,
};
const getMap = tool(async () => [{ type: 'image_url', image_url: { url: `data:image/png;base64,${MAP}` } }], {
  name: 'get_map',
  description: 'A map of a city, as an image.',
  schema: z.object({ city: z.string() }),
});

const code = createCodeTool({
  tools: [listCities, getTemperature, warn, getMap],
  timeoutMs: 5_000,
  typecheck: 'error',
  approve: approvePlan,
});

/** Answers each request with the next turn: code to run, or its last words. */
class ScriptedModel extends BaseChatModel {
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
  ][Symbol.iterator]();

  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const last = messages.at(-1);
    const parts = Array.isArray(last.content) ? last.content.map(partText).join('\n') : last.content;
    if (last.getType() === 'tool') console.log(`--- result\n${parts}\n`);
    const { code, text = '' } = this.#turns.next().value;
    if (code !== undefined) console.log(`--- the model calls run_javascript\n${code}\n`);
    const calls = code === undefined ? [] : [{ id: 'call-1', name: 'run_javascript', args: { code } }];
    const message = new AIMessage({ content: text, tool_calls: calls });
    return { generations: [{ text, message }] };
  }
}

const agent = createAgent({ model: new ScriptedModel({}), tools: [code] });
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Where is it warmest?' }] });
console.log(`--- the model answers\n${messages.at(-1).content}`);

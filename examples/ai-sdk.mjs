// `npm run demo:ai-sdk`: the AI SDK, and a model that calls tools from code. The model's turns are written down; the AI
// SDK, the executor and the tools are real.

import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

import { createCodeTool } from 'ses-executor/ai';

import { approvePlan } from './approval.mjs';
import { MAP, partText } from './map.mjs';
import { printStep, scriptedModel } from './scripted-model.mjs';

const temperatures = { Berlin: 21.5, Lagos: 30.25, Oslo: 14 };

const tools = {
  getTemperature: tool({
    description: 'Temperature now, in degrees Celsius.',
    inputSchema: z.object({ city: z.string().describe('Name of the city in English') }),
    outputSchema: z.number(),
    execute: async ({ city }) => {
      if (!(city in temperatures)) throw new Error(`no station in ${city}`);
      return temperatures[city];
    },
  }),
  listCities: tool({
    description: 'Names of the cities that have a station.',
    inputSchema: z.object({}),
    outputSchema: z.array(z.string()),
    execute: async () => Object.keys(temperatures),
  }),
  warn: tool({
    description: 'Sends a warning about the heat to the people of a city.',
    inputSchema: z.object({ city: z.string() }),
    needsApproval: true,
    execute: async ({ city }) => `sent to ${city}`,
  }),
  getMap: tool({
    description: 'A map of a city, as an image.',
    inputSchema: z.object({ city: z.string() }),
    execute: async () => ({ type: 'image', data: MAP, mimeType: 'image/png' }),
  }),
};

const code = createCodeTool({ tools, timeoutMs: 5_000, typecheck: 'error', approve: approvePlan });
console.log(`--- the tool that the model sees\n${code.description}\n`);

const model = scriptedModel('code', [
  {
    code: `
const cities = await listCities();
const degrees = await Promise.all(cities.map((city) => getTemperature(city)));
Math.max(...degrees)`,
  },
  {
    code: `
const cities = await listCities();
const readings = await Promise.all(cities.map(async (city) => ({ city, degrees: await getTemperature({ city }) })));
console.log(readings.length, 'readings');
readings.sort((a, b) => b.degrees - a.degrees)[0]`,
  },
  { code: 'await Promise.all(["Lagos", "Berlin"].map((city) => warn({ city })))' },
  { code: 'display(await getMap({ city: "Lagos" }));\n"Lagos"' },
  { text: 'It is warmest in Lagos, at 30.25 degrees.' },
]);

const { response, responseMessages } = await generateText({
  model,
  tools: { code },
  stopWhen: stepCountIs(6),
  prompt: 'Where is it warmest?',
  onStepFinish: printStep,
});
// AI SDK 7 has the messages of all steps in `responseMessages`.
const messages = responseMessages ?? response.messages;
const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content[0].output);
console.log(`--- the model was shown\n${results.at(-1).value.map(partText).join('\n')}`);

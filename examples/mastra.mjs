// `npm run demo:mastra`: Mastra, and a model that calls tools from code. The model's turns are written down; Mastra,
// the executor and the tools are real.

import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { createCodeTool } from 'ses-executor/mastra';

import { approvePlan } from './approval.mjs';
import { MAP, partText } from './map.mjs';
import { scriptedModel, withoutData } from './scripted-model.mjs';

const temperatures = { Berlin: 21.5, Lagos: 30.25, Oslo: 14 };

const tools = {
  listCities: createTool({
    id: 'list-cities',
    description: 'Names of the cities that have a station.',
    inputSchema: z.object({}),
    execute: async () => Object.keys(temperatures),
  }),
  getTemperature: createTool({
    id: 'get-temperature',
    description: 'Temperature now, in degrees Celsius.',
    inputSchema: z.object({ city: z.string().describe('Name of the city in English') }),
    execute: async ({ city }) => temperatures[city],
  }),
  warn: createTool({
    id: 'warn',
    description: 'Sends a warning about the heat to the people of a city.',
    inputSchema: z.object({ city: z.string() }),
    requireApproval: true,
    execute: async ({ city }) => `sent to ${city}`,
  }),
  getMap: createTool({
    id: 'get-map',
    description: 'A map of a city, as an image.',
    inputSchema: z.object({ city: z.string() }),
    execute: async () => ({ type: 'image', data: MAP, mimeType: 'image/png' }),
  }),
};

const code = createCodeTool({ tools, timeoutMs: 5_000, typecheck: 'error', approve: approvePlan });
const model = scriptedModel('code', [
  { code: 'await getTemperature({ town: "Oslo" })' },
  {
    code: `const cities = await listCities();
const degrees = await Promise.all(cities.map((city) => getTemperature({ city })));
const warmest = degrees.indexOf(Math.max(...degrees));
({ city: cities[warmest], degrees: degrees[warmest] })`,
  },
  { code: 'await Promise.all(["Lagos", "Berlin"].map((city) => warn({ city })))' },
  { code: 'display(await getMap({ city: "Lagos" }));\n"Lagos"' },
  { text: 'It is warmest in Lagos, at 30.25 degrees.' },
]);

const agent = new Agent({ id: 'weather', name: 'weather', instructions: 'Answer briefly.', model, tools: { code } });
const { text, steps } = await agent.generate('Where is it warmest?', { maxSteps: 6 });
for (const part of steps.flatMap(({ content }) => content)) {
  if (part.type === 'tool-call') console.log(`--- the model calls ${part.toolName}\n${part.input.code}`);
  if (part.type !== 'tool-result') continue;
  const { type, value } = part.output;
  if (type === 'error-text') console.log(`--- error\n${value}\n`);
  else console.log('--- result\n%O\n', withoutData(value));
}
console.log(`--- the model answers\n${text}`);
const [{ output }] = model.doGenerateCalls.at(-1).prompt.at(-1).content;
console.log(`--- the model was shown\n${output.value.map(partText).join('\n')}`);

// `npm run demo:anthropic`: the tool runner of Anthropic's SDK, and a model that calls tools from code. The answers of
// the API are written down; the SDK, the executor and the tools are real.

import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { z } from 'zod';

import { createCodeTool } from 'ses-executor/anthropic';

import { approvePlan } from './approval.mjs';
import { MAP, partText } from './map.mjs';

const temperatures = { Berlin: 21.5, Lagos: 30.25, Oslo: 14 };

const listCities = betaZodTool({
  name: 'list_cities',
  description: 'Names of the cities that have a station, as JSON.',
  inputSchema: z.object({}),
  run: async () => JSON.stringify(Object.keys(temperatures)),
});
const getTemperature = betaZodTool({
  name: 'get_temperature',
  description: 'Temperature now, in degrees Celsius.',
  inputSchema: z.object({ city: z.string().describe('Name of the city in English') }),
  run: async ({ city }) => String(temperatures[city]),
});
const warn = {
  name: 'warn',
  description: 'Sends a warning about the heat to the people of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  needsApproval: true,
  execute: async ({ city }) => `sent to ${city}`,
};
const getMap = betaZodTool({
  name: 'get_map',
  description: 'A map of a city, as an image.',
  inputSchema: z.object({ city: z.string() }),
  run: async () => [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: MAP } }],
});

const code = createCodeTool({
  tools: [listCities, getTemperature, warn, getMap],
  timeoutMs: 5_000,
  typecheck: 'error',
  approve: approvePlan,
});

const turns = [
  { code: 'await get_temperature({ town: "Oslo" })' },
  {
    code: `const cities = JSON.parse(await list_cities());
const degrees = (await Promise.all(cities.map((city) => get_temperature({ city })))).map(Number);
const warmest = degrees.indexOf(Math.max(...degrees));
({ city: cities[warmest], degrees: degrees[warmest] })`,
  },
  { code: 'await Promise.all(["Lagos", "Berlin"].map((city) => warn({ city })))' },
  { code: 'display(await get_map({ city: "Lagos" }));\n"Lagos"' },
  { text: 'It is warmest in Lagos, at 30.25 degrees.' },
][Symbol.iterator]();

/** The API: answers each request with the next turn, code to run, or the last words. */
async function api(_url, { body }) {
  const [result] = JSON.parse(body).messages.at(-1).content;
  if (result.type === 'tool_result') {
    const parts = Array.isArray(result.content) ? result.content.map(partText).join('\n') : result.content;
    console.log(`--- result${result.is_error ? ', an error' : ''}\n${parts}\n`);
  }
  const { code, text } = turns.next().value;
  if (code !== undefined) console.log(`--- the model calls run_javascript\n${code}\n`);
  const content =
    code === undefined
      ? { type: 'text', text }
      : { type: 'tool_use', id: 'call-1', name: 'run_javascript', input: { code } };
  return Response.json({
    id: 'message-1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [content],
    stop_reason: code === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  });
}

const client = new Anthropic({ apiKey: 'none', fetch: api });
const message = await client.beta.messages.toolRunner({
  model: 'scripted',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Where is it warmest?' }] }],
  tools: [code],
});
console.log(`--- the model answers\n${message.content[0].text}`);

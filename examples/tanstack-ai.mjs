// `npm run demo:tanstack-ai`: the code mode of TanStack AI, with this executor as its isolate driver. The model's turns
// are written down; TanStack AI, the executor and the tools are real.

import { EventType, chat, toolDefinition } from '@tanstack/ai';
import { createCodeMode } from '@tanstack/ai-code-mode';
import { z } from 'zod';

import { createSESIsolateDriver, withContent } from 'ses-executor/tanstack-ai';

import { approvePlan } from './approval.mjs';
import { MAP } from './map.mjs';

const temperatures = { Berlin: 21.5, Lagos: 30.25, Oslo: 14 };

const listCities = toolDefinition({
  name: 'listCities',
  description: 'Names of the cities that have a station.',
  inputSchema: z.object({}),
  outputSchema: z.array(z.string()),
}).server(async () => Object.keys(temperatures));
const getTemperature = toolDefinition({
  name: 'getTemperature',
  description: 'Temperature now, in degrees Celsius.',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.number(),
}).server(async ({ city }) => temperatures[city]);
const getMap = toolDefinition({
  name: 'getMap',
  description: 'A map of a city, as an image.',
  inputSchema: z.object({ city: z.string() }),
}).server(async () => ({ type: 'image', data: MAP, mimeType: 'image/png' }));

const warn = toolDefinition({
  name: 'warn',
  description: 'Sends a warning about the heat to the people of a city.',
  inputSchema: z.object({ city: z.string() }),
}).server(async ({ city }) => `sent to ${city}`);

const driver = createSESIsolateDriver({
  timeoutMs: 5_000,
  typecheck: 'error',
  // A person is asked about each program that can warn, before it runs. The run is held to the approved plan.
  approvePlan: ({ plan }) => {
    const canWarn = plan.tools.some(({ name }) => name === 'external_warn');
    return !canWarn || approvePlan({ name: 'external_warn', plan }) === 'plan';
  },
});
const { tool, systemPrompt } = createCodeMode({
  driver,
  tools: [listCities, getTemperature, warn, getMap],
  // The executor runs TypeScript. Positions in errors are those of the model's own code.
  transpile: (code) => code,
});

const turns = [
  { code: 'return await external_getTemperature({ town: "Oslo" });' },
  {
    code: `const cities: string[] = await external_listCities({});
const degrees = await Promise.all(cities.map((city) => external_getTemperature({ city })));
console.log(cities.length, 'cities');
const warmest = degrees.indexOf(Math.max(...degrees));
return { city: cities[warmest], degrees: degrees[warmest] };`,
  },
  {
    code: `const cities: string[] = ['Lagos', 'Berlin'];
return await Promise.all(cities.map((city) => external_warn({ city })));`,
  },
  { code: 'display(await external_getMap({ city: "Lagos" }));\nreturn "Lagos";' },
  { text: 'It is warmest in Lagos, at 30.25 degrees.' },
];

/** An adapter that plays the turns. */
const adapter = {
  kind: 'text',
  name: 'scripted',
  model: 'scripted',
  async *chatStream() {
    const turn = turns.shift();
    const run = { runId: 'run', threadId: 'thread' };
    const toolCallId = `call-${turns.length}`;
    yield { type: EventType.RUN_STARTED, ...run };
    if (turn.code === undefined) {
      yield { type: EventType.TEXT_MESSAGE_START, messageId: 'answer', role: 'assistant' };
      yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'answer', delta: turn.text };
      yield { type: EventType.TEXT_MESSAGE_END, messageId: 'answer' };
    } else {
      const input = { typescriptCode: turn.code };
      yield { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: 'execute_typescript' };
      yield { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(input) };
      yield { type: EventType.TOOL_CALL_END, toolCallId, input };
    }
    yield { type: EventType.RUN_FINISHED, ...run, finishReason: turn.code === undefined ? 'stop' : 'tool_calls' };
  },
};

const stream = chat({
  adapter,
  messages: [{ role: 'user', content: 'Where is it warmest?' }],
  systemPrompts: [systemPrompt],
  tools: [withContent(tool)],
});
for await (const { type, name, value, delta, content } of stream) {
  if (type === EventType.CUSTOM) {
    const { function: called, level, message } = value;
    console.log(`--- ${name} ${called ?? `${level ?? ''} ${message ?? ''}`}`.trim());
  }
  if (type === EventType.TOOL_CALL_RESULT) {
    const parsed = JSON.parse(content);
    const parts = Array.isArray(parsed) ? parsed.slice(1) : [];
    for (const { type: kind, source } of parts) console.log(`--- the model sees: ${kind} ${source.mimeType}`);
    const { result, error } = Array.isArray(parsed) ? JSON.parse(parsed[0].content) : parsed;
    console.log(error === undefined ? `--- result\n${JSON.stringify(result)}\n` : `--- error\n${error.message}\n`);
  }
  if (type === EventType.TEXT_MESSAGE_CONTENT) console.log(`--- the model answers\n${delta}`);
}

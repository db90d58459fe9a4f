// `npm run demo:codemode`: `@cloudflare/codemode` in Node.js, with this executor in the place of a Worker. The model's
// turns are written down; codemode, the AI SDK, the executor and the tools are real.
//
// `@cloudflare/codemode` and its part `/ai` import modules of Cloudflare Workers; `/browser` and `/mcp` run anywhere.

import { createBrowserCodeTool } from '@cloudflare/codemode/browser';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';

import { CodemodeRuntime, SESCodemodeExecutor, withContent } from 'ses-executor/codemode';
import { memoryStore } from 'ses-executor/durable';

import { approvePlan } from './approval.mjs';
import { MAP } from './map.mjs';
import { printStep, scriptedModel } from './scripted-model.mjs';

const stock = new Map([
  ['apples', 12],
  ['pears', 0],
  ['plums', 7],
]);

const made = createBrowserCodeTool({
  executor: new SESCodemodeExecutor({ timeoutMs: 5_000, typecheck: 'error' }),
  tools: {
    'list-items': {
      description: 'Names of the items in the store',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: { type: 'array', items: { type: 'string' } },
      execute: async () => [...stock.keys()],
    },
    count: {
      description: 'How many there are of an item',
      inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
      outputSchema: { type: 'number' },
      execute: async ({ item }) => stock.get(item),
    },
    photo: {
      description: 'A photo of an item, as an image',
      inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
      execute: async () => ({ type: 'image', data: MAP, mimeType: 'image/png' }),
    },
  },
});
const codemode = withContent(made);
console.log(`--- the tool that the model sees\n${codemode.description}\n`);

const model = scriptedModel('codemode', [
  {
    code: `
async () => {
  const items = await codemode.list_items({});
  return items.filter((item) => codemode.stockOf({ item }) === 0);
}`,
  },
  {
    code: `
async () => {
  const items = await codemode.list_items({});
  const counts = await Promise.all(items.map((item) => codemode.count({ item })));
  console.log(items.length, 'items');
  return items.filter((_, index) => counts[index] === 0);
}`,
  },
  {
    code: `
async () => {
  display(await codemode.photo({ item: 'pears' }));
  return 'pears';
}`,
  },
  { text: 'Only the pears are sold out.' },
]);

await generateText({
  model,
  tools: {
    codemode: tool({
      description: codemode.description,
      inputSchema: jsonSchema(codemode.inputSchema),
      execute: codemode.execute,
      toModelOutput: codemode.toModelOutput,
    }),
  },
  stopWhen: stepCountIs(5),
  prompt: 'What is sold out?',
  onStepFinish: printStep,
});

// A runtime makes calls that a person must approve. The program waits for the decision, and repeats nothing. The person
// sees the plan of the program, and decides once about all of its calls.
const tools = {
  soldOut: { description: 'Names of the items that are sold out', execute: async () => ['pears', 'plums'] },
  order: {
    description: 'Orders an item',
    inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    requiresApproval: true,
    execute: async ({ item }) => `ordered ${item}`,
  },
};
const runtime = new CodemodeRuntime({ connectors: [{ name: 'store', tools }], store: memoryStore() });
const code = `async () => {
  const soldOut = await store.soldOut({});
  const orders = [];
  for (const item of ['apples', 'pears', 'plums']) {
    if (soldOut.includes(item)) orders.push(await store.order({ item }));
  }
  return orders;
}`;
let outcome = await runtime.execute({ code });
while (outcome.status === 'paused') {
  const { executionId, pending } = outcome;
  const [{ connector, method, plan }] = pending;
  const decision = approvePlan({ name: `${connector}.${method}`, plan });
  outcome = await runtime.approve({ executionId, plan: decision === 'plan' });
}
console.log('--- result\n%O', outcome.result);

// `npm run demo:plans`: a model writes a program that refunds orders. A person sees what the program can do, and
// decides once. The second program tries more than its plan says: the host refuses that call. The model's programs and
// the person's answers are written down; plans, executor and tools are real.

import { createCodeTool, renderPlan } from 'ses-executor/code-tool';

const orders = [
  { id: 'A-1', total: 40, state: 'damaged' },
  { id: 'A-2', total: 25, state: 'delivered' },
  { id: 'A-3', total: 60, state: 'damaged' },
];

const tools = {
  listOrders: {
    description: 'Orders of a customer.',
    inputSchema: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
    execute: () => orders,
  },
  refund: {
    description: 'Refunds an order.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, percent: { type: 'number' } },
      required: ['id', 'percent'],
    },
    needsApproval: true,
    execute: ({ id, percent }) => `refunded ${percent}% of ${id}`,
  },
};

let asked = 0;
const code = createCodeTool({
  tools,
  enforcePlan: true,
  typecheck: 'error',
  approve: async ({ name, plan }) => {
    asked += 1;
    console.log(`A person is asked about ${name}:\n\n${renderPlan(plan)}\n`);
    return 'plan';
  },
});

const program = `
const orders = await listOrders({ customer: 'ada' });
const damaged = orders.filter(({ state }) => state === 'damaged');
await Promise.all(damaged.map(({ id }) => refund({ id, percent: 50 })));
`;
console.log('--- one decision for all calls of a program\n');
console.log((await code.execute(`${program}damaged.length + ' refunds'`)).text);
console.log(`The person was asked ${asked === 1 ? 'once' : `${asked} times`}.\n`);

console.log('--- what an approval of one program is worth for another\n');
const { SESExecutor } = await import('ses-executor');
const executor = new SESExecutor({ autoInit: true, typecheck: 'error' });
const refund = async ({ id, percent }) => `refunded ${percent}% of ${id}`;
await executor.sendTools({ listOrders: async () => orders, refund });
const plan = await code.plan(program);
const error = await executor
  .run("await refund({ id: 'A-1', percent: 50 }); await refund({ id: 'A-1', percent: 100 })", { plan })
  .catch((thrown) => thrown);
console.log(error.message);
console.log(error.details.code);
await executor.cleanup();

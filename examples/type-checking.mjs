// `npm run demo:type-checking`: programs are checked against the schemas of their tools before they run. The programs
// are written down; the executor, the tools and the checks are real.

import { checkTypes } from 'ses-executor';
import { createCodeTool } from 'ses-executor/code-tool';

const payments = [];
const tools = {
  list_orders: {
    description: 'Orders by their status.',
    inputSchema: { type: 'object', properties: { status: { enum: ['open', 'paid'] } }, required: ['status'] },
    outputSchema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'string' }, total: { type: 'number' } },
        required: ['id', 'total'],
      },
    },
    execute: async () => [
      { id: 'A-1', total: 20 },
      { id: 'A-2', total: 5 },
    ],
  },
  refund: {
    description: 'Refunds a part of an order.',
    inputSchema: {
      type: 'object',
      properties: { order_id: { type: 'string' }, amount: { type: 'number' } },
      required: ['order_id', 'amount'],
    },
    execute: async ({ order_id, amount }) => payments.push(`${amount} for ${order_id}`),
  },
};
const programs = [
  `// The second argument is misspelt: without a check, the first order would be refunded before the second call fails.
const orders = await list_orders({ status: 'open' });
await refund({ order_id: orders[0].id, amount: orders[0].total });
await refund({ orderId: orders[1].id, amount: orders[1].total });`,
  `const orders = list_orders({ status: 'open' });
orders.length;`,
  `const orders = await list_orders({ status: 'open' });
for (const { id, total } of orders) await refund({ order_id: id, amount: total });
orders.length;`,
];

const tool = createCodeTool({ tools, typecheck: 'error' });
for (const program of programs) {
  const { text } = await tool.execute(program);
  console.log(`--- the program\n${program}\n--- the result\n${text}\n--- refunds: ${payments.join(', ') || 'none'}\n`);
}

const [mistake] = await checkTypes('await refund({ order_id: 5, amount: 1 })', { tools });
console.log(`--- checkTypes\nline ${mistake.location.line}: ${mistake.message}`);

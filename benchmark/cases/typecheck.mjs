// `checkTypes`: a program of 50 lines that can use 100 tools with schemas, after the first check.

import { expectEqual, repeat } from './measure.mjs';

const TOOLS = 100;
const CALLS = 10;
/** `{n}` is a number of a tool, `{salt}` makes each program unique. */
const CALL = `const found{n} = await tool{n}({ query: 'item {salt}', limit: {n}, tags: ['a', 'b'] });
const total{n} = found{n}.items.reduce((sum, item) => sum + item.price * item.quantity, 0);
if (total{n} > 100) {
  console.log(\`\${found{n}.name}: \${total{n}.toFixed(2)}\`);
}
`;

const inputSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What to look for.' },
    limit: { type: 'integer' },
    order: { enum: ['asc', 'desc'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['query'],
};
const item = {
  type: 'object',
  properties: { sku: { type: 'string' }, price: { type: 'number' }, quantity: { type: 'integer' } },
};
const outputSchema = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, items: { type: 'array', items: item } },
};

export default {
  id: 'typecheck',
  title: 'type checks',
  rounds: 10,
  seconds: 8,
  variants: [{ id: 'typecheck-50', title: '`checkTypes`, 50 lines and 100 tools' }],
  metrics: [{ id: 'time', unit: 'ms' }],
  peers: ['ses-executor'],

  async prepare({ typeChecker }) {
    const check = await typeChecker();
    const tools = Object.fromEntries(
      Array.from({ length: TOOLS }, (_, i) => [
        `tool${i}`,
        { inputSchema: structuredClone(inputSchema), outputSchema: structuredClone(outputSchema) },
      ]),
    );
    const state = { work: (text) => check(text, { tools }), last: 0 };
    for (let i = 0; i < 20; i++) await state.work(programOf(++state.last));
    return { state };
  },

  async round(state, _, { isQuick }) {
    const results = [];
    const samples = isQuick ? 10 : 20;
    const work = async () => void results.push(await state.work(programOf(++state.last)));
    const time = await repeat(work, { samples, budgetMs: 1_500 });
    for (const found of results) expectEqual(found, [], 'checkTypes');
    return { time };
  },
};

function programOf(salt) {
  return Array.from({ length: CALLS }, (_, i) =>
    CALL.replaceAll('{n}', String(((salt + i) * 7) % TOOLS)).replaceAll('{salt}', String(salt)),
  ).join('');
}

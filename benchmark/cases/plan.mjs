// `planOf`: the tools that a program can call, from its text.

import { median } from '../statistics.mjs';
import { expectEqual, repeat } from './measure.mjs';

const STEP = `const query{n} = { customer: 'c{n}', limit: 5 };
const rows{n} = await list{n % 10}(query{n});
for (const row of rows{n}) {
  if (row.total > {n}) await mail.send{n % 10}({ to: row.owner, subject: 'Order {n}' });
}
const load{n} = async (path, attempt = 0) => {
  try {
    return await fetch{n % 10}({ path, attempt });
  } catch (error) {
    return attempt < 3 ? load{n}(path, attempt + 1) : error.message;
  }
};
await Promise.all(['a', 'b'].map((name) => load{n}(\`/\${name}\`)));
`;
const LINES_PER_STEP = STEP.split('\n').length - 1;
const TEN = Array.from({ length: 10 }, (_, n) => n);
const TOOLS = Object.fromEntries(TEN.flatMap((n) => [[`list${n}`, () => {}], [`fetch${n}`, () => {}]])); // prettier-ignore
TOOLS.mail = Object.fromEntries(TEN.map((n) => [`send${n}`, () => {}]));

const TIME = { id: 'time', unit: 'ms' };
const SIZES = {
  'plan-50': { title: '50 lines', text: (n) => programOf(Math.ceil(50 / LINES_PER_STEP), n) },
  'plan-1000': { title: '1,000 lines', text: (n) => programOf(Math.ceil(1_000 / LINES_PER_STEP), n) },
  'plan-1mb': {
    title: '1 MB',
    metrics: [TIME, { id: 'growth', unit: '×', title: '`planOf`, time per character at 1 MB against 1,000 lines' }],
    text: (n) => programOf(Math.floor(1_000_000 / (programOf(100, 0).length / 100)), n),
  },
};

export default {
  id: 'plan',
  title: 'planOf',
  rounds: 10,
  seconds: 15,
  variants: Object.entries(SIZES).map(([id, { title, metrics }]) => ({ id, title: `\`planOf\`, ${title}`, metrics })),
  metrics: [TIME],
  peers: ['ses-executor'],

  async prepare({ planOf }) {
    const work = (code) => planOf(code, { tools: TOOLS, earlier: [], maxCodeBytes: 1 << 21 });
    for (let i = 0; i < 20; i++) work(SIZES['plan-50'].text(i));
    return { state: { work, last: 1_000 } };
  },

  async round(state, { id }, { isQuick }) {
    if (id === 'plan-1mb') {
      const large = await measure(state, id, 2);
      // At once, so that both have the same noise.
      const small = await measure(state, 'plan-1000', 10);
      return { time: large.time, growth: [median(large.perCharacter) / median(small.perCharacter)] };
    }
    return { time: (await measure(state, id, isQuick ? 10 : 20)).time };
  },
};

async function measure(state, size, samples) {
  const texts = Array.from({ length: samples }, () => SIZES[size].text(++state.last));
  const results = [];
  const time = await repeat((i) => results.push(state.work(texts[i])), { samples, budgetMs: 1_500 });
  for (const { unresolved, tools } of results) expectEqual([unresolved, tools.length > 2], [[], true], 'planOf');
  return { time, perCharacter: time.map((ms) => ms / texts[0].length) };
}

/** `salt` makes the text unique. */
function programOf(steps, salt) {
  const step = (_, i) => STEP.replaceAll('{n % 10}', String(i % 10)).replaceAll('{n}', String(i + 1));
  return `${Array.from({ length: steps }, step).join('')}// ${salt}\n`;
}

// `prepareProgram`: parse, check and transform, without running. The baseline compiles the text with `vm.Script`.

import vm from 'node:vm';

import { median } from '../statistics.mjs';
import { expectEqual, repeat } from './measure.mjs';

const STEP = `const items{n} = [{ id: {n}, price: 12.5, tags: ['a', 'b'] }, { id: 2, price: 7, tags: [] }];
let total{n} = 0;
for (const item of items{n}) {
  if (item.tags.length > 0) total{n} += item.price * {n};
}
async function load{n}(path, { retries = 3 } = {}) {
  try {
    return \`\${path}?attempt=\${retries}\`;
  } catch (error) {
    return retries > 0 ? load{n}(path, { retries: retries - 1 }) : error.message;
  }
}
`;
const LINES_PER_STEP = STEP.split('\n').length - 1;

const TIME = { id: 'time', unit: 'ms' };
const SIZES = {
  'prepare-50': { title: '50 lines', text: (n) => programOf(Math.ceil(50 / LINES_PER_STEP), n) },
  'prepare-1000': { title: '1,000 lines', text: (n) => programOf(Math.ceil(1_000 / LINES_PER_STEP), n) },
  'prepare-1mb': {
    title: '1 MB',
    metrics: [
      TIME,
      { id: 'growth', unit: '×', title: '`prepareProgram`, time per character at 1 MB against 1,000 lines' },
    ],
    text: (n) => programOf(Math.floor(1_000_000 / (programOf(100, 0).length / 100)), n),
  },
};

export default {
  id: 'prepare',
  title: 'prepareProgram',
  rounds: 10,
  seconds: 15,
  variants: Object.entries(SIZES).map(([id, { title, metrics }]) => ({
    id,
    title: `\`prepareProgram\`, ${title}`,
    metrics,
  })),
  metrics: [TIME],
  /** There is nothing to compare in the others. */
  peers: ['ses-executor', 'ses-executor-host-node', 'vm'],

  async prepare(peer) {
    const { prepareProgram } = peer;
    const work = prepareProgram ?? ((text) => void new vm.Script(`(async () => {${text}})`));
    for (let i = 0; i < 20; i++) work(SIZES['prepare-50'].text(i));
    return { state: { work, last: 1_000 } };
  },

  async round(state, { id }, { isQuick }) {
    if (id === 'prepare-1mb') {
      const large = await measure(state, id, 2);
      // At once, so that both have the same noise.
      const small = await measure(state, 'prepare-1000', 10);
      return { time: large.time, growth: [median(large.perCharacter) / median(small.perCharacter)] };
    }
    return { time: (await measure(state, id, isQuick ? 10 : 20)).time };
  },
};

async function measure(state, size, samples) {
  const texts = Array.from({ length: samples }, () => SIZES[size].text(++state.last));
  const results = [];
  const time = await repeat((i) => results.push(state.work(texts[i])), { samples, budgetMs: 1_500 });
  for (const prepared of results) expectEqual(prepared?.diagnostics ?? [], [], 'prepareProgram');
  return { time, perCharacter: time.map((ms) => ms / texts[0].length) };
}

/** `salt` makes the source text unique. */
function programOf(steps, salt) {
  return Array.from({ length: steps }, (_, i) => STEP.replaceAll('{n}', String(i + 1))).join('') + `// ${salt}\n`;
}

// Programs that only compute: text in, result out, against the same text as an async function in plain Node.js.

import { readFileSync } from 'node:fs';

import { expectEqual } from './measure.mjs';

/** The programs, function bodies, with what they return. */
export const PROGRAMS = [
  { name: 'sieve', title: 'sieve', want: 216_816 },
  { name: 'nested-loops', title: 'nested loops of 3e7', want: -581_615_040 },
  { name: 'json', title: 'JSON', want: 4_685_151 },
  { name: 'strings', title: 'string building', want: 1_304_333_483 },
  { name: 'maps-and-objects', title: 'Maps and objects', want: 23_250_168_766 },
  { name: 'array-push', title: 'array push', want: 162_016_864 },
  { name: 'closures', title: 'closures', want: 1_255_084_480 },
  { name: 'fibonacci', title: 'recursive Fibonacci', want: 2_178_309 },
  { name: 'regexp', title: 'regular expressions', want: '238195 1151719 4357' },
];

/** The text of a program. */
export function readProgram(name) {
  return readFileSync(new URL(`../programs/${name}.js`, import.meta.url), 'utf8');
}

export default {
  id: 'cpu',
  title: 'CPU programs',
  rounds: 31,
  seconds: 100,
  roundsOfSlow: 1,
  variants: PROGRAMS.map(({ name, title }) => ({ id: `cpu-${name}`, title: `CPU: ${title}` })),
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    return { state: { peer, last: 0 } };
  },

  async round(state, { id }) {
    const { name, want } = PROGRAMS.find((program) => `cpu-${program.name}` === id);
    if (state.id !== id) {
      // Each program has a session of its own: where variables outlive a run, those of another one are no burden of its.
      await state.session?.close();
      state.session = await state.peer.open({ memoryLimitMb: 512 });
      state.id = id;
    }
    // A text of its own, so that no compilation of an earlier round is used.
    const text = `// ${++state.last}\n${readProgram(name)}`;
    const started = performance.now();
    const result = await state.session.run(text);
    const time = [performance.now() - started];
    expectEqual(result, want, name);
    return { time };
  },
};

// Cases of programs that only compute: text in, result out, against the same text as an async function in plain
// Node.js.

import { readFileSync } from 'node:fs';

import { expectEqual } from './measure.mjs';

/** The text of a program, a function body. */
export function readProgram(name) {
  return readFileSync(new URL(`../programs/${name}.js`, import.meta.url), 'utf8');
}

/** A case that runs `programs`: `{ id, title, text, want }`, with what they return, in sessions of `memoryLimitMb` or a peer's default. */
export function programCase({ programs, memoryLimitMb, ...rest }) {
  return {
    ...rest,
    variants: programs.map(({ id, title }) => ({ id, title })),
    metrics: [{ id: 'time', unit: 'ms' }],

    async prepare(peer) {
      return { state: { peer, last: 0 } };
    },

    async round(state, { id }) {
      const { text, want } = programs.find((program) => program.id === id);
      if (state.id !== id) {
        // Each program has its own session. Otherwise, where variables outlive a run, other programs' variables would
        // slow it.
        await state.session?.close();
        state.session = await state.peer.open({ memoryLimitMb });
        state.id = id;
      }
      // The source text is unique, so that no compilation of an earlier round is used.
      const program = `// ${++state.last}\n${text}`;
      const started = performance.now();
      const result = await state.session.run(program);
      const time = [performance.now() - started];
      expectEqual(result, want, id);
      return { time };
    },
  };
}

// attack: a graph of 2^40 paths, a wide one and a huge integer, for everything that shows outputs
// outcome: value [true,true,true]
// state: READY
// options: {"timeoutMs":30000,"maxOperations":1000000000000,"memoryLimitMb":512}
// processPeak: 80 the output reaches the host, and is copied on its way
import { unlessStalled } from './stalls.mjs';
import { outputText, toJson } from '../../build/contract/render.js';
import { formatObservation } from '../../build/adapters/smolagents/observation.js';

const PROGRAMS = [
  'let x = [1]; for (let i = 0; i < 40; i++) x = [x, x]; return x',
  'let x = Array(100).fill(1); for (let i = 0; i < 9; i++) x = Array(100).fill(x); return x',
  'return { n: 1n << 100_000_000n }',
];

const PRINTERS = [
  outputText,
  (/** @type {unknown} */ output) => JSON.stringify(toJson(output)),
  (/** @type {unknown} */ output) => formatObservation({ output, logs: '' }),
];

export const scenario = (/** @type {any} */ host) =>
  unlessStalled(host, async () => {
    const shown = [];
    for (const program of PROGRAMS) {
      const { output } = await host.executor.run(program);
      const texts = [];
      for (const show of PRINTERS) {
        // Each printer has a turn of the event loop to itself.
        await new Promise((resolve) => setImmediate(resolve));
        texts.push(show(output));
      }
      shown.push(texts.every((text) => text.length < 200_000));
    }
    return `value ${JSON.stringify(shown)}`;
  });

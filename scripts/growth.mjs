// How the host's memory grows with the runs of one executor: resident memory in bytes per run, over the later half of
// them.
//
//   node --expose-gc scripts/growth.mjs [--runs 200000] [--isolation thread]
//
// Prints a line per tenth and the slope. The exit status is 1 if all runs together have left more than 100 MB.

import { argv, exit, memoryUsage } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { SESExecutor } from '../index.mjs';

const MAX_GROWTH_BYTES = 100 * 2 ** 20;
/** Points between which the slope is taken. */
const POINTS = 10;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/**
 * Programs that differ each time, in what the engine keeps of them: texts, names, positions, errors, logs, observed
 * names.
 */
const PROGRAMS = [
  (n) => `const value_${n % 50} = { n: ${n}, text: 'x'.repeat(${n % 1000}) }; value_${n % 50}.n`,
  (n) => `name_${n} = ${n}; delete globalThis.name_${n}; '${'c'.repeat(n % 200)}'`,
  (n) => `try { missing_${n}.member } catch (error) { console.log(error.message, error.stack); }`,
  (n) => `await later({ n: ${n}, list: [1, 2, 3] })`,
  (n) => `throw new RangeError('number ${n}')`,
];

/** Makes programs as long as those of models, so that what is kept of them is soon as much as it gets. */
const PADDING = `\n/* ${'- '.repeat(2_000)}*/`;

/**
 * Runs programs on one executor, and measures what stays.
 *
 * @param {{ isolation: 'thread' | 'process', runs: number, onPoint?: (done: number, bytes: number) => void }} options
 * @returns {Promise<{ bytesPerRun: number, grown: number }>} the slope of least squares over the later half, and the
 *   difference of
 * the last point and the one in the middle, in bytes
 */
export async function growthOf({ isolation, runs, onPoint = () => {} }) {
  // A small heap is soon as large as it gets.
  const executor = new SESExecutor({ isolation, autoInit: true, timeoutMs: 60_000, memoryLimitMb: 16 });
  await executor.sendTools({ later: async (value) => value });
  /** @type {{ done: number, bytes: number }[]} */
  const points = [];
  for (let done = 1; done <= runs; done++) {
    await executor.run(PROGRAMS[done % PROGRAMS.length](done) + PADDING).catch((error) => {
      if (error.code !== 'ERR_RUNTIME_EXCEPTION') throw error;
    });
    if (done % Math.ceil(runs / POINTS) !== 0) continue;
    collect();
    const bytes = memoryUsage.rss();
    points.push({ done, bytes });
    onPoint(done, bytes);
  }
  await executor.cleanup();
  const later = points.slice(Math.floor(points.length / 2) - 1);
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [x, y] = [mean(later.map(({ done }) => done)), mean(later.map(({ bytes }) => bytes))];
  const bytesPerRun =
    later.reduce((sum, { done, bytes }) => sum + (done - x) * (bytes - y), 0) /
    later.reduce((sum, { done }) => sum + (done - x) ** 2, 0);
  return { bytesPerRun, grown: later.at(-1).bytes - later[0].bytes };
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { runs: { type: 'string', default: '200000' }, isolation: { type: 'string', default: 'thread' } },
  });
  const onPoint = (done, bytes) => console.log(`${done} runs: ${(bytes / 2 ** 20).toFixed(1)} MiB`);
  const { bytesPerRun, grown } = await growthOf({ isolation: values.isolation, runs: Number(values.runs), onPoint });
  console.log(`${bytesPerRun.toFixed(1)} bytes per run; ${(grown / 2 ** 20).toFixed(1)} MiB over the later half`);
  exit(2 * grown > MAX_GROWTH_BYTES ? 1 : 0);
}

// `npm run sweep`: every built-in with receivers and arguments of sizes around 2^24 to 2^53
// (__test__/hostile/sweep.mjs). Takes an hour or two.
//
//   npm run sweep -- [--isolation thread] [--only <text in the built-in's expression>] [--sample <count>] [--piece 1/1]
//
// Exits with status 1 if something was found.

import { argv, stdout } from 'node:process';
import { parseArgs } from 'node:util';

import { listCases, sample, sweep } from '../__test__/hostile/sweep.mjs';

const { values } = parseArgs({
  args: argv.slice(2),
  options: {
    isolation: { type: 'string', default: 'thread' },
    only: { type: 'string', default: '' },
    sample: { type: 'string' },
    piece: { type: 'string', default: '1/1' },
  },
});
const all = await listCases();
const named = all.filter(({ builtin }) => builtin.includes(values.only));
const sampled = values.sample === undefined ? named : sample(named, Number(values.sample), 1);
const [piece, pieces] = values.piece.split('/').map(Number);
const cases = sampled.slice(((piece - 1) / pieces) * sampled.length, (piece / pieces) * sampled.length);
console.log(`${cases.length} cases of ${all.length}, isolation: ${values.isolation}`);
const findings = await sweep(cases, {
  isolation: values.isolation,
  onProgress: (done) => stdout.isTTY && stdout.write(`\r${done} of ${cases.length}`),
  onFinding: (finding) => console.log(finding),
});
if (findings.length === 0) console.log('Nothing was found.');
process.exitCode = findings.length === 0 ? 0 : 1;

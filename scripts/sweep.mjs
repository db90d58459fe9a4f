// `npm run sweep`: every built-in with receivers and arguments of sizes around 2^24 to 2^53 (__test__/hostile/sweep.mjs). Takes
// an hour or two. `npm run sweep -- <text>` only runs built-ins whose expression contains the text, `-- --sample <count>` as
// many cases as given. Exits with status 1 if something was found.

import { argv, exit, stdout } from 'node:process';

import { listCases, sample, sweep } from '../__test__/hostile/sweep.mjs';

const [word, count] = argv.slice(2);
const all = await listCases();
const cases =
  word === '--sample' ? sample(all, Number(count), 1) : all.filter(({ builtin }) => builtin.includes(word ?? ''));
console.log(`${cases.length} cases of ${all.length}`);
const findings = await sweep(cases, {
  onProgress: (done) => stdout.isTTY && stdout.write(`\r${done} of ${cases.length}`),
  onFinding: (finding) => console.log(finding),
});
if (findings.length === 0) console.log('Nothing was found.');
exit(findings.length === 0 ? 0 : 1);

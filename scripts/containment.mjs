// Runs every attack in __test__/hostile and writes the outcomes to reports/containment.md. With --check it writes
// nothing, and fails if the committed report lists other attacks or outcomes. It ignores memory and time, which differ
// between machines. An attack that is not contained is repeated once, with nothing else running. Only the second result
// counts. `--only <text>,<text>` runs the attacks whose name contains one of the strings, and updates their rows. The
// script also runs the Python programs of __test__/python/escapes.mjs, and a sample of the sweep over all built-ins
// (scripts/sweep.mjs runs the whole sweep).

import { readFileSync, writeFileSync } from 'node:fs';
import { exit, platform, stderr, version } from 'node:process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { format, resolveConfig } from 'prettier';

import { listCases, sample, sweep } from '../__test__/hostile/sweep.mjs';
import { expected, limiter, listAttacks, observed, runAttack } from '../__test__/hostile/suite.mjs';
import { ESCAPES, tryEscapes } from '../__test__/python/escapes.mjs';

/** Cases of the sweep, and what picks them. */
const SWEPT = 100;
const SEED = 1;
const FILE = new URL('../reports/containment.md', import.meta.url);
/** Titles, with the promises of SECURITY.md that the attacks test. */
const GROUPS = {
  authority: 'Authority: reaching the host, or what later runs rely on (P1, P2)',
  values: 'Values: what crosses in both directions (P6)',
  stall: "Stalls: what a value costs the host's thread (P5)",
  tools: 'Tools: calls of the host (P3, P6)',
  time: 'Time: never coming back (P3)',
  stack: 'Stack: what is left when a limit is met at its end (P6)',
  memory: 'Memory: one budget for heap and buffers (P4)',
  logs: 'Logs: what the console costs (P4, P5)',
  source: 'Source: program text (P3, P4)',
  host: 'Host: cleanup, exit, neighbours (P3, P4)',
};

/** With --process, each executor has its own process. Such a run is always a check: its outcomes must be the same. */
const { values } = parseArgs({
  options: { process: { type: 'boolean' }, check: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const isolation = values.process ? 'process' : 'thread';
const isCheck = values.check;
const only = values.only?.split(',');
const attacks = listAttacks(isolation).filter(({ name }) => only?.some((text) => name.includes(text)) ?? true);
const limited = limiter(2);
let done = 0;
const rows = await Promise.all(attacks.map((attack) => limited(() => rowOf(attack))));
if (stderr.isTTY) stderr.write('\n');
for (const [at, { attack, isContained, differences }] of rows.entries()) {
  if (isContained) continue;
  console.log(`${attack.name}: repeated alone, because of ${differences}`);
  rows[at] = await rowOf(attack);
}

const failures = rows.filter(({ isContained }) => !isContained);
for (const { attack, differences } of failures) console.error(`${attack.name}: not contained: ${differences}`);
console.log(`${rows.length - failures.length} of ${rows.length} attacks contained`);

const isWhole = only === undefined;
const { status, stderr: said, report = [] } = isWhole ? await tryEscapes(isolation) : { status: 0, stderr: '' };
const reaching = report.filter(({ reached }) => reached.length > 0);
const escapes = isWhole ? ESCAPES.length - report.length + reaching.length : 0;
if (status !== 0) console.error(`Python: the process has ended with status ${status}: ${said}`);
for (const { name, reached } of reaching) console.error(`Python, ${name}: reached ${reached.join(', ')}`);
if (isWhole) console.log(`${ESCAPES.length - escapes} of ${ESCAPES.length} programs in Python contained`);

const findings = isWhole ? await sweep(sample(await listCases(), SWEPT, SEED)) : [];
for (const finding of findings) console.error(`sweep: ${finding}`);
if (isWhole) console.log(`${findings.length} findings in ${SWEPT} cases of the sweep`);

const config = await resolveConfig(fileURLToPath(FILE));
const page = await format(pageOf(withWritten(rows)), { ...config, parser: 'markdown' });
if (isolation === 'process') {
  // Memory is held to other bounds, and outcomes and states are those of the attacks' headers.
} else if (isCheck) {
  if (!isDeepStrictEqual(facts(readFileSync(FILE, 'utf8')), facts(page))) {
    console.error('reports/containment.md is out of date: npm run containment');
    exit(1);
  }
} else {
  writeFileSync(FILE, page);
}
exit(failures.length + findings.length + escapes === 0 ? 0 : 1);

/** @param {import('../__test__/hostile/suite.mjs').Attack} attack */
async function rowOf(attack) {
  const result = await runAttack(attack, isolation);
  const [want, got] = [expected(attack, isolation), observed(attack, isolation, result)];
  if (stderr.isTTY) stderr.write(`\r${++done} of ${attacks.length} attacks`);
  const differences = Object.entries(got)
    .filter(([key, value]) => !isDeepStrictEqual(value, /** @type {any} */ (want)[key]))
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .join(', ')
    .slice(0, 500);
  return { attack, report: result.report, isContained: isDeepStrictEqual(want, got), differences };
}

/**
 * What the page says of all attacks: of those that were not run what it said before.
 *
 * @param {Awaited<ReturnType<typeof rowOf>>[]} run
 * @returns {{ group: string, isContained: boolean, line: string }[]}
 */
function withWritten(run) {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  const fresh = new Map(run.map((row) => [row.attack.file, row]));
  return listAttacks('thread').flatMap(({ file, group }) => {
    const row = fresh.get(file);
    if (row !== undefined) return [{ group, isContained: row.isContained, line: lineOf(row) }];
    const line = lines.find((one) => one.includes(`__test__/hostile/${file})`));
    return line === undefined ? [] : [{ group, isContained: !line.includes('**not contained**'), line }];
  });
}

/** @param {ReturnType<typeof withWritten>} all */
function pageOf(all) {
  const contained = all.filter(({ isContained }) => isContained).length;
  const sections = Object.entries(GROUPS).map(([wanted, title]) => {
    const lines = all.filter(({ group }) => group === wanted).map(({ line }) => line);
    return `## ${title}\n\n| attack | outcome | state | memory | time |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`;
  });
  return `<!-- Generated by \`npm run containment\` (scripts/containment.mjs). Do not edit. -->

# Containment

**No guest program can kill, hang, bloat or trick the host process. Every \`run()\` settles by its deadline with a coded
outcome. The next executor works.**

This report tests that claim with ${all.length} attacks. ${contained} of them are contained. Each attack is a file in
\`__test__/hostile/\` and runs in a separate process, which must exit with status 0. An attack is contained if:

- the run settles by its deadline with exactly the outcome in the table, and leaves the executor in the state in the table;
- the next run works: on the same executor if it is READY, otherwise after \`cleanup()\` and \`init()\`;
- another executor in the same process is not affected;
- the host sees no unhandled rejection and no uncaught exception, and its intrinsics are unchanged;
- the process uses at most 64 MB more than the memory limit. If one built-in creates one huge value, the size of that value
  is allowed on top.

Each group names the promises of [SECURITY.md](../SECURITY.md) that it attacks.

The memory column shows how far resident memory rose above its level before the attack. Executors use \`memoryLimitMb: 64\`
unless the attack sets another limit. Memory and time were measured on ${platform} with Node.js ${version.split('.')[0]} and
are rounded. Other machines differ. \`npm run containment -- --check\` compares attacks, outcomes and states.

${sections.join('\n')}
${pythonSection()}`;
}

/** Outcomes are no facts that have to stay: how code fails is Python's business. */
function pythonSection() {
  if (!isWhole) return readFileSync(FILE, 'utf8').replace(/^[^]*?(?=## Python: )/, '');
  const programs = new Map(ESCAPES);
  const lines = report.map(({ name, outcome, reached }) => {
    const program = codeOf(shorten(programs.get(name)?.replaceAll('\n', '; ') ?? ''));
    const cells = [codeOf(name), program, `\`${outcome}\``, reached.length === 0 ? 'yes' : '**no**'];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return `## Python: programs that look for a way into the host

The ${lines.length} programs of \`__test__/python/escapes.mjs\` run one after another on one executor of \`ses-executor/python\`. They may
import every module and call every built-in. The executor has a mounted folder, and a secret file lies next to that folder. A
program is contained if:

- its output, logs and errors show nothing of the host: not the secret file, the environment, versions or users;
- it leaves no file behind and makes no connection;
- the host sees no unhandled rejection, and its intrinsics are unchanged;
- the next run works. If the program broke the interpreter, the next run gets a fresh one.

| program | starts with | outcome | contained |
| --- | --- | --- | --- |
${lines.join('\n')}
`;
}

/** @param {Awaited<ReturnType<typeof rowOf>>} row */
function lineOf({ attack, report, isContained }) {
  const outcome = isContained ? attack.outcome : `**not contained**: ${report?.outcome ?? 'no report'}`;
  const state = isContained ? attack.states.join(' or ') : (report?.state ?? '');
  const cells = [
    `[${attack.attack}](../__test__/hostile/${attack.file})`,
    outcome.startsWith('ERR_') ? `\`${outcome}\`` : codeOf(shorten(outcome)),
    state,
    report?.peakMb === undefined ? '' : memoryClass(report.peakMb),
    report?.durationMs === undefined ? '' : timeClass(attack, report),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** @param {string} text */
function shorten(text) {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** @param {string} text */
function codeOf(text) {
  return text.includes('`') ? text : `\`${text}\``;
}

/** @param {number} megabytes */
function memoryClass(megabytes) {
  const step = [16, 64, 128, 192, 256, 512, 1024, 2048].find((limit) => megabytes < limit);
  return step === undefined ? '> 2048 MB' : `< ${step} MB`;
}

/**
 * @param {import('../__test__/hostile/suite.mjs').Attack} attack
 * @param {any} report
 */
function timeClass(attack, report) {
  if (report.outcome === 'ERR_EXEC_TIMEOUT') return `deadline (${attack.options.timeoutMs / 1000} s)`;
  if (report.durationMs < 100) return '< 0.1 s';
  return report.durationMs < 1000 ? '< 1 s' : '> 1 s';
}

/**
 * The lines of a page without memory and time, and without the widths that a formatter gives to tables.
 *
 * @param {string} text
 */
function facts(text) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ['))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, 4)
        .map((cell) => cell.trim()),
    );
}

// Which libraries from npm guest code can load as modules: writes reports/libraries.md.
//
//   node scripts/libraries.mjs              all of them, from npm; writes the table
//   node scripts/libraries.mjs --check      fails if the table is not what it would write
//   node scripts/libraries.mjs --sample     compares the table with the libraries in node_modules; for CI
//
// The other libraries are installed in a temporary folder. Each is bundled as `ses-executor check --module` does it,
// loaded in an executor, and used for one of its main purposes.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import prettier from 'prettier';

import { SESExecutor } from '../index.mjs';
import library from '../build/ses/library.js';
import { LIBRARIES } from './libraries/list.mjs';

const TABLE = new URL('../reports/libraries.md', import.meta.url);
const isSample = process.argv.includes('--sample');
const folder = isSample ? fileURLToPath(new URL('..', import.meta.url)) : join(tmpdir(), 'ses-executor-libraries');
const isCheck = isSample || process.argv.includes('--check');
const chosen = LIBRARIES.filter(({ sample = false }) => sample || !isSample);

if (!isSample) install(chosen);
const rows = [];
for (const entry of chosen) {
  rows.push(await row(entry));
  if (!isCheck) console.log(rows.at(-1));
}
if (isSample) {
  const lines = readFileSync(TABLE, 'utf8').split('\n').map(cells);
  const missing = rows.filter((line) => !lines.some((other) => sameCells(other, cells(line))));
  for (const line of missing) console.error(`reports/libraries.md has no line like: ${line}`);
  if (missing.length > 0) process.exitCode = 1;
} else {
  const text = await prettier.format(page(rows), {
    ...(await prettier.resolveConfig(fileURLToPath(TABLE))),
    parser: 'markdown',
  });
  const isSame = readFileSync(TABLE, { encoding: 'utf8', flag: 'a+' }) === text;
  if (!isCheck) writeFileSync(TABLE, text);
  else if (!isSame) {
    console.error('reports/libraries.md is not what scripts/libraries.mjs writes; run: npm run libraries');
    process.exitCode = 1;
  }
}

/** @param {string} line of a table */
function cells(line) {
  return line.split('|').map((cell) => cell.trim());
}

/**
 * Whether two lines are equal except for the size, which depends on the bundler.
 *
 * @param {string[]} a
 * @param {string[]} b
 */
function sameCells(a, b) {
  return a.length === b.length && a.every((cell, index) => index === 3 || cell === b[index]);
}

/** @param {typeof LIBRARIES} libraries */
function install(libraries) {
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(libraries.map(({ name, version }) => [name, version]));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * The line of a library.
 *
 * @param {(typeof LIBRARIES)[number]} entry
 */
async function row({ name, use, expected }) {
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
  const loaded = await library.loadLibrary(name, folder);
  const { bytes, lacks, imports, error } = await library.inspectLibrary(loaded);
  const outcome = error === undefined ? await tried(loaded, use, expected) : error;
  const globals = [...lacks.map(({ name: global }) => global), ...imports].map((text) => `\`${text}\``).join(', ');
  return `| ${name} | ${version} | ${Math.ceil(bytes / 1024)} KiB | ${inCell(outcome)} | ${globals} |`;
}

/** @param {string} text */
function inCell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 120);
}

/**
 * @param {{ name: string, text: string }} library
 * @param {string} use code in which `lib` is the namespace of the library, or its default export if it has one
 * @param {unknown} expected
 * @returns {Promise<string>} 'yes', or why not
 */
async function tried({ name, text }, use, expected) {
  const executor = new SESExecutor({ authorizedImports: [name], modules: { [name]: text }, memoryLimitMb: 512 });
  await executor.init();
  try {
    const load = `const all = await import(${JSON.stringify(name)}); const lib = all.default ?? all;`;
    const { output } = await executor.run(`${load}\n${use}`, { timeoutMs: 20_000 });
    const [wanted, given] = [expected, output].map((value) => JSON.stringify(value));
    return wanted === given ? 'yes' : `gives ${given}, not ${wanted}`;
  } catch (error) {
    return error.message.replace(/^Runtime exception: /, '');
  } finally {
    await executor.cleanup();
  }
}

/** @param {string[]} lines */
function page(lines) {
  const working = lines.filter((line) => cells(line)[4] === 'yes').length;
  return `# Libraries

This page lists popular npm libraries and whether they work as modules of guest code. ${working} of ${lines.length} do. Each library was
bundled into one minified ES module with esbuild, as shown below, and passed in the option \`modules\`. Guest code then imported it
and used one of its main functions. \`npm run libraries\` writes this page.

The column "names" lists the globals that a library refers to but guest code does not have, and the Node.js modules that it imports. Most
libraries check for these names and work without them. A function that needs one of them fails when it is called.

\`\`\`sh
npm install lodash esbuild
npx ses-executor check --module lodash   # the same for any package, or file
npx esbuild lodash --bundle --format=esm --platform=browser --main-fields=module,browser,main --outfile=lodash.mjs
\`\`\`

\`\`\`js
const modules = { lodash: await readFile('lodash.mjs', 'utf8') };
const executor = new SESExecutor({ authorizedImports: ['lodash'], modules });
// const { default: _ } = await import('lodash');
\`\`\`

A module may have up to 8 MiB. Loops that run while a module loads do not count against \`maxOperations\`, up to 10 million
iterations. Loops in its functions do count. Each executor loads a module once, and the loading time counts against the run's deadline.

| library | version | size | works | names |
| ------- | ------- | ---: | ----- | ----- |
${lines.join('\n')}
`;
}

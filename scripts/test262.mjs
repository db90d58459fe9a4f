// Runs the tests of test262 in a checkout of it, each as a program or module of guest code, in an executor of its own.
//
//   node scripts/test262.mjs --checkout ../test262 [--only test/language/statements]
//
// Fails if a test ends otherwise than it says, unless `__test__/test262/exceptions.mjs` has a reason for that.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { parse } from 'yaml';

import { SESExecutor } from '../index.mjs';
import { TEST262_EXCEPTIONS } from '../__test__/test262/exceptions.mjs';

/** Executors at work: one for each thread of a small machine. */
const CONCURRENCY = 4;
/** What asynchronous tests print when they have ended. */
const DONE = 'Test262:AsyncTestComplete';
/** Names that the harness expects of its host. */
const HOST = `let $262, __report; const __reported = new Promise((resolve) => { __report = resolve });
function print(text) { if (/^Test262:/.test(text)) __report(text); }
`;

const { values } = parseArgs({ options: { checkout: { type: 'string' }, only: { type: 'string', default: 'test' } } });
const root = resolve(values.checkout ?? '../test262');
if (!existsSync(join(root, 'harness'))) {
  console.error(`${root} is no checkout of https://github.com/tc39/test262; say where one is with --checkout`);
  process.exit(2);
}

const counts = { passed: 0, excepted: 0, failed: 0 };
const used = new Set();
const queue = [...filesOf(values.only)];
await Promise.all(Array.from({ length: CONCURRENCY }, work));
console.log(`${counts.passed} passed, ${counts.excepted} excepted, ${counts.failed} failed`);
if (values.only === 'test') {
  for (const { reason } of TEST262_EXCEPTIONS.filter((exception) => !used.has(exception))) {
    console.log(`no test needs the exception: ${reason}`);
  }
}
process.exit(counts.failed > 0 ? 1 : 0);

async function work() {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const test = read(file);
    const failure = await failureOf(test);
    const exception = TEST262_EXCEPTIONS.find((one) => isOf(one, test));
    if (failure === undefined) counts.passed++;
    else if (exception !== undefined) {
      counts.excepted++;
      used.add(exception);
    } else {
      counts.failed++;
      console.log(`${file}: ${failure}`);
    }
  }
}

/**
 * The tests below a path of the checkout.
 *
 * @param {string} path
 * @returns {Generator<string>}
 */
function* filesOf(path) {
  if (path.endsWith('.js')) {
    if (!path.endsWith('_FIXTURE.js')) yield path;
    return;
  }
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory() || entry.name.endsWith('.js')) yield* filesOf(posix.join(path, entry.name));
  }
}

/**
 * @typedef {object} Test
 * @property {string} file
 * @property {string} code
 * @property {string[]} flags
 * @property {string[]} includes
 * @property {string[]} features
 * @property {{ phase: string, type: string }} [negative]
 *
 * @param {string} file
 * @returns {Test}
 */
function read(file) {
  const code = readFileSync(join(root, file), 'utf8');
  const matter = /\/\*---([^]*?)---\*\//.exec(code)?.[1] ?? '';
  const { flags = [], includes = [], features = [], negative } = parse(matter.replaceAll('\r', '\n')) ?? {};
  return { file, code, flags, includes, features, negative };
}

/**
 * @param {(typeof TEST262_EXCEPTIONS)[number]} exception
 * @param {Test} test
 */
function isOf({ paths = [], flags = [], features = [], code }, test) {
  return (
    paths.some((path) => test.file.startsWith(path)) ||
    flags.some((flag) => test.flags.includes(flag)) ||
    features.some((feature) => test.features.includes(feature)) ||
    code?.test(test.code) === true
  );
}

/**
 * How a test ends otherwise than it should.
 *
 * @param {Test} test
 * @returns {Promise<string | undefined>}
 */
async function failureOf(test) {
  const isModule = test.flags.includes('module');
  const modules = isModule ? modulesOf(test) : {};
  const executor = new SESExecutor({
    language: 'javascript',
    authorizedImports: Object.keys(modules),
    modules,
    maxOperations: 10_000_000,
    timeoutMs: 20_000,
    onLog: () => {},
  });
  await executor.init();
  try {
    await executor.run(isModule ? loading(test) : program(test));
    return test.negative === undefined ? undefined : `ended well, without ${test.negative.type}`;
  } catch (error) {
    const name = error.code === 'ERR_VALIDATION_FAILED' ? 'SyntaxError' : error.details?.name;
    return name !== undefined && name === test.negative?.type ? undefined : error.message;
  } finally {
    await executor.cleanup();
  }
}

/** @param {Test} test */
function program(test) {
  // Before it runs, a test that is not to be read needs nothing, and has to be read as it is.
  if (test.negative?.phase === 'parse' || test.flags.includes('raw')) return test.code;
  return `${harness(test)}${test.code}${ending(test)}`;
}

/** @param {Test} test */
function loading(test) {
  return `await import(${JSON.stringify(`./${posix.basename(test.file)}`)});`;
}

/** @param {Test} test */
function harness({ flags, includes }) {
  const files = ['assert.js', 'sta.js', ...(flags.includes('async') ? ['doneprintHandle.js'] : []), ...includes];
  return HOST + files.map((file) => readFileSync(join(root, 'harness', file), 'utf8')).join('\n');
}

/** @param {Test} test */
function ending({ flags }) {
  if (!flags.includes('async')) return '';
  return `\nawait __reported.then((text) => { if (text !== '${DONE}') throw new Error(text); });`;
}

/**
 * The texts of a module and of what it imports, by the names that they have there.
 *
 * @param {Test} test
 */
function modulesOf(test) {
  const folder = join(root, dirname(test.file));
  const texts = { [`./${posix.basename(test.file)}`]: `${harness(test)}${test.code}${ending(test)}` };
  const names = [...test.code.matchAll(/["'](\.\/[^"']+)["']/g)].map(([, name]) => name);
  while (names.length > 0) {
    const name = names.pop();
    if (name in texts || !existsSync(join(folder, name))) continue;
    texts[name] = readFileSync(join(folder, name), 'utf8');
    names.push(...[...texts[name].matchAll(/["'](\.\/[^"']+)["']/g)].map(([, other]) => other));
  }
  return texts;
}

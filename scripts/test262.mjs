// Runs the tests of a test262 checkout, each as a program or module of guest code, in its own executor.
//
//   node scripts/test262.mjs --checkout ../test262 [--only test/language/statements] [--every 20] [--verbose] [--write]
//
// Fails if the outcome of a test differs from the expected one, unless `__test__/test262/exceptions.mjs` gives a
// reason. With --write, all outcomes are written to reports/test262.md.

import { writeFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { format, resolveConfig } from 'prettier';
import { parse } from 'yaml';

import { SESExecutor } from '../index.mjs';
import { TEST262_EXCEPTIONS } from '../__test__/test262/exceptions.mjs';
import { checkoutAt } from './test262/checkout.mjs';
import { pageOf } from './test262/page.mjs';

const PAGE = new URL('../reports/test262.md', import.meta.url);

/** Executors at work: one for each thread of a small machine. */
const CONCURRENCY = 4;
/** What asynchronous tests print when they have ended. */
const DONE = 'Test262:AsyncTestComplete';
/** Names that the harness expects of its host. */
const HOST = `let $262;
globalThis.__ended = {};
__ended.promise = new Promise((resolve) => { __ended.report = resolve });
function print(text) { if (/^Test262:/.test(text)) __ended.report(text); }
`;
/** What a program ends with that waits for an asynchronous test. */
const WAIT = `\nawait __ended.promise.then((text) => { if (text !== '${DONE}') throw new Error(text); });`;

const { values } = parseArgs({
  options: {
    checkout: { type: 'string' },
    only: { type: 'string', default: 'test' },
    every: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const root = resolve(values.checkout ?? '../test262');
const checkout = checkoutAt(root);
if (checkout === undefined) {
  console.error(`${root} is not a checkout of https://github.com/tc39/test262; say where one is with --checkout`);
  process.exit(2);
}

const isWhole = values.only === 'test' && values.every === '1';
if (values.write && !isWhole) {
  console.error('--write is for all tests: without --only and --every');
  process.exit(2);
}

/** Passed, excepted and failed tests of each folder of `test/`. */
const folders = new Map();
/** How many tests each reason excepts. */
const reasons = new Map(TEST262_EXCEPTIONS.map(({ reason }) => [reason, 0]));
const queue = [...checkout.filesBelow(values.only)].filter((_, i) => i % Number(values.every) === 0);
await Promise.all(Array.from({ length: CONCURRENCY }, work));
for (const [reason, count] of reasons) {
  if (count > 0) console.log(`${count} excepted: ${reason}`);
  else if (isWhole) console.log(`no test needs the exception: ${reason}`);
}
const total = (kind) => [...folders.values()].reduce((sum, folder) => sum + folder[kind], 0);
console.log(`${total('passed')} passed, ${total('excepted')} excepted, ${total('failed')} failed`);
if (values.write) {
  const page = pageOf(checkout.version(), new Map([...folders].sort()), reasons);
  writeFileSync(PAGE, await format(page, { ...(await resolveConfig(PAGE)), parser: 'markdown' }));
}
process.exit(total('failed') > 0 ? 1 : 0);

async function work() {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const test = read(file);
    const name = file.split('/').slice(0, 2).join('/');
    if (!folders.has(name)) folders.set(name, { passed: 0, excepted: 0, failed: 0 });
    folders.get(name)[await judge(test)]++;
  }
}

/**
 * Runs a test, and reports it if its outcome differs from the expected one.
 *
 * @param {Test} test
 * @returns {Promise<'passed' | 'excepted' | 'failed'>}
 */
async function judge(test) {
  const failure = await failureOf(test);
  if (failure === undefined) return 'passed';
  const exception = TEST262_EXCEPTIONS.find((one) => isOf(one, test, failure));
  if (exception === undefined) {
    console.log(`${test.file}: ${failure}`);
    return 'failed';
  }
  reasons.set(exception.reason, reasons.get(exception.reason) + 1);
  if (values.verbose) console.log(`excepted: ${test.file}: ${failure} (${exception.reason})`);
  return 'excepted';
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
  const code = checkout.text(file);
  const matter = /\/\*---([^]*?)---\*\//.exec(code)?.[1] ?? '';
  const { flags = [], includes = [], features = [], negative } = parse(matter.replaceAll('\r', '\n')) ?? {};
  return { file, code, flags, includes, features, negative };
}

/**
 * Whether all that an exception names is so.
 *
 * @param {(typeof TEST262_EXCEPTIONS)[number]} exception
 * @param {Test} test
 * @param {string} failure
 */
function isOf({ paths, flags, features, code, ending }, test, failure) {
  return (
    paths?.some((path) => test.file.startsWith(path)) !== false &&
    flags?.some((flag) => test.flags.includes(flag)) !== false &&
    features?.some((feature) => test.features.includes(feature)) !== false &&
    code?.test(test.code) !== false &&
    ending?.test(failure) !== false
  );
}

/**
 * How the outcome of a test differs from the expected one.
 *
 * @param {Test} test
 * @returns {Promise<string | undefined>}
 */
async function failureOf(test) {
  const isModule = test.flags.includes('module');
  const modules = modulesOf(test);
  const executor = new SESExecutor({
    language: 'javascript',
    authorizedImports: Object.keys(modules),
    modules,
    maxOperations: 10_000_000,
    timeoutMs: 60_000,
    onLog: () => {},
  });
  await executor.init();
  try {
    await executor.run(isModule ? loading(test) : program(test));
    return test.negative === undefined ? undefined : `ended well, without ${test.negative.type}`;
  } catch (error) {
    const name = error.code === 'ERR_VALIDATION_FAILED' ? 'SyntaxError' : (error.details?.name ?? thrownName(error));
    const isExpected = name !== undefined && name === test.negative?.type;
    return isExpected ? undefined : error.message.replaceAll(/\s+/g, ' ');
  } finally {
    await executor.cleanup();
  }
}

/**
 * @param {import('../index.mjs').ExecutorError} error For a thrown value that is not an error: the harness throws its
 * own that way.
 */
function thrownName({ message }) {
  return /^Runtime exception: (\w+) \{/.exec(message)?.[1];
}

/** @param {Test} test */
function program(test) {
  return whole(test) + ending(test);
}

/** @param {Test} test */
function loading(test) {
  return `await import(${JSON.stringify(`./${posix.basename(test.file)}`)});${ending(test)}`;
}

/** @param {Test} test */
function whole(test) {
  // Before it runs, a test that is not to be read needs nothing, and has to be read as it is.
  if (test.negative?.phase === 'parse' || test.flags.includes('raw')) return test.code;
  const { flags, includes } = test;
  const files = ['assert.js', 'sta.js', ...(flags.includes('async') ? ['doneprintHandle.js'] : []), ...includes];
  return HOST + files.map((file) => checkout.harness(file)).join('\n') + test.code;
}

/** @param {Test} test */
function ending({ flags }) {
  return flags.includes('async') ? WAIT : '';
}

/**
 * The texts of what a test imports, and of itself if it is a module, by the names that they have there.
 *
 * @param {Test} test
 */
function modulesOf(test) {
  const folder = posix.dirname(test.file);
  const texts = {};
  if (test.flags.includes('module')) texts[`./${posix.basename(test.file)}`] = whole(test);
  const names = importedBy(test.code);
  while (names.length > 0) {
    const name = names.pop();
    const text = name in texts ? undefined : checkout.text(posix.join(folder, name));
    if (text === undefined) continue;
    texts[name] = text;
    names.push(...importedBy(text));
  }
  return texts;
}

/** @param {string} code */
function importedBy(code) {
  return [...code.matchAll(/(["'])(\.\/.+?)\1/g)].map(([, , name]) => name);
}

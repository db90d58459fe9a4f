// Checks that V8 accepts what `prepare` accepts, and that a transformed program fails only where the program itself
// fails. Generated programs, and mutations of those in fuzz/corpus/prepare, go through `prepareProgram` and through an
// executor with small limits.
//
//   node scripts/fuzz-accepts.mjs [--seed 1] [--programs 10000 | --seconds 60]
//
// The programs depend only on the seed. The exit status is 1 at a finding. The current program is kept in a file, whose
// name is printed, so that it survives a crash.

import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import vm from 'node:vm';

import { generator } from './random.mjs';
import { ExecutorError, SESExecutor, prepareProgram } from '../index.mjs';

const FUZZ = fileURLToPath(new URL('../fuzz/', import.meta.url));
const TIMEOUT_MS = 2_000;
/** From the deadline to the outcome, on a machine that has other things to do too. */
const GRACE_MS = 15_000;
const OPTIONS = {
  maxOperations: 200,
  timeoutMs: TIMEOUT_MS,
  memoryLimitMb: 64,
  authorizedImports: ['x-ok'],
  modules: { 'x-ok': 'export const a = 1; export default 2;' },
};
const TOOLS = { search: async () => [{ city: 'Rome', degrees: 30 }], g: (x) => x, A: { f: async (x) => x } };
/** Runs on one executor before it is replaced: names that earlier programs left make up part of the test. */
const RUNS_PER_EXECUTOR = 40;

/** Codes that a program may end with. */
const CODES = [
  'ERR_VALIDATION_FAILED',
  'ERR_IMPORT_NOT_ALLOWED',
  'ERR_MAX_OPS_EXCEEDED',
  'ERR_EXEC_TIMEOUT',
  'ERR_RUNTIME_EXCEPTION',
  'ERR_TOOL_PROXY_FAIL',
  'ERR_TOOL_CALL_LIMIT_EXCEEDED',
  'ERR_MEMORY_LIMIT_EXCEEDED',
];

/** `$e` stands for an expression, `$s` for statements, `$p` for a pattern, `$n` for a name. */
const GRAMMAR = {
  n: ['a', 'b', 'c', 'd', 'of', 'async', 'get', 'ünï', 'as', 'from'],
  p: ['$n', '$n = $e', '[$p]', '[, $n, ...$n]', '{ $n }', '{ $n = $e }', '{ a: $p, ...$n }', '{ [$e]: $n }'],
  e: [
    '1',
    '$n',
    '"s"',
    '`t${$e}`',
    '/[/]x/g',
    '1n',
    'null',
    'this',
    '[$e, ...$e]',
    '{}',
    '({ $n, b: $e, ...$e })',
    '($e)',
    '($e, $e)',
    '$e + $e',
    '$e ** 2',
    '-$e',
    'typeof $n',
    'void $e',
    '$n = $e',
    '$n ??= $e',
    '[$n] = $e',
    '({ $n } = $e)',
    '$n++',
    '$e ? $e : $e',
    '$e && $e',
    '($e) ?? ($e)',
    '$n.b',
    '$n?.[$e]',
    '$n($e)',
    '$n?.($e)',
    'new $n($e)',
    'await $e',
    '$n`x${$e}`',
    'a => $e',
    '($n) => { $s }',
    'async ($n) => { $s }',
    'function $n() { $s }',
    'async function () { $s }',
    'function* () { yield $e; $s }',
    'async function* () { yield* $e; }',
    'class { #p = $e; static { $s } m() { return #p in $e; } }',
    'class extends ($e) { constructor() { super($e); } }',
    "import('x-ok')",
    "import('no')",
    '({ get $n() { return $e; }, set $n(x) { $s } })',
    '({ async *[$e]() { $s } })',
    'new.target',
    'arguments',
    'g($e)',
    'A.f($e)',
    'final_answer($e)',
    'console.log($e)',
    'harden($e)',
    '({ __proto__: $e })',
    '$e instanceof $n',
    '"a" in $e',
    'delete $n.b',
    '(async () => { $s })()',
    '(() => { $s })()',
  ],
  s: [
    '',
    ';',
    '$e;',
    '$e;',
    'let $p = $e;',
    'const $n = $e;',
    'var $p = $e;',
    'var $n;',
    '$s\n$s',
    '$s\n$s',
    '{ $s }',
    'if ($e) $e; else { $s }',
    'if ($e) { $s }',
    'if ($e) $e',
    'for (let $n = 0; $n < 3; $n++) { $s }',
    'for (;;) { $s break; }',
    'for (const $p of $e) { $s }',
    'for (var $n in $e) $e;',
    'for await (const $n of [$e]) { $s }',
    'for ($n of [$e]) $e;',
    'while ($e) { $s break; }',
    'do { $s } while (false)',
    'do $e; while (0) $e',
    'try { $s } catch ($n) { $s }',
    'try { $s } catch { $s } finally { $s }',
    'try { $s } catch ({ message }) { $s }',
    'try { $s } finally { $s }',
    'switch ($e) { case $e: $s default: $s }',
    'switch ($e) { case 1: let $n = $e; }',
    'l: for (const x of [1]) { $s continue l; }',
    'l: { $s break l; }',
    'l: $e;',
    'throw $e;',
    'return $e;',
    'return',
    'function $n($p) { $s }',
    'async function $n() { $s }',
    'function* $n() { $s }',
    'class $n { static x = $e; $n = $e; static { $s } }',
    'class $n extends $n { }',
    "'use strict';",
    'debugger;',
    '// comment\n',
    '/* c */',
    '"directive"',
    'label: function $n() {}',
    'if ($e) function $n() {}',
    '{ function $n() { $s } $n(); }',
    'let $n; { var b = $e; }',
    'using $n = null;',
    'for (let [$n] = [$e], i = 0; i < 2; i++) { (() => $n)(); }',
    '$e\n$e',
    '$n\n++\n$n',
    'let { $n, ...rest } = $e;',
  ],
};

class Finding extends Error {}

/**
 * Runs so many programs, or programs for so many seconds.
 *
 * @returns {Promise<Record<string, number>>} how often programs ended in which way
 * @throws {Finding}
 */
async function fuzzAccepts({ seed, programs = Infinity, seconds = Infinity, keepIn }) {
  const random = generator(seed);
  const corpus = readCorpus();
  const words = readWords();
  const counts = { programs: 0, refused: 0, 'refused by V8': 0, fulfilled: 0 };
  let executor;
  const end = performance.now() + 1e3 * seconds;
  while (counts.programs < programs && performance.now() < end) {
    const code = program(random, corpus, words);
    writeFileSync(keepIn, code);
    if (counts.programs++ % RUNS_PER_EXECUTOR === 0) {
      await executor?.cleanup();
      executor = await makeExecutor();
    }
    const ending = await check(executor, code);
    counts[ending] = (counts[ending] ?? 0) + 1;
    if (executor.state === 'DIRTY') {
      await executor.cleanup();
      executor = await makeExecutor();
    }
    if (executor.state !== 'READY') throw new Finding(`the executor is ${executor.state}`);
  }
  await executor?.cleanup();
  return counts;
}

async function makeExecutor() {
  const executor = new SESExecutor(OPTIONS);
  await executor.init();
  await executor.sendTools(TOOLS);
  await executor.sendVariables({ a: 1, b: [1, 2], c: { a: 1 }, d: 'text' });
  return executor;
}

/** How `code` ended: `fulfilled`, `refused`, `refused by V8` or a code. */
async function check(executor, code) {
  const { transformedCode, diagnostics } = prepareProgram(code, { authorizedImports: OPTIONS.authorizedImports });
  const isRefused = diagnostics.some(({ severity }) => severity === 'ERROR');
  if (isRefused !== (transformedCode === ''))
    throw new Finding('a program is given if, and only if, there is no error');
  const started = performance.now();
  const error = await executor.run(code).then(
    () => undefined,
    (thrown) => thrown,
  );
  const took = performance.now() - started;
  if (took > TIMEOUT_MS + GRACE_MS) throw new Finding(`settled after ${took.toFixed()} ms`);
  if (error === undefined) {
    if (isRefused) throw new Finding('a program that was refused ran');
    return 'fulfilled';
  }
  if (!(error instanceof ExecutorError)) throw new Finding('not an ExecutorError', { cause: error });
  if (!CODES.includes(error.code)) throw new Finding(`unexpected ${error.code}`, { cause: error });
  const isValidation =
    error.code === 'ERR_VALIDATION_FAILED' || (error.code === 'ERR_IMPORT_NOT_ALLOWED' && error.details.diagnostics);
  if (isRefused) {
    if (!isValidation) throw new Finding(`refused by prepareProgram, but ended with ${error.code}`, { cause: error });
    return 'refused';
  }
  if (error.code === 'ERR_VALIDATION_FAILED') {
    checkRefusalOfV8(code, transformedCode, error);
    return 'refused by V8';
  }
  // Names of the transform, which guest code cannot write.
  if (error.code === 'ERR_RUNTIME_EXCEPTION' && /__smol_/.test(error.message) && !/smol/.test(code)) {
    throw new Finding('the transform shows', { cause: error });
  }
  return error.code;
}

/**
 * V8 may refuse what `prepare` accepted with a SyntaxError, but not because of what the transform made of it. Both
 * texts are given to the V8 of this process, since versions of V8 differ in what they find.
 */
function checkRefusalOfV8(code, transformedCode, error) {
  const [{ rule, message }] = error.details.diagnostics.filter(({ severity }) => severity === 'ERROR');
  if (rule !== 'syntax_valid' || !/^(Uncaught )?SyntaxError: /.test(message)) {
    throw new Finding('refused by V8, but not for its syntax', { cause: error });
  }
  const original = `(async () => {"use strict";\n${code.replace(/^\ufeff?#!/, '//')}\n})`;
  if (compiles(original) && !compiles(transformedCode)) {
    throw new Finding('V8 takes the original, but not what it was transformed to', { cause: error });
  }
}

function compiles(text) {
  try {
    new vm.Script(text);
    return true;
  } catch {
    return false;
  }
}

/** A program: a generated one, a kept one, or both, mutated or not. */
function program(random, corpus, words) {
  const kind = random(10);
  let code = kind < 6 ? grow('$s\n$s\n$e', 5) : corpus[random(corpus.length)];
  if (kind === 6) code = `${lines(code)}\n${grow('$s', 4)}`;
  const mutations = kind < 6 ? [0, 0, 1][random(3)] : random(4);
  for (let i = 0; i < mutations; i++) code = mutate(code);
  return code;

  function grow(template, depth) {
    return template.replace(/\$([nspe])/g, (_, kind) => {
      if (depth <= 0) return { n: 'a', p: 'b', e: '1', s: ';' }[kind];
      const choices = GRAMMAR[kind];
      return grow(choices[random(choices.length)], depth - 1);
    });
  }

  function lines(text) {
    const all = text.split('\n');
    return all.slice(random(all.length), random(all.length) + 1).join('\n');
  }

  function mutate(text) {
    const at = random(text.length + 1);
    const to = Math.min(text.length, at + 1 + random(12));
    switch (random(5)) {
      case 0:
        return text.slice(0, at) + text.slice(to);
      case 1:
        return text.slice(0, to) + text.slice(at, to).repeat(1 + random(3)) + text.slice(to);
      case 2: {
        const other = corpus[random(corpus.length)];
        return text.slice(0, at) + other.slice(random(other.length + 1));
      }
      default:
        return text.slice(0, at) + words[random(words.length)] + text.slice(random(2) ? at : to);
    }
  }
}

function readCorpus() {
  const folder = join(FUZZ, 'corpus', 'prepare');
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

function readWords() {
  return readFileSync(join(FUZZ, 'dictionaries', 'javascript.dict'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('"'))
    .map((line) => {
      const bytes = line
        .slice(1, -1)
        .replace(/\\(?:x([\dA-F]{2})|(.))/g, (_, hex, character) => (hex ? `\0x${hex}` : character));
      // Bytes of UTF-8, one after the other.
      const raw = bytes
        .split(/(\0x[\dA-F]{2})/)
        .map((part) => (part.startsWith('\0x') ? Buffer.from(part.slice(2), 'hex') : Buffer.from(part)));
      return Buffer.concat(raw).toString();
    });
}

async function main() {
  const option = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({ options: { seed: option, programs: option, seconds: option } });
  const seed = values.seed === undefined ? Date.now() >>> 0 : Number(values.seed);
  const programs = values.programs === undefined ? Infinity : Number(values.programs);
  const seconds = Number(values.seconds ?? (values.programs === undefined ? 60 : Infinity));
  if (!Number.isSafeInteger(seed) || !(programs > 0) || !(seconds > 0)) {
    console.error('usage: node scripts/fuzz-accepts.mjs [--seed integer] [--programs number] [--seconds number]');
    process.exit(2);
  }
  const keepIn = join(tmpdir(), `ses-executor-fuzz-${process.pid}.js`);
  console.log(`seed ${seed}, program under way in ${keepIn}`);
  try {
    console.log(JSON.stringify(await fuzzAccepts({ seed, programs, seconds, keepIn })));
    rmSync(keepIn);
  } catch (error) {
    console.error(error);
    console.error(`--- program ---\n${readFileSync(keepIn, 'utf8')}`);
    process.exitCode = 1;
  }
}

await main();

// `npm run test262` on a checkout of a few tests: it tells those that end as they say from those that do not.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';

const TESTS = {
  'harness/sta.js': 'class Test262Error extends Error {} function $DONOTEVALUATE() { throw "evaluated" }',
  'harness/assert.js': 'function assert(value) { if (value !== true) throw new Test262Error("not true") }',
  'harness/doneprintHandle.js':
    "function $DONE(error) { print(error ? 'Test262:AsyncTestFailure:' + error : 'Test262:AsyncTestComplete') }",
  'harness/more.js': 'const more = true;',
  'test/passes.js': '/*---\nincludes: [more.js]\n---*/\nassert(more);',
  'test/fails.js': 'assert(false);',
  'test/parse.js': '/*---\nnegative: { phase: parse, type: SyntaxError }\n---*/\n$DONOTEVALUATE(); for(false;false){}',
  'test/parse-not.js': '/*---\nnegative: { phase: parse, type: SyntaxError }\n---*/\n1;',
  'test/runtime.js': '/*---\nnegative: { phase: runtime, type: TypeError }\n---*/\nnull.x;',
  'test/runtime-other.js': '/*---\nnegative: { phase: runtime, type: RangeError }\n---*/\nnull.x;',
  'test/async.js': '/*---\nflags: [async]\n---*/\nPromise.resolve().then(() => $DONE());',
  'test/async-fails.js': "/*---\nflags: [async]\n---*/\nPromise.resolve().then(() => $DONE('late'));",
  'test/module/passes.js': "/*---\nflags: [module]\n---*/\nimport { one } from './one_FIXTURE.js'; assert(one === 1);",
  'test/module/async.js': '/*---\nflags: [module, async]\n---*/\nawait 1; $DONE();',
  'test/module/fails.js': '/*---\nflags: [module]\n---*/\nexport const x = 1; assert(x === 2);',
  'test/module/one_FIXTURE.js': 'export const one = 1;',
  'test/module/self.js':
    "/*---\nflags: [module, async]\n---*/\nexport const x = 1; import('./self.js').then((m) => $DONE(m.x === 1 ? undefined : m.x));",
  'test/sloppy.js': '/*---\nflags: [noStrict]\n---*/\nwith ({}) {}',
  'test/thrown.js': '/*---\nnegative: { phase: runtime, type: Mine }\n---*/\nthrow new (class Mine {})();',
};

/** The same kinds as SpiderMonkey has them. */
const SPIDER_MONKEYS = {
  'shell.js': `// GENERATED, DO NOT EDIT\n// file: assert.js\n${TESTS['harness/assert.js']}\n\n// file: sta.js\n${TESTS['harness/sta.js']}\n`,
  'language/shell.js': `// GENERATED, DO NOT EDIT\n// file: more.js\n${TESTS['harness/more.js']}\n`,
  'language/browser.js': '',
  'language/passes.js': `${TESTS['test/passes.js']}\n\nreportCompare(0, 0);\n`,
  'language/fails-strict.js': "'use strict';\nassert(false);\n\nreportCompare(0, 0);\n",
  'language/async.js': `// |reftest| async\n${TESTS['test/async.js']}`,
  'language/parse.js': `// |reftest| error:SyntaxError\n${TESTS['test/parse.js']}`,
  'language/module.js': `// |reftest| module\n${TESTS['test/module/passes.js']}\n\nreportCompare(0, 0);\n`,
  'language/one_FIXTURE.js': '// |reftest| skip -- not a test file\nexport const one = 1;',
  'prs/other.js': 'assert(false);',
};

const folders = [];
const checkoutOf = (files) => {
  const folder = mkdtempSync(join(tmpdir(), 'test262-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};
let folder;
beforeAll(() => {
  folder = checkoutOf(TESTS);
});
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true });
});

const run = (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/test262.mjs', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return {
    status,
    stderr,
    lines: stdout
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('no test needs')),
  };
};

test('tests with an unexpected end are listed', () => {
  const { status, stderr, lines } = run('--checkout', folder);
  expect([status, stderr]).toStrictEqual([1, '']);
  expect(lines.pop()).toBe('8 passed, 1 excepted, 5 failed');
  expect(lines.sort()).toStrictEqual([
    '1 excepted: Programs are strict',
    'test/async-fails.js: Runtime exception: Test262:AsyncTestFailure:late',
    'test/fails.js: Runtime exception: not true',
    'test/module/fails.js: Runtime exception: not true',
    'test/parse-not.js: ended well, without SyntaxError',
    "test/runtime-other.js: Runtime exception: TypeError: Cannot read properties of null (reading 'x')",
  ]);
});

test('one test can be selected, and a missing checkout is reported', () => {
  expect(run('--checkout', folder, '--only', 'test/passes.js')).toStrictEqual({
    status: 0,
    stderr: '',
    lines: ['1 passed, 0 excepted, 0 failed'],
  });
  expect(run('--checkout', join(folder, 'none'))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('is not a checkout'),
  });
});

test('the tests of SpiderMonkey are found in their folder', () => {
  const { status, stderr, lines } = run('--checkout', checkoutOf(SPIDER_MONKEYS));
  expect([status, stderr]).toStrictEqual([1, '']);
  expect(lines).toStrictEqual([
    'test/language/fails-strict.js: Runtime exception: not true',
    '4 passed, 0 excepted, 1 failed',
  ]);
});

test('every n-th test can be selected', () => {
  const { lines } = run('--checkout', folder, '--only', 'test/module', '--every', '2');
  expect(lines).toStrictEqual(['2 passed, 0 excepted, 0 failed']);
});

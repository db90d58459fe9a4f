// The command line with Python, and its demo.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { isIncompletePython, pythonNamesFor } from '../../build/adapters/cli/python-lines.js';
import { PyodideExecutor } from '../../build/python/index.js';
import { ROOT, spawnNode, withFolder } from '../helpers.mjs';

const BIN = join(ROOT, 'bin', 'ses-executor.js');
const cli = (args, files = {}) =>
  withFolder((folder) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return spawnNode([BIN, ...args], { cwd: folder });
  });

describe('run', () => {
  test('executes a Python file with variables and tools', async () => {
    const files = {
      'a.py': 'print("logged")\n[who.name, add(n, 1)]',
      'vars.json': '{ "who": { "name": "Ada" }, "n": 2 }',
      'tools.mjs': 'export const add = async (a, b) => a + b;',
    };
    expect(await cli(['run', 'a.py', '--vars', 'vars.json', '--tools', 'tools.mjs'], files)).toStrictEqual({
      status: 0,
      signal: null,
      stdout: "[ 'Ada', 3 ]\n",
      stderr: 'logged\n',
    });
  });

  test('accepts a file that begins with a byte order mark', async () => {
    const { status, stdout } = await cli(['run', 'a.py'], { 'a.py': '\uFEFF1 + 1\n' });
    expect([status, stdout]).toStrictEqual([0, '2\n']);
  });

  // It printed `null` behind what a script had printed.
  test('prints nothing for a program without a value, and null with --json', async () => {
    const files = { 'a.py': 'print("hello")' };
    const result = { status: 0, signal: null, stderr: 'hello\n' };
    expect(await cli(['run', 'a.py'], files)).toStrictEqual({ ...result, stdout: '' });
    const { stdout } = await cli(['run', 'a.py', '--json'], files);
    expect(JSON.parse(stdout)).toMatchObject({ output: null, logs: 'hello\n' });
  });

  test('prints a failure with its place, and the logs once', async () => {
    const { status, stdout, stderr } = await cli(['run', 'a.py'], { 'a.py': 'print("logged")\n1/0\n' });
    expect({ status, stdout, stderr }).toStrictEqual({
      status: 1,
      stdout: '',
      stderr: `logged
ERR_RUNTIME_EXCEPTION: ZeroDivisionError: division by zero
Code execution failed at line 2: 1/0
  at a.py:2:1
  |
1 | print("logged")
2 | 1/0
  | ^ ZeroDivisionError: division by zero
`,
    });
  });

  test('allows the given modules to be imported', async () => {
    const result = await cli(['run', 'a.py', '--allow-import', 'base64'], {
      'a.py': 'import base64, math\nbase64.b64encode(b"a").decode()',
    });
    expect(result).toMatchObject({ status: 0, stdout: 'YQ==\n' });
  });

  test('refuses source text of modules, and check refuses Python', async () => {
    const files = { 'a.py': '1', 'm.mjs': '' };
    const result = await cli(['run', 'a.py', '--allow-import', 'm=m.mjs'], files);
    expect([result.status, result.stderr.split('\n')[0]]).toStrictEqual([
      2,
      'ses-executor: the module m cannot be given as source: the code is Python',
    ]);
    const checked = await cli(['check', 'a.py'], files);
    expect([checked.status, checked.stderr.split('\n')[0]]).toStrictEqual([
      2,
      'ses-executor: check supports JavaScript and TypeScript only; Python is checked when it runs',
    ]);
  });
});

describe('repl --python', () => {
  const typed = (lines, args = [], files = {}) =>
    withFolder((folder) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const input = lines.map((line) => `${line}\n`).join('');
      return spawnNode([BIN, 'repl', '--python', ...args], { cwd: folder, input });
    });

  test('executes programs of one or several lines in order, in one session', async () => {
    const { status, stdout, stderr } = await typed([
      'a = 1',
      'def f(x):',
      '    return x * 2  # twice',
      '',
      'print("logged")',
      'f(a +',
      '  20)',
      '"""a',
      'text"""',
      '[n for n in range(3)]',
      'if a:',
      '    a = "yes"',
      'else:',
      '    a = "no"',
      '',
      'a',
      '1/0',
      'a',
    ]);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(
      `1
logged
42
'a\\ntext'
[ 0, 1, 2 ]
'yes'
ERR_RUNTIME_EXCEPTION: ZeroDivisionError: division by zero
Code execution failed at line 1: 1/0
  at repl:1:1
  |
1 | 1/0
  | ^ ZeroDivisionError: division by zero
'yes'
`,
    );
  });

  test('supports tools, variables, modules and .tools', async () => {
    const files = { 'vars.json': '{ "rate": 2 }', 'tools.mjs': 'export const add = async (a, b) => a + b;' };
    const args = ['--vars', 'vars.json', '--tools', 'tools.mjs', '--allow-import', 'base64'];
    const { stdout, stderr } = await typed(
      ['.tools', 'import base64', 'add(rate, 1)', 'x = 1', '.reset', 'x', 'rate'],
      args,
      files,
    );
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((line) => !/^( |Code|\d+ \|)/.test(line))).toStrictEqual([
      'def add(*args, **kwargs): ...',
      '3',
      '1',
      'The session is empty.',
      "ERR_RUNTIME_EXCEPTION: NameError: name 'x' is not defined",
      '2',
      '',
    ]);
  });

  test('refuses source text of modules and packages that are not for Python', async () => {
    const { status, stderr } = await typed([], ['--allow-import', 'm=m.mjs'], { 'm.mjs': '' });
    expect([status, stderr.split('\n')[0]]).toStrictEqual([
      2,
      'ses-executor: the module m cannot be given as source: the code is Python',
    ]);
    const without = await cli(['repl', '--packages', 'folder']);
    expect([without.status, without.stderr.split('\n')[0]]).toStrictEqual([
      2,
      'ses-executor: --packages needs --python',
    ]);
  });
});

describe('the parser of the Python prompt', () => {
  test.each([
    ['x = (1,\n', true],
    ['x = (1,\n2)\n', false],
    ['"""a\n', true],
    ["'(' # (\n", false],
    ["'it\\'s ('\n", false],
    ['x = 1 + \\\n', true],
    ['def f():\n', true],
    ['def f():\n    return 1\n', true],
    ['def f():\n    return 1\n\n', false],
    ['@cached\n', true],
    ['for x in y: # each\n', true],
    ['{"a": 1}\n', false],
    [')\n', false],
    ['{"a":\n', true],
    ['{"a":\n  1}\n', false],
  ])('continues %j: %s', (code, goesOn) => {
    expect(isIncompletePython(code)).toBe(goesOn);
  });

  test('completes names and members', async () => {
    const executor = new PyodideExecutor(undefined, { mount: false });
    await executor.run('import math\nnumbers = [1]');
    expect(await pythonNamesFor('x = numb', executor)).toStrictEqual([['numbers'], 'numb']);
    expect(await pythonNamesFor('math.sqr', executor)).toStrictEqual([['math.sqrt'], 'math.sqr']);
    expect((await pythonNamesFor('wh', executor))[0]).toStrictEqual(['while']);
    expect(await pythonNamesFor('f().x', executor)).toStrictEqual([[], '']);
    expect(await pythonNamesFor('1.5', executor)).toStrictEqual([[], '']);
    await executor.cleanup();
  });
});

describe('the demo of Python', () => {
  test('completes its steps', async () => {
    const { status, stdout, stderr } = await spawnNode(['examples/python.mjs']);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(stdout.match(/^Step \d+/gm)).toHaveLength(7);
    expect(stdout).toContain("Maybe you meant one of these indexes instead: ['errors.md'");
    expect(stdout).toContain('ERR_MAX_OPS_EXCEEDED: ');
    expect(stdout).toContain('ERR_EXEC_TIMEOUT: Execution timed out after 2000ms');
    const lengthOf = (page) => readFileSync(join(ROOT, 'docs/reference', page), 'utf8').length;
    const pages = readdirSync(join(ROOT, 'docs/reference'));
    const longest = pages.reduce((best, page) => (lengthOf(page) > lengthOf(best) ? page : best));
    expect(stdout).toContain(`Final answer: { pages: ${pages.length}, longest: '${longest}' }`);
  });

  test('is started by `npm run demo:python`', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(scripts['demo:python']).toBe('node scripts/setup.mjs && node examples/python.mjs');
  });
});

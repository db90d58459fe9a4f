// The command line with Python, and its demo.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ROOT, spawnNode, withFolder } from '../helpers.mjs';

const BIN = join(ROOT, 'bin', 'ses-executor.js');
const cli = (args, files = {}) =>
  withFolder((folder) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return spawnNode([BIN, ...args], { cwd: folder });
  });

describe('run', () => {
  test('a file of Python, with variables and tools', async () => {
    const files = {
      'a.py': 'print("logged")\n[who.name, add(n, 1)]',
      'vars.json': '{ "who": { "name": "Ada" }, "n": 2 }',
      'tools.mjs': 'export const add = async (a, b) => a + b;',
    };
    expect(await cli(['run', 'a.py', '--vars', 'vars.json', '--tools', 'tools.mjs'], files)).toEqual({
      status: 0,
      signal: null,
      stdout: "[ 'Ada', 3 ]\n",
      stderr: 'logged\n',
    });
  });

  test('a failure has its place, and its logs once', async () => {
    const { status, stdout, stderr } = await cli(['run', 'a.py'], { 'a.py': 'print("logged")\n1/0\n' });
    expect({ status, stdout, stderr }).toEqual({
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

  test('modules that are allowed', async () => {
    const result = await cli(['run', 'a.py', '--allow-import', 'base64'], {
      'a.py': 'import base64, math\nbase64.b64encode(b"a").decode()',
    });
    expect(result).toMatchObject({ status: 0, stdout: 'YQ==\n' });
  });

  test('a module with a text is wrong use, and so is check', async () => {
    const files = { 'a.py': '1', 'm.mjs': '' };
    const result = await cli(['run', 'a.py', '--allow-import', 'm=m.mjs'], files);
    expect([result.status, result.stderr.split('\n')[0]]).toEqual([
      2,
      'ses-executor: the module m cannot have a text: the code is Python',
    ]);
    const checked = await cli(['check', 'a.py'], files);
    expect([checked.status, checked.stderr.split('\n')[0]]).toEqual([
      2,
      'ses-executor: check reads JavaScript and TypeScript; Python is read when it runs',
    ]);
  });
});

describe('the demo', () => {
  test('goes through its steps', async () => {
    const { status, stdout, stderr } = await spawnNode(['examples/python.mjs']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.match(/^Step \d+/gm)).toHaveLength(7);
    expect(stdout).toContain("Maybe you meant one of these indexes instead: ['errors.md'");
    expect(stdout).toContain('ERR_MAX_OPS_EXCEEDED: ');
    expect(stdout).toContain('ERR_EXEC_TIMEOUT: Execution timed out after 2000ms');
    expect(stdout).toContain("longest: 'containment.md' }");
  });

  test('is what `npm run demo:python` runs', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(scripts['demo:python']).toBe('node scripts/setup.mjs && node examples/python.mjs');
  });
});

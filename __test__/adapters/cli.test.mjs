// The command line: `ses-executor run` and `ses-executor check`.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, test } from 'vitest';

import { OPTIONS } from '../../build/adapters/cli/usage.js';
import { ROOT, spawnNode, spawnProgram, testIf, withFolder } from '../helpers.mjs';

const BIN = join(ROOT, 'bin', 'ses-executor.js');

/** Runs the command line with `args` in a folder that holds `files`. */
const cli = (args, { files = {}, input = '' } = {}) =>
  withFolder((folder) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return spawnNode([BIN, ...args], { cwd: folder, input });
  });

describe('run', () => {
  test('prints logs to stderr and the output to stdout, with status 0', async () => {
    const files = { 'a.js': 'console.log("logged"); console.error({ n: 1 }); [1, "two", { three: 3n }]' };
    expect(await cli(['run', 'a.js'], { files })).toStrictEqual({
      status: 0,
      signal: null,
      stdout: "[ 1, 'two', { three: 3n } ]\n",
      stderr: 'logged\n{ n: 1 }\n',
    });
  });

  test('prints a string unquoted', async () => {
    expect(await cli(['run', '-'], { input: '"text"' })).toMatchObject({ status: 0, stdout: 'text\n' });
  });

  test('prints nothing for a program without output', async () => {
    expect(await cli(['run', '-'], { input: 'if (false) 1' })).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  test('reports on stderr a function that nothing calls', async () => {
    expect(await cli(['run', '-'], { input: 'function f() {}' })).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'The program declares f but does not call it. To run it, end the program with a call: await f()\n',
    });
  });

  test('- reads the code from stdin', async () => {
    const result = await cli(['run', '-'], { input: 'final_answer(6 * 7)' });
    expect(result).toStrictEqual({ status: 0, signal: null, stdout: '42\n', stderr: '' });
  });

  // It would run with other characters in the place of those.
  test('input that is not UTF-8 is refused', async () => {
    const latin = Buffer.from('"caf\u00e9"', 'latin1');
    const files = { 'a.js': latin, 'vars.json': Buffer.concat([Buffer.from('{"a":'), latin, Buffer.from('}')]) };
    const refused = (source) => ({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`ses-executor: ${source} is not UTF-8: save it as UTF-8\n`),
    });
    expect(await cli(['run', 'a.js'], { files })).toMatchObject(refused('a.js'));
    expect(await cli(['run', '-'], { input: latin })).toMatchObject(refused('the standard input'));
    const withVariables = await cli(['run', '-', '--vars', 'vars.json'], { files, input: '1' });
    expect(withVariables).toMatchObject(refused('vars.json'));
  });

  test('logs are printed before the run ends', async () => {
    const result = await cli(['run', '-', '--timeout', '300'], {
      input: 'console.log("early"); await new Promise(() => {})',
    });
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/^early\nERR_EXEC_TIMEOUT: Execution timed out after 300ms\n/);
  });

  test('--vars defines variables', async () => {
    const files = { 'vars.json': '{ "who": { "name": "Ada" }, "n": 2 }' };
    const result = await cli(['run', '-', '--vars', 'vars.json'], { files, input: '`${who.name} ${n + 1}`' });
    expect(result).toMatchObject({ status: 0, stdout: 'Ada 3\n' });
  });

  test.each([
    ['exports', 'export const add = (a, b) => a + b;\nexport async function later(n) { return n; }'],
    ['a default export', 'export default { add: (a, b) => a + b, later: async (n) => n };'],
    [
      'a default export that is a function',
      'export const later = async (n) => n;\nexport default function add(a, b) { return a + b; }',
    ],
    ['both', 'export const add = (a, b) => a + b;\nexport default { later: async (n) => n };'],
  ])('--tools accepts %s', async (_, text) => {
    const result = await cli(['run', '-', '--tools', 'tools.mjs'], {
      files: { 'tools.mjs': text },
      input: 'add(1, await later(2))',
    });
    expect(result).toStrictEqual({ status: 0, signal: null, stdout: '3\n', stderr: '' });
  });

  test('--tools accepts namespaces and CommonJS', async () => {
    const files = { 'tools.cjs': 'module.exports = { Host: { read: (p) => `content of ${p}` } };' };
    const result = await cli(['run', '-', '--tools', 'tools.cjs'], { files, input: 'Host.read("a")' });
    expect(result).toMatchObject({ status: 0, stdout: 'content of a\n' });
  });

  test('--tools accepts schemas', async () => {
    const zod = pathToFileURL(join(ROOT, 'node_modules', 'zod', 'index.js'));
    const text = `
      import { z } from '${zod}';
      const inputSchema = z.object({ n: z.number() });
      export const double = { description: 'Doubles.', inputSchema, execute: ({ n }) => n * 2 };
      export const one = () => 1;`;
    const files = { 'tools.mjs': text, 'a.js': 'await double({ n: one() })', 'b.js': 'await double({})' };
    expect(await cli(['run', 'a.js', '--tools', 'tools.mjs'], { files })).toStrictEqual({
      status: 0,
      signal: null,
      stdout: '2\n',
      stderr: '',
    });
    const wrong = await cli(['run', 'b.js', '--tools', 'tools.mjs'], { files });
    expect(wrong).toMatchObject({ status: 1, stdout: '' });
    expect(wrong.stderr).toContain('the input of double is not valid: n: ');
  });

  // Node.js ended with nothing to wait for, and 0.
  test('--tools that never finish loading end with status 13', async () => {
    const files = { 'tools.mjs': 'await new Promise(() => {});\nexport const one = () => 1;' };
    expect(await cli(['run', '-', '--tools', 'tools.mjs'], { files, input: '1' })).toStrictEqual({
      status: 13,
      signal: null,
      stdout: '',
      stderr:
        'ses-executor: nothing is left to do, but the command has not ended: a module of --tools may have a top-level await that never finishes\n',
    });
  });

  test('the process ends although tools leave timers running', async () => {
    const files = { 'tools.mjs': 'export const tick = () => { setInterval(() => {}, 1000); return 1; };' };
    expect(await cli(['run', '-', '--tools', 'tools.mjs'], { files, input: 'tick()' })).toMatchObject({
      status: 0,
      stdout: '1\n',
    });
  });

  test('--timeout ends a run', async () => {
    const result = await cli(['run', '-', '--timeout', '50'], { input: 'await new Promise(() => {})' });
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain('ERR_EXEC_TIMEOUT: Execution timed out after 50ms');
  });

  test('--max-operations Infinity means no limit', async () => {
    const input = 'let n = 0; while (n < 100_000) n++; n';
    expect(await cli(['run', '-', '--max-operations', 'Infinity'], { input })).toMatchObject({
      status: 0,
      stdout: '100000\n',
    });
  });

  test('--max-operations ends a run', async () => {
    const input = 'for (let i = 0; i < 10; i++); "done"';
    expect(await cli(['run', '-', '--max-operations', '10'], { input })).toMatchObject({ status: 0, stdout: 'done\n' });
    const result = await cli(['run', '-', '--max-operations', '9'], { input });
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain('ERR_MAX_OPS_EXCEEDED: Max operations exceeded (9)');
  });

  test('--allow-import may occur more than once', async () => {
    const input = 'await import("a"); await import("b"); "imported"';
    const allowed = await cli(['run', '-', '--allow-import', 'a', '--allow-import', 'b'], { input });
    expect(allowed).toMatchObject({ status: 0, stdout: 'imported\n' });
    const denied = await cli(['run', '-', '--allow-import', 'a'], { input });
    expect(denied).toMatchObject({ status: 1, stdout: '' });
    expect(denied.stderr).toContain('ERR_IMPORT_NOT_ALLOWED: Import not allowed: b');
  });

  test('--json prints an output', async () => {
    const input = 'console.log("logged"); final_answer({ n: 1, list: [1, 2], map: new Map([["a", 1]]), big: 2n })';
    const { status, stdout } = await cli(['run', '-', '--json'], { input });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      output: { n: 1, list: [1, 2], map: [['a', 1]], big: '2' },
      logs: 'logged',
      is_final_answer: true,
      stats: { operations: 0, toolCalls: 0 },
    });
  });

  test.each([
    ['undefined', 'function f() {}', null],
    ['a cycle', 'const o = { a: 1 }; o.self = o; o', { a: 1, self: '[Circular]' }],
    [
      'data of every type',
      '({ at: new Date(0), n: NaN, m: new Map([[1, 2n]]) })',
      { at: '1970-01-01T00:00:00.000Z', n: 'NaN', m: [[1, '2']] },
    ],
  ])('--json prints %s', async (_, input, output) => {
    const { status, stdout } = await cli(['run', '-', '--json'], { input });
    expect(status).toBe(0);
    expect(JSON.parse(stdout).output).toStrictEqual(output);
  });

  test('--json leaves stdout alone when tools print', async () => {
    const files = { 'tools.mjs': "console.log('loaded'); export const print = () => { console.log('called'); };" };
    const { status, stdout, stderr } = await cli(['run', '-', '--json', '--tools', 'tools.mjs'], {
      files,
      input: 'print(); 1',
    });
    expect({ status, output: JSON.parse(stdout).output, stderr }).toStrictEqual({
      status: 0,
      output: 1,
      stderr: 'loaded\ncalled\n',
    });
  });

  test('--json prints an error', async () => {
    const { status, stdout } = await cli(['run', '-', '--json'], { input: 'console.log("logged");\nnull.x' });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'ERR_RUNTIME_EXCEPTION',
        severity: 'ERROR',
        message: "Runtime exception: TypeError: Cannot read properties of null (reading 'x')",
        retryable: true,
        details: { name: 'TypeError', line: 2, column: 6 },
        logs: 'logged',
      },
    });
  });

  test('an error of the code has its place and code frame: status 1', async () => {
    const files = { 'a.js': 'const a = 1;\nnull.x;' };
    const result = await cli(['run', 'a.js'], { files });
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain(
      "ERR_RUNTIME_EXCEPTION: Runtime exception: TypeError: Cannot read properties of null (reading 'x')",
    );
    expect(result.stderr).toContain('a.js:2:6');
    expect(result.stderr).toContain('2 | null.x;');
    expect(result.stderr).not.toContain('    at ');
  });

  // What else is known was left out: of these errors, and of the limit of modules, all that tells what went wrong.
  test.each([
    ['const list = [1];\nlist.lenght.x', '`list` has no `lenght`. Did you mean `length`?'],
    ['throw new Error("outer", { cause: new TypeError("inner") })', 'Its cause: TypeError: inner (line 1)'],
    ['await Promise.any([Promise.reject(new Error("a"))])', 'Its errors: a (line 1)'],
  ])('an error has its other details too: %j', async (input, hint) => {
    const { status, stderr } = await cli(['run', '-'], { input });
    expect({ status, last: stderr.trimEnd().split('\n').at(-1) }).toStrictEqual({ status: 1, last: `  hint: ${hint}` });
  });

  test('code that does not parse has diagnostics: status 1', async () => {
    const result = await cli(['run', '-'], { input: 'let a = ;' });
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain('ERR_VALIDATION_FAILED: Code validation failed');
    expect(result.stderr).toContain('stdin:1:9');
    expect(result.stderr).toContain('syntax_valid');
  });

  test('a failing tool: status 1', async () => {
    const files = { 'tools.mjs': 'export const boom = () => { throw new Error("disk on fire"); };' };
    const result = await cli(['run', '-', '--tools', 'tools.mjs'], { files, input: 'boom()' });
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain('ERR_TOOL_PROXY_FAIL: Tool execution failed: disk on fire');
  });
});

describe('check', () => {
  test('code without findings: status 0', async () => {
    expect(await cli(['check', '-'], { input: '1 + 1' })).toStrictEqual({
      status: 0,
      signal: null,
      stdout: '',
      stderr: '',
    });
  });

  test('errors: status 1, with code frames on stdout', async () => {
    const files = { 'a.js': 'const a = 1;\nlet b = ;\n' };
    const { status, stdout, stderr } = await cli(['check', 'a.js'], { files });
    expect({ status, stderr }).toStrictEqual({ status: 1, stderr: '' });
    expect(stdout).toContain('a.js:2:9: ERROR ');
    expect(stdout).toContain('(syntax_valid)');
    expect(stdout).toContain('2 | let b = ;');
    expect(stdout).toMatch(/^ +\| +\^/m);
  });

  test('warnings: status 0', async () => {
    const { status, stdout } = await cli(['check', '-'], { input: 'process.exit()' });
    expect(status).toBe(0);
    expect(stdout).toContain('stdin:1:1: WARNING ');
    expect(stdout).toContain('(forbidden_global_access)');
    expect(stdout).toContain('fix: ');
  });

  test('check does not run the code', async () => {
    expect(await cli(['check', '-'], { input: 'for (;;) console.log("running")' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  test('check accepts --allow-import and --json', async () => {
    const input = 'import("a"); import("b")';
    const { status, stdout } = await cli(['check', '-', '--json', '--allow-import', 'a'], { input });
    expect(status).toBe(1);
    expect(JSON.parse(stdout).diagnostics).toStrictEqual([
      expect.objectContaining({ rule: 'import_allowed', severity: 'ERROR', location: { line: 1, column: 14 } }),
    ]);
    expect(await cli(['check', '-', '--allow-import', 'a', '--allow-import', 'b'], { input })).toMatchObject({
      status: 0,
    });
  });
});

describe('check with source text of modules', () => {
  const files = {
    'a.mjs': 'export { b } from "b";',
    'b.mjs': 'export const b = 1;',
    'broken.mjs': 'export const a = ;',
  };

  test('loads the modules and runs no code', async () => {
    const args = ['check', '-', '--allow-import', 'a=a.mjs', '--allow-import', 'b=b.mjs'];
    expect(await cli(args, { files, input: 'import("a"); for (;;);' })).toMatchObject({ status: 0, stderr: '' });
  });

  test('refuses a module that does not load as wrong usage', async () => {
    const { status, stdout, stderr } = await cli(['check', '-', '--allow-import', 'x=broken.mjs'], {
      files,
      input: '1',
    });
    expect({ status, stdout, reason: stderr.split('\n')[0] }).toStrictEqual({
      status: 2,
      stdout: '',
      reason: `ses-executor: the module x does not load: SyntaxError: Module 'x' cannot be loaded: in module "x", line 1, column 18: Unexpected token ';'`,
    });
  });
});

describe('check --module', () => {
  test('accepts a file that loads', async () => {
    const files = { 'lib.mjs': 'export const a = typeof process; export default () => fetch("x");' };
    expect(await cli(['check', '--module', 'lib.mjs'], { files })).toMatchObject({
      status: 0,
      stderr: '',
      stdout: [
        'lib.mjs: 1 KiB',
        '  loads, with 2 exports: a, default',
        '  uses globals that guest code lacks:',
        '    fetch (Ask the host for a tool that makes the request; hosts can allow it with globals: ["fetch"])',
        '    process (Node.js is not available; ask the host for a tool or a variable that provides what you need)',
        '',
      ].join('\n'),
    });
  });

  test('reports a file that does not load', async () => {
    const files = { 'lib.mjs': 'import fs from "node:fs";\nexport const a = () => fetch("x");' };
    expect(await cli(['check', '--module', 'lib.mjs'], { files })).toMatchObject({
      status: 1,
      stdout: [
        'lib.mjs: 1 KiB',
        '  does not load: Import not allowed: node:fs',
        '  imports these modules, which must be provided: node:fs',
        '  uses globals that guest code lacks:',
        '    fetch (Ask the host for a tool that makes the request; hosts can allow it with globals: ["fetch"])',
        '',
      ].join('\n'),
    });
  });

  test('accepts a package with everything that it requires', async () => {
    const files = {
      'node_modules/two/package.json': '{ "name": "two", "main": "main.js" }',
      'node_modules/two/main.js':
        "const { b } = require('./b'); exports.two = b + 1; throw Object.assign(new Error('at ' + b), {});",
      'node_modules/two/b.js': 'exports.b = 1;',
    };
    const { status, stdout } = await cli(['check', '--module', 'two', '--json'], { files });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'two', lacks: [], imports: [], exports: [], error: 'at 1' });
  });

  test('omits modules of Node.js unless a package or the browser field replaces them', async () => {
    const files = {
      'node_modules/one/package.json':
        '{ "name": "one", "main": "main.js", "browser": { "crypto": false, "fs": "./fs.js" } }',
      'node_modules/one/main.js':
        "module.exports = { ...require('crypto'), fs: require('fs'), ...require('events'), path: () => require('path') };",
      'node_modules/one/fs.js': 'module.exports = 1;',
      'node_modules/one/node_modules/events/index.js': 'exports.events = 2;',
    };
    const { status, stdout } = await cli(['check', '--module', 'one', '--json'], { files });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'one', imports: [], exports: ['default'] });
    expect(status).toBe(0);
  });

  test('reports a package that does not exist', async () => {
    const { status, stderr } = await cli(['check', '--module', '@no-such/package/part'], { files: {} });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^ses-executor: @no-such\/package\/part cannot be read: there is no such file and no such package\n/,
    );
  });
});

describe('wrong usage: status 2, and the reason on stderr', () => {
  const files = {
    'a.js': '1',
    'list.json': '[1]',
    'api.json':
      '{ "openapi": "3.1.0", "info": { "title": "a", "version": "1" }, "servers": [{ "url": "https://a.b" }], "paths": { "/a": { "get": { "responses": { "200": { "description": "" } } } } } }',
    'bad.json': '{',
    'bad.yaml': 'a: [',
    'bad.mjs': 'export default ;',
    'value.mjs': 'export const x = 1;',
    'instance.mjs': 'class Api { add() {} }\nexport default new Api();',
    'nameless.mjs': 'export default () => 1;',
  };
  test.each([
    [[], /a command is missing; the commands are run, check, repl, mcp, python, sessions, worker, fleet, replay\n/],
    [
      ['walk', 'a.js'],
      /there is no command "walk"; the commands are run, check, repl, mcp, python, sessions, worker, fleet, replay\n/,
    ],
    [['run'], /file/],
    [['run', 'a.js', 'b.js'], /one file/],
    [['run', 'missing.js'], /missing\.js/],
    [['run', 'a.js', '--unknown'], /^ses-executor: there is no option --unknown\n/],
    [['walk'], /there is no command "walk"; the commands are/],
    [['rum', 'a.js'], /^ses-executor: there is no command "rum"; did you mean run\?\n/],
    [['chekc', 'a.js'], /^ses-executor: there is no command "chekc"; did you mean check\?\n/],
    [['run', 'a.js', '--time-out', '5'], /^ses-executor: there is no option --time-out; did you mean --timeout\?\n/],
    [['run', 'a.js', '--timeuot=5'], /^ses-executor: there is no option --timeuot; did you mean --timeout\?\n/],
    [
      ['--max-ops', '5', 'run', 'a.js'],
      /^ses-executor: there is no option --max-ops; did you mean --max-operations\?\n/,
    ],
    [['help', 'mcp'], /^ses-executor: there is no command "help"; did you mean --help\?\n/],
    [['mcp', '--readonly'], /^ses-executor: there is no option --readonly; did you mean --read-only\?\n/],
    [
      ['mcp', '--servers', 'a=b'],
      /^ses-executor: --servers takes brokers, such as nats:\/\/host:4222; for another MCP server, use --server /,
    ],
    [['check', '-', '--servers', 'nats://a'], /^ses-executor: check does not take --servers\n/],
    [['repl', '--hlep'], /^ses-executor: there is no option --hlep; did you mean --help\?\n/],
    [['run', '-x', 'a.js'], /^ses-executor: there is no option -x\n/],
    [['run', 'a.js', '--tool', 'x.mjs'], /^ses-executor: there is no option --tool; did you mean --tools\?\n/],
    [['check', 'a.js', '--memory', '5'], /^ses-executor: check does not take --memory\n/],
    [['run', 'a.js', '--tool-timeout', '5'], /^ses-executor: run does not take --tool-timeout\n/],
    [
      ['mcp', '--keep-state', '--no-keep-state'],
      /^ses-executor: --keep-state and --no-keep-state cannot be combined\n/,
    ],
    [['run', 'a.js', '--timeout'], /--timeout/],
    [['run', 'a.js', '--timeout', 'soon'], /--timeout.*soon/],
    [['run', 'a.js', '--timeout', '0'], /--timeout.*0/],
    [['run', 'a.js', '--max-operations', '1.5'], /--max-operations.*, or Infinity, got "1\.5"/],
    [['run', 'a.js', '--timeout', 'Infinity'], /--timeout must be an integer from 1 to \d+, got "Infinity"/],
    [['run', 'a.js', '--vars', 'missing.json'], /missing\.json/],
    [['run', 'a.js', '--vars', 'bad.json'], /bad\.json/],
    [['run', 'a.js', '--vars', 'list.json'], /list\.json/],
    [['run', 'a.js', '--tools', 'missing.mjs'], /missing\.mjs/],
    [['run', 'a.js', '--tools', 'bad.mjs'], /bad\.mjs/],
    [['run', 'a.js', '--tools', 'value.mjs'], /x must be a function/],
    [
      ['run', 'a.js', '--tools', 'instance.mjs'],
      /^ses-executor: the default export of instance\.mjs must be an object of tools, or a function with a name, got an instance of Api\n/,
    ],
    [
      ['run', 'a.js', '--tools', 'nameless.mjs'],
      /^ses-executor: the default export of nameless\.mjs must be an object of tools, or a function with a name, got a function without a name\n/,
    ],
    [['check', 'a.js', '--vars', 'list.json'], /--vars/],
    [['check', 'missing.js'], /missing\.js/],
    [['check', 'a.js', '--allow-import', ''], /authorizedImports\[0\] must be a non-empty string/],
    [['run', 'a.js', '--allow-import', ''], /authorizedImports\[0\] must be a non-empty string/],
    [['mcp', '--packages', 'folder'], /^ses-executor: --packages needs --python\n/],
    [['mcp', '--openapi', 'a.js'], /document must be the text of a document, got 1/],
    [['mcp', '--openapi', 'bad.json'], /document cannot be read as JSON: /],
    [['mcp', '--openapi', 'bad.yaml'], /document cannot be read as YAML: .* at line 1, column 5/],
    [['mcp', '--openapi', 'api.json', '--memory', '8'], /memoryLimitMb must be an integer from 16/],
    [['mcp', '--openapi', 'missing.yaml'], /missing\.yaml cannot be read/],
    [
      ['mcp', '--openapi', 'https://ada:s3cr3t@api.test/api.json?key=s3cr3t'],
      /^ses-executor: https:\/\/api\.test\/api\.json is an address; give the path of a file\n(?!.*s3cr3t)/,
    ],
    [['run', 'https://ada:s3cr3t@api.test/a.js'], /^ses-executor: https:\/\/api\.test\/a\.js is an address; /],
  ])('for %j', async (args, reason) => {
    const { status, stdout, stderr } = await cli(args, { files });
    expect({ status, stdout }).toStrictEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toMatch(/^\s+at /m);
    // The whole help came behind it, so that a terminal showed the end of that and no reason.
    expect(stderr.split('\n').slice(-2)).toStrictEqual(['Run `ses-executor --help` for usage.', '']);
    expect(stderr).not.toContain('Options:');
  });
});

describe('--help', () => {
  test('lists every command and every option', async () => {
    const { status, stdout } = await cli(['--help']);
    expect(status).toBe(0);
    for (const name of Object.keys(OPTIONS)) expect(stdout).toMatch(new RegExp(`^  (?:-\\w, )?--${name} `, 'm'));
    expect(stdout.split('\n').every((line) => line.length <= 140)).toBe(true);
  });

  test.each([
    ['run', ['--vars', '--json'], ['--root', '--server ', '--openapi', '--to ']],
    ['check', ['--module', '--json'], ['--vars', '--memory']],
    ['repl', ['--root', '--memory'], ['--json', '--openapi', '--tool-timeout']],
    ['mcp', ['--openapi', '--keep-state', '--tool-timeout'], ['--json', '--module', '--to ']],
    ['python', ['--to', '-r, --requirement'], ['--vars', '--timeout']],
  ])('of %s lists only its own options', async (command, own, others) => {
    for (const args of [
      [command, '--help'],
      ['-h', command],
    ]) {
      const { status, stdout } = await cli(args);
      expect(status).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage:\n  ses-executor ${command} `));
      for (const option of own) expect(stdout).toContain(`  ${option}`);
      for (const option of others) expect(stdout).not.toContain(`  ${option}`);
    }
  });
});

// It was told as wrong usage, with the whole help.
test.each([['run'], ['check']])('%s without the addon prints only the reason: status 1', (command) =>
  withFolder(async (folder) => {
    const hidden = join(folder, 'hidden.cjs');
    writeFileSync(hidden, "process.dlopen = () => { throw new Error('the addon is hidden'); };");
    const { status, stdout, stderr } = await spawnNode(['-r', hidden, BIN, command, '-'], { input: '1' });
    expect({ status, stdout }).toStrictEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^ses-executor: ses-executor cannot be loaded: .* the addon is hidden\n$/);
  }),
);

describe('help', () => {
  test('--help prints the usage', async () => {
    const { status, stdout, stderr } = await cli(['--help']);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    for (const word of [
      'run',
      'check',
      '--vars',
      '--tools',
      '--timeout',
      '--max-operations',
      '--allow-import',
      '--json',
    ]) {
      expect(stdout).toContain(word);
    }
  });

  test('--version prints the version', async () => {
    const { status, stdout } = await cli(['--version']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('the stdout of the command line', () => {
  /**
   * Runs the command line with `args` and `input` until it has printed something, which nobody reads on from then on.
   */
  const unread = async (args, input, { staysOpen = false } = {}) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: ROOT, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => {});
    child.stdin.write(input);
    if (!staysOpen) child.stdin.end();
    child.stdout.once('data', () => child.stdout.destroy());
    let stderr = '';
    child.stderr.on('data', (text) => (stderr += text));
    const status = await new Promise((resolve) => child.on('close', resolve));
    return { status, stderr };
  };

  test('may be closed by its reader without a failure', async () => {
    expect(await unread(['run', '-'], '"x".repeat(5e6)')).toStrictEqual({ status: 0, stderr: '' });
  });

  test('may be closed by its reader without hiding a failure', async () => {
    const run = await unread(['run', '-', '--json'], 'console.log("x".repeat(2e5)); null.x');
    expect(run.status).toBe(1);
    const check = await unread(['check', '-', '--json'], 'import("a");\n'.repeat(2_000));
    expect(check).toStrictEqual({ status: 1, stderr: '' });
  });

  test('ends the session when its reader ends', async () => {
    const print = '"x".repeat(2e5)\n'.repeat(10);
    expect(await unread(['repl'], print, { staysOpen: true })).toStrictEqual({ status: 0, stderr: '' });
    const list = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`.repeat(1_000);
    expect(await unread(['mcp'], list, { staysOpen: true })).toStrictEqual({ status: 0, stderr: '' });
  });

  testIf(existsSync('/dev/full')).each([['run', '-'], ['run', '-', '--json'], ['check', '-'], ['repl'], ['--help']])(
    'that cannot be written to is a failure: %s',
    async (...args) => {
      const script = '"$0" "$@" > /dev/full';
      const input = 'try { process } catch {} 1\n';
      const result = await spawnProgram('sh', ['-c', script, process.execPath, BIN, ...args], { input });
      expect(result).toMatchObject({ status: 1, stdout: '' });
      expect(result.stderr).toMatch(/^ses-executor: .*ENOSPC.*\n$/m);
    },
  );
});

// `ses-executor repl`: programs that are piped into it, and a person at a terminal, which is two streams here.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

import { describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { utf8Of } from '../../build/adapters/cli/input.js';
import { Prompt } from '../../build/adapters/cli/repl.js';
import { OpenBrackets } from '../../build/adapters/cli/open-brackets.js';
import { toolsetOf } from '../../build/adapters/mcp/tools.js';
import { preferredIsolation } from '../../build/ses/isolation.js';
import { ROOT, deferred, spawnNode, withExecutor, withFolder } from '../helpers.mjs';

const BIN = join(ROOT, 'bin', 'ses-executor.js');

const piped = (lines, args = []) =>
  spawnNode([BIN, 'repl', ...args], { input: lines.map((line) => `${line}\n`).join('') });

/** Whether brackets are open after code that comes line by line. */
const areOpen = (code) => {
  const brackets = new OpenBrackets();
  for (const line of code.split('\n')) brackets.add(`${line}\n`);
  return brackets.areOpen;
};

test.each([
  ['f(', true],
  ['f({ a: [1, 2] })', false],
  ['{ "}"', true],
  ['"{" + \'[\'', false],
  ['"a\\"{"', false],
  ['`{`', false],
  ['`${ { a: 1 }.a } {`', false],
  ['`a ${ f(', true],
  ['`a\nb', true],
  ['`\\``', false],
  ['// {', false],
  ['/* {', true],
  ['/* { */ 1', false],
  ['/[{/]/', false],
  ['return /{/', false],
  ['a / b / c', false],
  ['f() / g(', true],
  ['x = /\\/{/', false],
  ['}', false],
])('brackets of %j are open: %s', (code, expected) => expect(areOpen(code)).toBe(expected));

describe('the REPL with piped input', () => {
  test('runs programs of one or several lines in order, in one session, and prints their values', async () => {
    const { status, stdout, stderr } = await piped([
      'const a = 1',
      'function f(x) {',
      '  return x * 2;',
      '}',
      'console.log("logged"); f(a + 20)',
      '"text"',
      'new Map([[1, 2n]])',
      'undefined',
      '',
      'await new Promise((resolve) => resolve(a))',
      'enum Unit { Km }; Unit.Km as number',
    ]);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(stdout).toBe("1\nundefined\nlogged\n42\n'text'\nMap(1) { 1 => 2n }\nundefined\n1\n0\n");
  });

  test('prints what programs show, also of earlier functions and before a failure', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const { stdout } = await piped([
      `const image = Uint8Array.fromBase64("${png}")`,
      'function show() { display(image); return 1; }',
      'show()',
      'display("text"); progress("half", 0.5); 2',
      'display({ a: 1 }); null.x',
      'show()',
    ]);
    expect(stdout).toMatch(
      /\nundefined\n\[image\/png, 70 bytes\]\n1\nhalf \(50 %\)\ntext\n2\n\{"a":1\}\nERR_RUNTIME_EXCEPTION: [^]*\n\[image\/png, 70 bytes\]\n1\n$/,
    );
  });

  test('leaves the name `display` to programs that declare it', async () => {
    const { stdout } = await piped(['const display = (value) => value + 1', 'display(1)']);
    expect(stdout.endsWith('\n2\n')).toBe(true);
  });

  test('continues a string only after an escaped line break', async () => {
    const { stdout } = await piped(['"a\\', 'b\\', 'c"', '"d\\\\', '7']);
    expect(stdout).toBe(
      [
        "'abc'",
        'ERR_VALIDATION_FAILED: Code validation failed',
        'repl:1:1: ERROR Unterminated string constant (syntax_valid)',
        '  |',
        '1 | "d\\\\',
        '  | ^ Unterminated string constant',
        '7',
        '',
      ].join('\n'),
    );
  });

  test('prints the place of a failure in a function of an earlier program', async () => {
    const { stdout } = await piped(['const load = (text) => JSON.parse(text)', 'load("{")']);
    expect(stdout).toContain('\n1 | load("{")\n');
    expect(stdout).toContain(
      '\n  hint: It was thrown in `load`, line 1 of an earlier run (step-1.js): `const load = (text) => JSON.parse(text)`.\n',
    );
  });

  test('prints the place of a failure and continues', async () => {
    const { stdout } = await piped(['let n = 1', 'null.x', 'n', 'let b = ;', '`never', 'closed']);
    expect(stdout).toBe(
      [
        '1',
        "ERR_RUNTIME_EXCEPTION: Runtime exception: TypeError: Cannot read properties of null (reading 'x')",
        '  at repl:1:6',
        '  |',
        '1 | null.x',
        "  |      ^ TypeError: Cannot read properties of null (reading 'x')",
        '1',
        'ERR_VALIDATION_FAILED: Code validation failed',
        "repl:1:9: ERROR Unexpected token ';' (syntax_valid)",
        '  |',
        '1 | let b = ;',
        "  |         ^ Unexpected token ';'",
        'ERR_VALIDATION_FAILED: Code validation failed',
        'repl:1:1: ERROR Unterminated template (syntax_valid)',
        '  |',
        '1 | `never',
        '  | ^ Unterminated template',
        '2 | closed',
        '  |',
        '',
      ].join('\n'),
    );
  });

  // It ran with other characters in place of those that are none.
  test.each([
    ['within a line', Buffer.from('1 + 1\ncaf\xe9 = 1\n2', 'latin1')],
    ['at the end', Buffer.from([0x31, 0x0a, 0xe2, 0x82])],
  ])('ends with status 2 on input that is not UTF-8 %s', async (_, input) => {
    const { status, stdout, stderr } = await spawnNode([BIN, 'repl'], { input });
    expect({ status, stderr }).toStrictEqual({
      status: 2,
      stderr: 'ses-executor: the standard input is not UTF-8: save it as UTF-8\nRun `ses-executor --help` for usage.\n',
    });
    expect(stdout).not.toContain('2');
  });

  // Without a byte order mark, UTF-16 of ASCII characters is UTF-8 with NUL characters.
  test.each([
    ['little-endian, with a mark', Buffer.from('\ufeff1 + 1\n', 'utf16le')],
    ['little-endian, without a mark', Buffer.from('1 + 1\n', 'utf16le')],
    ['big-endian, with a mark', Buffer.from('\ufeff1 + 1\n', 'utf16le').swap16()],
    ['big-endian, without a mark', Buffer.from('1 + 1\n', 'utf16le').swap16()],
  ])('names UTF-16 as the encoding: %s', async (_, input) => {
    for (const args of [['repl'], ['run', '-']]) {
      const { status, stdout, stderr } = await spawnNode([BIN, ...args], { input });
      expect({ status, stdout }).toStrictEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^ses-executor: the standard input is UTF-16: save it as UTF-8\n/);
    }
  });

  test('ignores a byte order mark and joins a character in two chunks', () =>
    withExecutor({}, {}, async (executor) => {
      const input = new PassThrough();
      const text = utf8Of(input, 'it');
      for (const byte of Buffer.from('\ufeff"\u20ac\ud83d\ude00"')) input.write(Buffer.from([byte]));
      input.end();
      let whole = '';
      for await (const chunk of text) whole += chunk;
      expect((await executor.run(whole)).output).toBe('\u20ac\ud83d\ude00');
    }));

  // Each line had all lines before it parsed again: 5,000 took minutes.
  test('does not parse a program of thousands of lines again for each line', async () => {
    const lines = Array.from(
      { length: 5_000 },
      (_, at) => `  const x${at} = g(${at}, "}", /[{]/, \`{\${ { a: 1 } }\`);`,
    );
    const { status, stdout, stderr } = await piped([
      'function f(g) {',
      ...lines,
      '  return g();',
      '}',
      'f(() => 7)',
      '1 + 1',
    ]);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: 'undefined\n7\n2\n', stderr: '' });
  });

  test('continues and ends a program of many lines whose brackets it misreads', async () => {
    const lines = Array.from({ length: 100 }, (_, at) => `  if (x) /[{(\`]/.test("${at}");`);
    const { stdout } = await piped(['{', 'const x = 0;', ...lines, '}', ...Array(60).fill('1'), '2']);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('2');
  });

  test('ends the run at its deadline, but not the session', async () => {
    const { stdout } = await piped(['let n = 1', 'await new Promise(() => {})', 'typeof n'], ['--timeout', '1000']);
    // On a machine that has too much to do it may be ended with the isolate.
    expect(stdout).toMatch(
      /^1\nERR_EXEC_TIMEOUT: Execution timed out after 1000ms\n('number'|The variables and functions that you have defined are gone\.\n'undefined')\n$/,
    );
  });

  test('supports .tools, .reset, tools, variables and modules', () =>
    withFolder(async (folder) => {
      const file = (name, text) => (writeFileSync(join(folder, name), text), join(folder, name));
      const tools = `export const add = (a, b) => a + b;
        export const find = { description: 'Finds.', inputSchema: { type: 'object' }, execute: async () => ({ id: 'a' }) };`;
      const args = [
        ...['--tools', file('tools.mjs', tools), '--vars', file('vars.json', '{ "rate": 2 }')],
        ...['--allow-import', `units=${file('units.mjs', 'export const twice = (n) => 2 * n;')}`],
      ];
      const { stdout, stderr } = await piped(
        [
          '.tools',
          'const sum = add(rate, 1)',
          '(await find()).id',
          '.reset',
          '[typeof sum, rate]',
          '(await import("units")).twice(4)',
        ],
        args,
      );
      expect(stderr).toBe('');
      expect(stdout).toBe(
        [
          'function add(...args) {}',
          '',
          '/**',
          ' * Finds.',
          ' *',
          ' * @returns {Promise<any>}',
          ' */',
          'async function find() {}',
          '3',
          "'a'",
          'The session is empty.',
          "[ 'undefined', 2 ]",
          '8',
          '',
        ].join('\n'),
      );
    }));

  test('refuses wrong usage', async () => {
    const file = await piped([], ['file.js']);
    expect(file.status).toBe(2);
    expect(file.stderr).toMatch(/^ses-executor: repl takes no file, got "file\.js"\n/);
    const readOnly = await piped([], ['--read-only']);
    expect(readOnly.stderr).toMatch(/^ses-executor: --read-only needs --root\n/);
  });
});

/** A person at a terminal: `type` sends keys, `until` waits for a string in the output since its last match. */
function terminal({ tools = {}, history, isolation = 'thread' } = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  const waiting = [];
  output.setEncoding('utf8').on('data', (text) => {
    shown += stripVTControlCharacters(text);
    for (const look of [...waiting]) look();
  });
  const executor = new SESExecutor({ isolation, keepState: true });
  const prompt = new Prompt({
    executor,
    toolset: toolsetOf({ tools }).toolset,
    input,
    output,
    terminal: true,
    hasColours: false,
    history,
  });
  const until = (text) => {
    const { promise, resolve } = deferred();
    const look = () => {
      const at = shown.indexOf(text);
      if (at === -1) return;
      const before = shown.slice(0, at);
      shown = shown.slice(at + text.length);
      waiting.splice(waiting.indexOf(look), 1);
      resolve(before);
    };
    waiting.push(look);
    look();
    return promise;
  };
  return { executor, prompt, type: (keys) => input.write(keys), until };
}

const TAB = '\t';
const CTRL_C = '\x03';
const CTRL_D = '\x04';

describe('the REPL at a terminal', () => {
  // As the command chooses it.
  test.each([...new Set(['thread', preferredIsolation()])])(
    'ends the run on Ctrl-C and keeps all definitions: %s',
    async (isolation) => {
      let called;
      const { prompt, type, until } = terminal({
        isolation,
        tools: { hang: () => (called.resolve(), new Promise(() => {})), started: () => called.resolve() },
      });
      await until('> ');
      type('let n = 1; const double = (x) => 2 * x\n');
      await until('[Function: double]');
      for (const line of [
        'await hang()',
        'started(); [2, 1].sort(() => { for (;;); })',
        'let m = 20; started(); await new Promise(() => {})',
      ]) {
        called = deferred();
        await until('> ');
        type(`${line}\n`);
        await called.promise;
        type(CTRL_C);
        expect(await until('Interrupted.\n')).not.toContain('gone');
      }
      await until('> ');
      type('double(n + m)\n');
      await until('42\n');
      type(CTRL_D);
      await prompt.ended;
    },
  );

  test('escapes control sequences in output of the code', async () => {
    const { prompt, type, until } = terminal({});
    await until('> ');
    type(String.raw`throw new Error('\x1b]0;title\x07\x1b[2J\x9b2J\r\x7f')` + '\n');
    await until('Runtime exception: \u241b]0;title\u2407\u241b[2J\ufffd2J\u240d\u2421');
    await until('> ');
    type(CTRL_D);
    await prompt.ended;
  });

  test('prints errors in red, even if Node.js cannot style text', async () => {
    const { status, stdout, stderr } = await spawnNode([
      '--input-type=commonjs',
      '--eval',
      `delete require('node:util').styleText;
      const { PassThrough } = require('node:stream');
      const { Prompt } = require('./build/adapters/cli/repl.js');
      const { toolsetOf } = require('./build/adapters/mcp/tools.js');
      const { SESExecutor } = require('ses-executor');
      const input = new PassThrough();
      const { toolset } = toolsetOf({});
      const executor = new SESExecutor({ keepState: true });
      new Prompt({ executor, toolset, input, output: process.stdout, terminal: false, hasColours: true });
      input.end('throw 1\\n2\\n');`,
    ]);
    expect({ status, stdout, stderr }).toStrictEqual({
      status: 0,
      stdout:
        '\x1b[31mERR_RUNTIME_EXCEPTION: Runtime exception: 1\n  at repl:1:1\n  |\n1 | throw 1\n  | ^ 1\x1b[39m\n\x1b[33m2\x1b[39m\n',
      stderr: '',
    });
  });

  // A worker process that ended between two programs was replaced without a word.
  test.runIf(preferredIsolation() === 'process')('reports lost definitions when their process has ended', async () => {
    const { executor, prompt, type, until } = terminal({ isolation: 'process' });
    await until('> ');
    type('let a = 41\n');
    await until('41\n');
    await until('> ');
    process.kill(executor.isolation.pid, 'SIGKILL');
    while (executor.state !== 'DIRTY') await new Promise((resolve) => setImmediate(resolve));
    type('typeof a\n');
    await until('The variables and functions that you have defined are gone.\n');
    await until("'undefined'\n");
    await until('> ');
    type('a\n');
    expect(await until('a is not defined')).not.toContain('gone');
    type(CTRL_D);
    await prompt.ended;
  });

  const pasted = (text) => `\x1b[200~${text}\x1b[201~`;
  // The first line ran alone, and the second one was a command of the prompt.
  test.each([
    ['a chain', '[1, 2, 3]\r  .map((n) => n * 2)\r  .join()', "'2,4,6'\n"],
    ['a chain of promises', 'await Promise.resolve(20)\n.then((n) => n + 1)\n.finally(() => {})', '21\n'],
    ['lines that end the file', 'const list = [5]\r\n\t.concat(6)\r\nlist.length\r\n', '2\n'],
    ['a method that is named like a command', 'const o = { exit: () => 7 }\ro\r.exit\r()', '7\n'],
    ['an if with an else on the next line', 'let n\nif (false) n = 1\nelse n = 2\nn', '2\n'],
    ['empty lines and comments', '// one\r\r1 +\r\r// two\r2', '3\n'],
    ['a last line that is named like a command', 'const o = { exit: 8 }\no\n  .exit', '8\n'],
    ['characters of keys that end the session or search', '3\n\x04\n\x12+ 1\x1a', '4\n'],
    ['a line separator in a string', '"a\u2028b".length + 6', '9\n'],
  ])('reads pasted text as one program: %s', async (_, text, shown) => {
    const { prompt, type, until } = terminal({});
    await until('> ');
    type(pasted(text));
    type('\n');
    expect(await until(shown)).not.toContain('Invalid REPL keyword');
    await until('> ');
    type('.tools\n');
    await until('There are no tools.\n');
    type(CTRL_D);
    await prompt.ended;
  });

  // The rest of the text became another program.
  test('drops all of a pasted text on Ctrl-C in the middle of it, even if its end never arrives', async () => {
    const { prompt, type, until } = terminal({});
    await until('> ');
    type('\x1b[200~let a = 1\nlet b = 2\n');
    type(CTRL_C);
    await until('> ');
    type('let c = 3\n[a, b, c]\x1b[201~');
    type('40 + 2\n');
    await until('42\n');
    await until('> ');
    type('\x1b[200~1 +\n');
    type(CTRL_C);
    await until('> ');
    type(CTRL_C);
    await until('> ');
    type('50 + 3\n');
    await until('53\n');
    type(CTRL_D);
    await prompt.ended;
  });

  // Only its last line was recalled. Node.js 24 drew all lines again for each line, which took a minute.
  test('recalls a pasted program of thousands of lines as one entry of the history', async () => {
    const { prompt, type, until } = terminal({});
    await until('> ');
    const lines = Array.from({ length: 5_000 }, (_, at) => `  ${at},`);
    type(pasted(`[\n${lines.join('\n')}\n]\n  .map((n) => 2 * n)\n  .at(-1)`));
    type('\n');
    await until('9998\n');
    await until('> ');
    type('\x1b[A');
    type('\n');
    await until('9998\n');
    type(CTRL_D);
    await prompt.ended;
  });

  test('drops pasted text on Ctrl-C, and allows editing a pasted line', async () => {
    const { prompt, type, until } = terminal({});
    await until('> ');
    type(pasted('1\r2\r'));
    type(CTRL_C);
    await until('> ');
    type(pasted('40'));
    type(' + 2\n');
    await until('42\n');
    type(CTRL_D);
    await prompt.ended;
  });

  test('discards the typed text on Ctrl-C without a run, and ends on the second Ctrl-C', async () => {
    const { executor, prompt, type, until } = terminal({});
    await until('> ');
    type('1\n');
    await until('1\n');
    await until('> ');
    type('function f() {\n');
    await until('... ');
    type(CTRL_C);
    await until('> ');
    type(CTRL_C);
    await until('(To exit, press Ctrl+C again or Ctrl+D or type .exit)\n');
    type(CTRL_C);
    await prompt.ended;
    expect(executor.state).toBe('DEAD');
  });

  // It left the line alone, which became part of the next program.
  test('cancels .editor on Ctrl-C, as its banner says', async () => {
    const { prompt, type, until } = terminal({});
    await until('> ');
    type('.editor\n');
    await until('// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\n');
    type('const a = 1;\n');
    await until('\n');
    type(CTRL_C);
    await until('> ');
    type('typeof a + 2\n');
    await until("'undefined2'\n");
    await until('> ');
    type('.editor\n');
    await until('// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\n');
    type('const b = 20;\nb + 1\n');
    type(CTRL_D);
    await until('21\n');
    await until('> ');
    type(CTRL_D);
    await prompt.ended;
  });

  test('completes variables, tools, built-ins, members and commands', async () => {
    const { prompt, type, until } = terminal({ tools: { getTemperature: () => 1, files: { readAll: () => 1 } } });
    await until('> ');
    type('const inventory = { apples: 1, apricots: 2 }\n');
    await until('{ apples: 1, apricots: 2 }\n');
    await until('> ');
    for (const [typed, completed] of [
      ['inv', 'inventory'],
      ['x = getT', 'x = getTemperature'],
      ['Array.isA', 'Array.isArray'],
      ['files.r', 'files.readAll'],
      ['inventory.app', 'inventory.apples'],
      ['.to', '.tools'],
    ]) {
      type(typed + TAB);
      await until(completed);
      type(CTRL_C);
      await until('> ');
    }
    type(CTRL_D);
    await prompt.ended;
  });

  test('keeps the history for the next session', () =>
    withFolder(async (folder) => {
      const history = join(folder, 'history');
      const first = terminal({ history });
      await first.until('> ');
      await first.prompt.ready;
      first.type('40 + 2\n');
      await first.until('42\n');
      first.type(CTRL_D);
      await first.prompt.ended;
      await expect.poll(() => existsSync(history) && readFileSync(history, 'utf8')).toContain('40 + 2');
      const second = terminal({ history });
      await second.until('> ');
      await second.prompt.ready;
      second.type('\x1b[A\n');
      await second.until('42\n');
      second.type(CTRL_D);
      await second.prompt.ended;
    }));
});

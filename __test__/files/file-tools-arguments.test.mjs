// How the file tools are made and called: options, arguments from hosts and from guest code, definitions, the example.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createFileTools, fileToolDefinitions } from '../../build/files/index.js';
import { text } from './results.mjs';
import { ROOT, rejection, spawnNode, withExecutor, withFolder } from '../helpers.mjs';

let root;
let tools;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ses-executor-files-'));
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\nthree\n');
  tools = createFileTools({ root });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('options of file tools are validated', () => {
  test.each([
    [undefined, TypeError, 'options.root must be the path of a folder, or its file: URL, got undefined'],
    [{}, TypeError, 'options.root must be the path of a folder, or its file: URL, got undefined'],
    [{ root: '' }, TypeError, 'options.root must be the path of a folder, or its file: URL, got ""'],
    [{ root: 'a\0b' }, TypeError, 'options.root must be the path of a folder, or its file: URL, got "a\\u0000b"'],
    [{ root: 5 }, TypeError, 'options.root must be the path of a folder, or its file: URL, got 5'],
    [
      { root: new URL('https://a.example/') },
      TypeError,
      'options.root must be the path of a folder, or its file: URL, got an object',
    ],
    [null, TypeError, 'options must be an object, got null'],
    [{ root: '.', readonly: true }, TypeError, 'options.readonly is not an option; did you mean options.readOnly?'],
    [{ root: '.', readOnly: 1 }, TypeError, 'options.readOnly must be a boolean, got 1'],
    [{ root: '.', limits: 1 }, TypeError, 'options.limits must be an object, got 1'],
    [{ root: '.', limits: { maxLine: 1 } }, TypeError, /^options\.limits\.maxLine is not an option; did you mean/],
    [{ root: '.', limits: { maxLines: '1' } }, TypeError, 'options.limits.maxLines must be a number, got "1"'],
    [
      { root: '.', limits: { maxBytes: 0 } },
      RangeError,
      'options.limits.maxBytes must be an integer from 1 to 1073741824, got 0',
    ],
    [
      { root: '.', limits: { maxSearchMs: Infinity } },
      RangeError,
      'options.limits.maxSearchMs must be an integer from 1 to 2147483647, got Infinity',
    ],
  ])('%j are refused', (options, type, message) => {
    expect(() => createFileTools(options)).toThrow(type);
    expect(() => createFileTools(options)).toThrow(message);
  });

  test('a file: URL may be the root', async () => {
    expect(await createFileTools({ root: pathToFileURL(root) }).ls()).toStrictEqual(text('a.txt'));
  });
});

describe('arguments of file tools', () => {
  test('are counted by the length of the tools, which have names', () => {
    expect(Object.entries(tools).map(([key, { name, length }]) => [key, name, length])).toStrictEqual([
      ['read', 'read', 1],
      ...['readText', 'readJson', 'readLines', 'readBytes', 'stat'].map((name) => [name, name, 1]),
      ['write', 'write', 2],
      ['edit', 'edit', 3],
      ['move', 'move', 2],
      ['remove', 'remove', 1],
      ['grep', 'grep', 1],
      ['find', 'find', 1],
      ['ls', 'ls', 0],
    ]);
  });

  test('may be positional', async () => {
    expect(await tools.read('a.txt', 2, 1)).toStrictEqual(
      text('two\n\n[1 more lines in file. Use offset=3 to continue.]'),
    );
    expect(await tools.read('a.txt', undefined, 1)).toStrictEqual(
      text('one\n\n[2 more lines in file. Use offset=2 to continue.]'),
    );
    expect(await tools.read('a.txt', 3)).toStrictEqual(text('three\n'));
    expect(await rejection(tools.read('a.txt', 4))).toMatchObject({
      code: 'ERR_OFFSET_BEYOND_END',
      message: 'Offset 4 is beyond end of file (3 lines total)',
    });
    expect(await tools.write('b.txt', '')).toStrictEqual(text('Successfully wrote 0 bytes to b.txt'));
    expect((await tools.edit('a.txt', 'two', 'zwei')).content).toStrictEqual(
      text('Successfully replaced text in a.txt.').content,
    );
    expect(await tools.grep('zwei', 'a.txt')).toStrictEqual(text('a.txt:2: zwei'));
    expect(await tools.find('*.txt', '.')).toStrictEqual(text('a.txt\nb.txt'));
    expect(await tools.ls('.')).toStrictEqual(text('a.txt\nb.txt'));
    expect(await tools.ls()).toStrictEqual(text('a.txt\nb.txt'));
  });

  test('may be null, which means absent', async () => {
    expect(await tools.read({ path: 'a.txt', offset: null, limit: null })).toStrictEqual(text('one\ntwo\nthree\n'));
    expect(await tools.ls(null)).toStrictEqual(text('a.txt'));
  });

  test('may name an empty file, but no line after the last', async () => {
    writeFileSync(join(root, 'empty'), '');
    expect(await tools.read('empty')).toStrictEqual(text(''));
    expect((await rejection(tools.read('empty', 2))).message).toBe('Offset 2 is beyond end of file (0 lines total)');
    expect((await rejection(tools.read('a.txt', 4))).message).toBe('Offset 4 is beyond end of file (3 lines total)');
    expect(await tools.read('a.txt', 1, 3)).toStrictEqual(text('one\ntwo\nthree\n'));
  });

  test('an edit that changes nothing, and one without text to replace', async () => {
    expect(await rejection(tools.edit('a.txt', 'two', 'two'))).toMatchObject({
      code: 'ERR_NO_CHANGE',
      message: expect.stringMatching(/^No changes made to a\.txt\. The replacement produced identical content\./),
    });
    expect((await rejection(tools.edit('a.txt', '', 'x'))).code).toBe('ERR_TEXT_NOT_FOUND');
    expect((await rejection(tools.edit('nope.txt', 'a', 'b'))).message).toBe('File not found: nope.txt');
  });

  const integer = (name) => `read: ${name} must be an integer from 1 to 2^53 - 1, got `;
  const WRONG = [
    ['read()', 'TypeError', 'read: path must be a string, got undefined'],
    ['read(5)', 'TypeError', 'read: path must be a string, got 5'],
    ['read(null)', 'TypeError', 'read: path must be a string, got null'],
    ['read(["a.txt"])', 'TypeError', 'read: path must be a string, got an array'],
    ['read({ path: { toString: 1 } })', 'TypeError', 'read: path must be a string, got an object'],
    ['read({ path: ["a.txt"] })', 'TypeError', 'read: path must be a string, got an array'],
    ['read("a.txt", 0)', 'RangeError', `${integer('offset')}0`],
    ['read("a.txt", -1)', 'RangeError', `${integer('offset')}-1`],
    ['read("a.txt", NaN)', 'RangeError', `${integer('offset')}NaN`],
    ['read("a.txt", 1.5)', 'RangeError', `${integer('offset')}1.5`],
    ['read("a.txt", Infinity)', 'RangeError', `${integer('offset')}Infinity`],
    ['read("a.txt", 2 ** 53)', 'RangeError', `${integer('offset')}9007199254740992`],
    ['read("a.txt", "2")', 'TypeError', `${integer('offset')}"2"`],
    ['read("a.txt", 2n)', 'TypeError', `${integer('offset')}2n`],
    ['read({ path: "a.txt", limit: {} })', 'TypeError', `${integer('limit')}an object`],
    [
      'read({ path: "a.txt", lines: 3 })',
      'TypeError',
      'read: "lines" is not an argument; they are path, offset, limit',
    ],
    [
      'read({ path: "a.txt", __proto__: null, constructor: 1 })',
      'TypeError',
      'read: "constructor" is not an argument; they are path, offset, limit',
    ],
    [
      'read({ path: "a.txt" }, 2)',
      'TypeError',
      'read: pass one object of arguments, or arguments by position, not both',
    ],
    ['read("a.txt", 1, 2, 3)', 'TypeError', 'read: takes at most 3 arguments by position (path, offset, limit)'],
    ['read(new Date(0))', 'TypeError', 'read: path must be a string, got an object'],
    ['write("b.txt")', 'TypeError', 'write: content must be a string, got undefined'],
    ['write("b.txt", { a: 1 })', 'TypeError', 'write: content must be a string, got an object'],
    ['edit("a.txt", "one")', 'TypeError', 'edit: newText must be a string, got undefined'],
    [
      'grep("a", ".", 1)',
      'TypeError',
      'grep: takes at most 2 arguments by position (pattern, path); pass one object for glob, ignoreCase, literal, context, limit',
    ],
    ['grep({ pattern: "a", literal: "yes" })', 'TypeError', 'grep: literal must be a boolean, got "yes"'],
    [
      'grep({ pattern: "a", context: -1 })',
      'RangeError',
      'grep: context must be an integer from 0 to 2^53 - 1, got -1',
    ],
    ['find({})', 'TypeError', 'find: pattern must be a string, got undefined'],
    ['ls(".", 3)', 'TypeError', 'ls: takes at most 1 argument by position (path); pass one object for limit'],
  ];

  test('that are wrong cause errors in guest code', async () => {
    await withExecutor({}, tools, async (executor) => {
      const calls = WRONG.map(([call]) => `() => ${call}`).join(',\n');
      const { output } = await executor.run(`
        const seen = [];
        for (const call of [${calls}]) {
          try {
            seen.push(await call());
          } catch (error) {
            seen.push([error.name, error.message]);
          }
        }
        return seen;
      `);
      expect(output).toStrictEqual(WRONG.map(([, name, message]) => [name, message]));
    });
  });

  test('may be huge offsets and limits', async () => {
    const huge = Number.MAX_SAFE_INTEGER;
    expect((await rejection(tools.read('a.txt', huge))).message).toBe(
      `Offset ${huge} is beyond end of file (3 lines total)`,
    );
    expect(await tools.read('a.txt', 1, huge)).toStrictEqual(text('one\ntwo\nthree\n'));
    expect(await tools.find({ pattern: '*', limit: huge })).toStrictEqual(text('a.txt'));
    expect(await tools.ls({ limit: huge })).toStrictEqual(text('a.txt'));
  });

  test('of the host have getters that run once', async () => {
    let reads = 0;
    const path = () => (reads++ === 0 ? 'a.txt' : '../escaped');
    expect(await tools.read(Object.defineProperty({}, 'path', { get: path, enumerable: true }))).toStrictEqual(
      text('one\ntwo\nthree\n'),
    );
    expect(reads).toBe(1);
  });

  test("that fail in guest code are reported with the tool's name", async () => {
    await withExecutor({}, { files: { ...tools } }, async (executor) => {
      const error = await rejection(executor.run(`await files.read('nope.txt')`));
      expect(error).toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', details: { tool: 'files.read' } });
      expect(error.message).toContain('File not found: nope.txt');
      expect(JSON.stringify(error)).not.toContain(root);
    });
  });
});

describe('definitions', () => {
  test('describe each tool, in order', () => {
    expect(fileToolDefinitions.map(({ name }) => name)).toStrictEqual(Object.keys(tools));
    for (const { name, description, inputs, output_type, output_schema } of fileToolDefinitions) {
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(output_type).toBe(output_schema.type ?? 'any');
      const values = Object.values(inputs);
      expect(values.every((input) => input.description.length > 0)).toBe(true);
      const required = values.filter(({ nullable }) => !nullable);
      expect(required).toHaveLength(tools[name].length);
      // Those that are needed come first, so that they can be passed by position.
      expect(values.slice(0, required.length)).toStrictEqual(required);
    }
  });

  test('are plain data', () => {
    expect(JSON.parse(JSON.stringify(fileToolDefinitions))).toStrictEqual(fileToolDefinitions);
    expect(fileToolDefinitions[0].inputs).toStrictEqual({
      path: { type: 'string', description: 'Path of the file, relative to the root' },
      offset: { type: 'integer', minimum: 1, nullable: true, description: 'First line to read, from 1' },
      limit: { type: 'integer', minimum: 1, nullable: true, description: 'Number of lines to read' },
    });
  });
});

test('the sub-path is exported as ES module and CommonJS', async () => {
  await withFolder(async (folder) => {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules/ses-executor'), 'junction');
    writeFileSync(
      join(folder, 'esm.mjs'),
      "import { createFileTools } from 'ses-executor/tools'; console.log((await createFileTools({ root: '.' }).find('*.cjs')).content[0].text);",
    );
    writeFileSync(
      join(folder, 'script.cjs'),
      "const { fileToolDefinitions } = require('ses-executor/tools'); console.log(fileToolDefinitions.length);",
    );
    expect(await spawnNode(['esm.mjs'], { cwd: folder })).toMatchObject({ stdout: 'script.cjs\n', stderr: '' });
    expect(await spawnNode(['script.cjs'], { cwd: folder })).toMatchObject({ stdout: '13\n', stderr: '' });
  });
});

describe('the example of file tools', () => {
  test('runs successfully', async () => {
    const { status, stdout, stderr } = await spawnNode(['examples/file-tools.mjs']);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('src/price.js:2:   return net * 1.19;');
    expect(stdout).toContain('  output +1 const VAT = 0.19;\n');
    expect(stdout).toContain("final_answer { changed: [ 'src/price.js' ], files: 4 }");
    expect(stdout).toContain('Path escapes the root: ../../etc/passwd.');
  });
});

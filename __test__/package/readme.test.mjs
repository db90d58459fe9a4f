// Each code block of the README runs.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ROOT, spawnNode, withFolder } from '../helpers.mjs';

/** Blocks that are programs. */
const PROGRAMS = new Set(['js', 'mjs', 'javascript', 'ts', 'typescript']);
/** Blocks that are commands. */
const COMMANDS = new Set(['sh', 'bash', 'shell', 'console']);

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const { devDependencies, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const blocks = fencedBlocks(readme);
const programs = blocks.filter(({ language }) => PROGRAMS.has(language));
const commands = blocks
  .filter(({ language }) => COMMANDS.has(language))
  .flatMap(({ text }) => text.split('\n'))
  .map((line) => line.replace(/^\$ /, '').trim())
  .filter((line) => line !== '' && !line.startsWith('#'));

test('the README has programs and commands', () => {
  expect(programs.length).toBeGreaterThan(0);
  expect(commands).toEqual(expect.arrayContaining(['npm run demo', 'npm test']));
});

test('every block is of a kind that is run here', () => {
  for (const { language, line } of blocks) {
    expect(PROGRAMS.has(language) || COMMANDS.has(language), `line ${line}: ${language}`).toBe(true);
  }
});

describe('programs', () => {
  test.each(programs.map((block) => [block.line, block]))('line %i', async (_, { text }) => {
    await withProject(async (folder) => {
      const file = join(folder, 'program.mjs');
      writeFileSync(file, text);
      const { status, signal, stdout, stderr } = await spawnNode([file], { cwd: folder });
      expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
      // `console.log(…); // text` says what is printed.
      for (const expected of promisedOutputs(text)) expect(stdout.split('\n')).toContain(expected);
    });
  });
});

describe('commands', () => {
  test.each(commands)('%s', async (command) => {
    const [program, ...words] = command.split(/\s+/);
    // `-y`: npx asks nothing.
    const args = program === 'npx' ? words.filter((word) => word !== '-y') : words;
    if (program === 'npx') {
      expect(args[0]).toBe('ses-executor');
      const given = [join(ROOT, 'bin', 'ses-executor.js'), ...args.slice(1)];
      const { status, stderr } = await withProject((folder) => spawnNode(given, { cwd: folder }));
      expect({ status, stderr }).toMatchObject({ status: 0 });
      return;
    }
    expect(program).toBe('npm');
    const [verb, name] = args;
    if (verb === 'run') expect(scripts).toHaveProperty(name);
    else if (verb === 'test') expect(scripts).toHaveProperty('test');
    else expect(command).toMatch(/^npm (install|i|add) ses-executor$/);
  });
});

/** Calls `fn` with the folder of a project that has the package as a dependency, and those that it can be used with. */
function withProject(fn) {
  return withFolder((folder) => {
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    symlinkSync(ROOT, join(modules, 'ses-executor'), 'junction');
    for (const name of Object.keys(devDependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction');
    }
    return fn(folder);
  });
}

/** The fenced blocks of Markdown text: language, text, and the line of the fence. */
function fencedBlocks(markdown) {
  const found = [];
  let open;
  markdown.split('\n').forEach((content, index) => {
    const fence = /^```\s*(\w*)/.exec(content);
    if (fence === null) {
      open?.lines.push(content);
    } else if (open === undefined) {
      open = { language: fence[1], line: index + 1, lines: [] };
    } else {
      found.push({ language: open.language, line: open.line, text: open.lines.join('\n') });
      open = undefined;
    }
  });
  expect(open, 'a block that is not closed').toBeUndefined();
  return found;
}

/** What comments behind `console.log` promise; those of prose, with a colon, are left out. */
function promisedOutputs(text) {
  return [...text.matchAll(/^\s*console\.log\(.*\);\s*\/\/ (.*)$/gm)]
    .map(([, promise]) => promise.trim())
    .filter((promise) => !/^[a-z ]+[:,] /.test(promise));
}

// Fenced blocks of Markdown pages, and how each kind is run.

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { transform } from 'esbuild';
import { parse as parseYaml } from 'yaml';
import { describe, expect, onTestFinished, test } from 'vitest';

import { startWorker } from '../../scripts/local-fleet.mjs';
import { openBroker } from '../broker.mjs';
import { PASSWORDS, openDeployed } from '../deploy/helpers.mjs';
import { ROOT, spawnNode, withFolder } from '../helpers.mjs';
import { standInsOf } from './doc-models.mjs';

/**
 * Blocks that are programs; those in TypeScript are stripped first, and checked by
 * `__test__/adapters/integrations.test.mjs`.
 */
const PROGRAMS = new Set(['js', 'ts']);
/** Blocks that are commands, one a line. */
const COMMANDS = 'sh';
/** Data that is parsed. */
const DATA = { json: JSON.parse, yaml: parseYaml };
/** Blocks that nothing here can run: output, and files of other programs. */
const SHOWN = new Set(['text', 'dockerfile']);

/**
 * Commands that reach a registry, or need files of the reader's: only their options are checked, against the help of
 * the command.
 */
const NEEDS_NETWORK = /^npx ses-executor (python add|run program\.py) /;

/** Programs that name it get a broker at another port. */
const BROKER = '127.0.0.1:4222';

/** Checks types with TypeScript 7, which starts fast. */
const USE_NATIVE = new URL('../typecheck/use-native.mjs', import.meta.url).href;

const { devDependencies, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Declares the tests of a page: each of its blocks runs, or is of a kind that is only shown. */
export function describePage(path) {
  const blocks = fencedBlocks(readFileSync(join(ROOT, path), 'utf8'));
  const programs = blocks.filter(({ language }) => PROGRAMS.has(language));
  const commands = commandsOf(blocks);
  const data = blocks.filter(({ language }) => language in DATA);

  describe(path, () => {
    test('every code block is of a known kind', () => {
      for (const { language, line } of blocks) {
        const isKnown = PROGRAMS.has(language) || language === COMMANDS || language in DATA || SHOWN.has(language);
        expect(isKnown, `line ${line}: ${language}`).toBe(true);
      }
    });

    for (const block of programs) test(`the program of line ${block.line} runs`, () => runProgram(path, block));
    for (const command of commands) test(`the command runs: ${command}`, () => runCommand(command));
    for (const { language, line, text } of data) {
      test(`the ${language} of line ${line} can be read`, () => {
        expect(DATA[language](text)).toBeTypeOf('object');
      });
    }
  });
}

/** The fenced blocks of Markdown text: language, text, and the line of the fence. */
export function fencedBlocks(markdown) {
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

/**
 * Starts the broker that a program names: that of deploy/ if it has a tenant's password; and a worker if it asks for
 * one.
 */
async function fleetFor(code) {
  if (!code.includes(BROKER)) return { address: BROKER, env: {} };
  const isDeployed = code.includes('SES_ACME_PASSWORD');
  const broker = await (isDeployed ? openDeployed() : openBroker());
  const address = `127.0.0.1:${broker.port}`;
  if (code.includes("'remote'")) {
    const worker = await startWorker(isDeployed ? `nats://worker:${PASSWORDS.worker}@${address}` : `nats://${address}`);
    onTestFinished(() => worker.kill('SIGKILL'));
  }
  return { address, env: isDeployed ? { SES_ACME_PASSWORD: PASSWORDS.acme } : {} };
}

export function commandsOf(blocks) {
  return blocks
    .filter(({ language }) => language === COMMANDS)
    .flatMap(({ text }) => text.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

async function runProgram(page, { language, text }) {
  await withProject(async (folder) => {
    const { modules, preload } = standInsOf(page);
    for (const [name, source] of Object.entries(modules)) {
      // A link to the real package.
      if (!name.startsWith('.')) rmSync(join(folder, 'node_modules', name), { force: true, recursive: true });
      const file = name.startsWith('.') ? join(folder, name) : join(folder, 'node_modules', name, 'index.mjs');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, source);
      if (name.startsWith('.')) continue;
      const manifest = { name, version: '0.0.0', type: 'module', exports: './index.mjs' };
      writeFileSync(join(dirname(file), 'package.json'), JSON.stringify(manifest));
    }
    const program = join(folder, 'program.mjs');
    const code = language === 'ts' ? (await transform(text, { loader: 'ts' })).code : text;
    const fleet = await fleetFor(code);
    writeFileSync(program, code.replaceAll(BROKER, fleet.address));
    const options = [];
    if (preload !== undefined) {
      writeFileSync(join(folder, 'preload.mjs'), preload);
      options.push('--import', './preload.mjs');
    }
    if (/\btypecheck:|checkTypes/.test(text)) options.push('--import', USE_NATIVE);
    const { status, signal, stdout, stderr } = await spawnNode([...options, program], { cwd: folder, env: fleet.env });
    expect({ status, signal, stderr }).toStrictEqual({ status: 0, signal: null, stderr: '' });
    // `console.log(…); // text` says what is printed.
    for (const expected of promisedOutputs(text)) expect(stdout.split('\n')).toContain(expected);
    // Longer output is a comment in the next lines.
    for (const [, expected] of text.matchAll(/^.*\bconsole\.log\(.*\);\n\/\*\n([^]*?\n)\*\/$/gm)) {
      expect(stdout).toContain(expected);
    }
  });
}

async function runCommand(command) {
  const [line] = command.split(' #');
  const [program, ...words] = line.trim().split(/\s+/);
  if (program === 'npx') return runNpx(line, words);
  if (program === 'node') {
    const [script] = words;
    const { status, stderr } = await withProject((folder) => spawnNode([join(folder, script)], { cwd: folder }));
    return expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
  }
  expect(program).toBe('npm');
  const [verb, name] = words;
  if (verb === 'run') expect(scripts).toHaveProperty([name]);
  else if (verb === 'test') expect(scripts).toHaveProperty('test');
  else {
    expect(verb).toBe('install');
    const packages = words.slice(1).filter((word) => !word.startsWith('--'));
    for (const installed of packages) expect(['ses-executor', ...Object.keys(devDependencies)]).toContain(installed);
  }
}

async function runNpx(line, words) {
  // `-y`: npx asks nothing.
  const args = words.filter((word) => word !== '-y');
  expect(args[0]).toBe('ses-executor');
  const bin = join(ROOT, 'bin', 'ses-executor.js');
  const needsNetwork = NEEDS_NETWORK.test(`npx ${args.join(' ')} `);
  const given = needsNetwork ? ['--help'] : args.slice(1);
  const { status, stdout, stderr } = await withProject((folder) => spawnNode([bin, ...given], { cwd: folder }));
  expect({ status, stderr }, line).toMatchObject({ status: 0 });
  if (!needsNetwork) return;
  for (const option of args.filter((word) => /^-/.test(word))) expect(stdout).toContain(`${option}`);
}

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

/** What comments after `console.log` promise; those of prose, with a colon, are left out. */
function promisedOutputs(text) {
  return [...text.matchAll(/^.*?\bconsole\.log\(.*\)+;\s*\/\/ (.*)$/gm)]
    .map(([, promise]) => promise.trim())
    .filter((promise) => !/^[a-z ]+[:,] /.test(promise));
}

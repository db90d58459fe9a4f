// The thread that checks and the process of the compiler: what hostile programs can do to them, and how they end.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { checkTypes } from '../../index.mjs';
import { runChild, testIf, withExecutor } from '../helpers.mjs';
import { Checker, NATIVE, WITH_API, WITH_API_6, found, sharedChecker, useTypeScript } from './helpers.mjs';

const require = createRequire(import.meta.url);
const { TypeSession } = require('../../build/typecheck/session.js');
const { declarations } = require('../../build/typecheck/declarations.js');

const isLinux = process.platform === 'linux';
const MISTAKE = 'nothing.here';
const NOT_FOUND = ["type_error 1:1 Cannot find name 'nothing'."];
/** Instantiates types until it is ended. */
const ENDLESS = `type Pair<A, B> = A extends any ? (B extends any ? [A, B] : never) : never;
type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type Two = Pair<Digit, Digit>;
type Four = Pair<Two, Two>;
type Six = Pair<Four, Two>;
const six: keyof Six = 1;`;

/** The check of a program by its own checker. */
const project = [
  [
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: { lib: ['esnext'], types: [], allowJs: true, checkJs: true, noEmit: true },
      files: ['host.d.ts', 'program.js', 'program.ts'],
    }),
  ],
  ['host.d.ts', 'declare const given: string;'],
  ['variables.d.ts', 'export {};'],
  ['program.js', 'export {};'],
  ['program.ts', 'export {};'],
];
const request = (code) => ({
  project,
  runs: [],
  variables: 'export {};',
  text: `export {}; async function program() {\n${code}\n}`,
  languages: ['js', 'ts'],
  isKept: false,
});
const messages = ({ findings, skipped }) => skipped ?? findings.map(({ text }) => text);
/**
 * The parent of a process that has ended takes note of that. If the parent has ended first, the system does so later.
 */
const isRunning = (pid) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

describe.each([
  ['the server of TypeScript 7', NATIVE],
  ['the API of TypeScript 5', WITH_API],
  ['the API of TypeScript 6', WITH_API_6],
])('%s', (_, packageName) => {
  let checker;
  afterEach(() => checker?.end());

  test('ends a check at its deadline, during which the event loop turns, and checks the next program', async () => {
    checker = new Checker(packageName, { checkMs: 1_500 });
    expect(messages(await checker.check(request('1')))).toStrictEqual([]);
    let hasEnded = false;
    const late = checker.check(request(ENDLESS)).finally(() => (hasEnded = true));
    const next = checker.check(request(MISTAKE));
    // On this thread, the first turn would only come after the check.
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    expect(hasEnded).toBe(false);
    expect(messages(await late)).toMatch(/^(?:it took longer than 1500 ms|the check did not end)$/);
    expect(messages(await next)).toStrictEqual(["Cannot find name 'nothing'."]);
  });
});

describe('a checker survives', () => {
  let checker;
  beforeAll(() => {
    checker = new Checker(NATIVE, { checkMs: 1_000 });
  });
  afterAll(() => checker.end());

  test('the end of its thread', async () => {
    expect(messages(await checker.check(request(MISTAKE)))).toStrictEqual(["Cannot find name 'nothing'."]);
    await checker.end();
    expect(messages(await checker.check(request(MISTAKE)))).toStrictEqual(["Cannot find name 'nothing'."]);
  });

  test.each([
    ['deep brackets', `const d = ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    [
      'deep types',
      `type R<T, N extends any[] = []> = N['length'] extends 400 ? T : R<T | N['length'], [...N, T]>; const x: R<'a'> = 5;`,
    ],
    [
      'a union of 5,000 members',
      `type U = ${Array.from({ length: 5_000 }, (_, i) => `'a${i}'`).join(' | ')}; const u: U = 'x';`,
    ],
    ['endless types', ENDLESS],
  ])('%s', async (_, code) => {
    await checker.check(request(code));
    expect(messages(await checker.check(request(MISTAKE)))).toStrictEqual(["Cannot find name 'nothing'."]);
  });
});

describe('the shared checker', () => {
  beforeAll(() => useTypeScript(NATIVE));
  afterAll(() => sharedChecker().end());

  testIf(isLinux)('starts the compiler again when its process was killed', async () => {
    expect(found(await checkTypes(MISTAKE))).toStrictEqual(NOT_FOUND);
    const { pid } = sharedChecker();
    process.kill(pid, 'SIGKILL');
    expect(found(await checkTypes(MISTAKE))).toStrictEqual(NOT_FOUND);
    expect(sharedChecker().pid).not.toBe(pid);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  test('checks programs of several executors at the same time', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        checkTypes(`host${i}.a; host${i}.b`, { variables: { [`host${i}`]: { a: i } } }),
      ),
    );
    expect(outcomes.map(found)).toStrictEqual(
      Array.from({ length: 20 }, () => [
        expect.stringMatching(/^type_error 1:\d+ Property 'b' does not exist on type/),
      ]),
    );
  });

  test('reads no files of the host', async () => {
    const code = [
      '/// <reference path="/etc/passwd" />',
      '/// <reference types="node" />',
      '/// <reference lib="dom" />',
      'const a = await import("/etc/passwd"); const b = await import("../package.json"); const c = require("fs");',
      'a.root; b.name.nothing; document;',
    ].join('\n');
    expect(found(await checkTypes(code))).toStrictEqual([
      expect.stringMatching(/^type_error 4:\d+ Cannot find name 'require'\./),
      "type_error 5:25 Cannot find name 'document'.",
    ]);
    const typescript =
      'import x from "/etc/passwd"; import y = require("/etc/hosts"); type T = typeof import("/etc/passwd"); x; y;';
    await checkTypes(`} ${typescript} async function f() {`);
    await checkTypes(`const t: typeof import('/etc/passwd') = 1; t.x`);
  });

  test('does not let comments of a program turn the check off for others', async () => {
    expect(found(await checkTypes(`// @ts-nocheck\n${MISTAKE}`))).toStrictEqual([
      "type_error 2:1 Cannot find name 'nothing'.",
    ]);
    expect(await checkTypes(`// @ts-ignore\n${MISTAKE}`)).toStrictEqual([]);
  });

  test('does not let declarations of one executor reach another one', async () => {
    await withExecutor({ typecheck: 'error' }, {}, async (executor) => {
      await executor.run('interface Leak { a: number } const leak: Leak = { a: 1 }; var leaked = 1;');
      await executor.run('leaked');
    });
    expect(found(await checkTypes('leaked'))).toStrictEqual(["type_error 1:1 Cannot find name 'leaked'."]);
  });

  test('skips programs that are too long, and a run continues with a warning', async () => {
    const code = `1;\n${'// a comment\n'.repeat(6_000)}2`;
    expect(await checkTypes(code)).toStrictEqual([
      {
        rule: 'types_not_checked',
        severity: 'WARNING',
        message: 'The types were not checked: the program has more than 65536 characters',
      },
    ]);
    await withExecutor({ typecheck: 'error' }, {}, async (executor) => {
      const { output, logs } = await executor.run(code);
      expect({ output, logs }).toStrictEqual({
        output: 2,
        logs: 'The types were not checked: the program has more than 65536 characters',
      });
      // Names of a program that was not checked may exist.
      await executor.run(`let known = 5; ${code}`);
      expect((await executor.run('known')).output).toBe(5);
    });
  });

  test('declares 10,000 tools', async () => {
    const inputSchema = {
      type: 'object',
      properties: { query: { type: 'string' }, limit: { type: 'number' } },
      required: ['query'],
    };
    const tools = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`tool${i}`, { inputSchema }]));
    expect(found(await checkTypes('await tool9999({ querry: 1 })', { tools }))).toStrictEqual([
      "type_error 1:18 Object literal may only specify known properties, but 'querry' does not exist in type '{ query: string; limit?: number; }'. Did you mean to write 'query'?",
    ]);
  });
});

test('tools are declared in slices, between which the event loop turns', async () => {
  const schema = { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'number' } } };
  const tools = Array.from({ length: 10_000 }, (_, i) => {
    const definition = { description: '', inputSchema: { ...schema }, outputSchema: { ...schema } };
    return [`tool${i}`, [{ path: [`tool${i}`], isAsync: true, definition }]];
  });
  let turns = 0;
  let isDone = false;
  const declaring = declarations(new Map(tools)).finally(() => (isDone = true));
  for (; !isDone; turns++) await nextTurn();
  expect((await declaring).match(/^declare function tool/gm)).toHaveLength(10_000);
  expect(turns).toBeGreaterThan(1);
});

test('variables are declared in slices, between which the event loop turns', async () => {
  const variables = Array.from({ length: 100_000 }, (_, i) => [`variable${i}`, 'number']);
  let turns = 0;
  let isDone = false;
  const declaring = declarations(new Map(variables)).finally(() => (isDone = true));
  for (; !isDone; turns++) await nextTurn();
  expect((await declaring).match(/^declare let variable/gm)).toHaveLength(100_000);
  expect(turns).toBeGreaterThan(3);
});

test('the types of variables are read in slices, between which the event loop turns', async () => {
  await useTypeScript(NATIVE);
  let turn = 0;
  let isDone = false;
  const turns = new Set();
  const rows = Array.from({ length: 50 }, () => Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i])));
  const variables = {};
  for (let i = 0; i < 300; i++) {
    Object.defineProperty(variables, `rows${i}`, { enumerable: true, get: () => turns.add(turn) && rows });
  }
  const checking = checkTypes('rows299.lenght', { variables }).finally(() => (isDone = true));
  for (; !isDone; turn++) await nextTurn();
  expect(found(await checking)).toStrictEqual([
    expect.stringMatching(/^type_error 1:9 Property 'lenght' does not exist on/),
  ]);
  expect(turns.size).toBeGreaterThan(1);
  await sharedChecker().end();
});

describe('a process', () => {
  const prelude = `
    import { createRequire } from 'node:module';
    import { SESExecutor, checkTypes } from './index.mjs';
    const { sharedChecker, useTypeScript } = createRequire(import.meta.url)('./build/typecheck/checker.js');
  `;

  testIf(isLinux)('ends by itself while the checker is idle, and no process is left', async () => {
    const { status, stdout, stderr } = await runChild(`${prelude}
      await useTypeScript('typescript-v7');
      const executor = new SESExecutor({ autoInit: true, typecheck: 'error' });
      const { output } = await executor.run('const a = 1; a + 1');
      await executor.run('a.nothing').catch(({ code }) => console.log(output, code, sharedChecker().pid));
    `);
    const [, pid] = /^2 ERR_VALIDATION_FAILED (\d+)\n$/.exec(stdout);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(isRunning(pid)).toBe(false);
  });

  testIf(isLinux)('can exit during a check, and no process is left', async () => {
    const { status, stdout, stderr } = await runChild(`${prelude}
      await useTypeScript('typescript-v7');
      await checkTypes('1');
      void checkTypes(${JSON.stringify(ENDLESS)});
      setImmediate(() => {
        console.log(sharedChecker().pid);
        process.exit(3);
      });
    `);
    expect({ status, stderr }).toStrictEqual({ status: 3, stderr: '' });
    expect(isRunning(stdout.trim())).toBe(false);
  });

  test('does not load TypeScript, and starts no thread, before the first check', async () => {
    const { stdout, stderr } = await runChild(`${prelude}
      const executor = new SESExecutor({ autoInit: true, typecheck: 'error' });
      const before = process.getActiveResourcesInfo().filter((name) => name === 'Worker').length;
      const plain = new SESExecutor({ autoInit: true });
      await plain.run('1');
      console.log(before, Object.keys(createRequire(import.meta.url).cache).some((path) => /typescript.lib.typescript\\.js$/.test(path)));
      await executor.cleanup();
      await plain.cleanup();
    `);
    expect({ stdout, stderr }).toStrictEqual({ stdout: '0 false\n', stderr: '' });
  });

  test.each([NATIVE, WITH_API, WITH_API_6])(
    'loads %s, and starts processes, only on the thread that checks',
    async (name) => {
      const { stdout, stderr } = await runChild(`${prelude}
      import { subscribe } from 'node:diagnostics_channel';
      let processes = 0;
      subscribe('child_process', () => processes++);
      await useTypeScript(${JSON.stringify(name)});
      const found = await checkTypes('nothing');
      const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) => /typescript[^/]*.lib.*\\.js$/.test(path));
      console.log(found.length, processes, loaded.length);
    `);
      expect({ stdout, stderr }).toStrictEqual({ stdout: '1 0 0\n', stderr: '' });
    },
  );

  test('gets a clear error without TypeScript', async () => {
    const message = 'Type checking needs packages that are not installed; run: npm install typescript';
    const { stdout, stderr } = await runChild(`${prelude}
      await useTypeScript('typescript-that-is-not-installed');
      const errors = [
        () => new SESExecutor({ typecheck: 'warn' }),
        () => checkTypes('1'),
        () => new SESExecutor({ autoInit: true }).run('1', { typecheck: 'error' }),
      ];
      for (const fail of errors) {
        try {
          await fail();
        } catch (error) {
          console.log(error.message);
        }
      }
    `);
    expect({ stdout, stderr }).toStrictEqual({ stdout: `${message}\n`.repeat(3), stderr: '' });
  });
});

test('a session knows nothing of another one', async () => {
  await useTypeScript(NATIVE);
  const [one, other] = [new TypeSession(), new TypeSession()];
  const { program } = await one.check('const mine = 1;', 'auto');
  await one.add(program);
  expect((await one.check('mine', 'auto')).findings).toStrictEqual([]);
  expect((await other.check('mine', 'auto')).findings.map(({ text }) => text)).toStrictEqual([
    "Cannot find name 'mine'.",
  ]);
  await sharedChecker().end();
});

// Section 8 of the specification: codes, messages, facts.

import { describe, expect, test } from 'vitest';

import { ExecutorError } from '../../../index.mjs';
import { expectCode, rejection, testIf } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeErrors({ make, withExecutor, can }) {
  /** The error that `code` fails with in its own executor. */
  const failure = (code, expected = 'ERR_RUNTIME_EXCEPTION', tools = {}, options = {}) =>
    withExecutor(options, tools, (executor) => expectCode(executor.run(code), expected));

  describe('ExecutorError', () => {
    test('has its own name and is an Error', async () => {
      const error = await failure('throw new Error("x")');
      expect(error).toBeInstanceOf(Error);
      expect(error).toBeInstanceOf(ExecutorError);
      expect(Object.getPrototypeOf(ExecutorError)).toBe(Error);
      expect(error.name).toBe('ExecutorError');
      expect(String(error)).toBe('ExecutorError: Runtime exception: x');
      expect(error.stack).toContain('ExecutorError: Runtime exception: x');
    });

    test('has a stack that leads to the caller', async () => {
      async function theCallerOfRun(executor) {
        await executor.run('throw new Error("x")');
      }
      await withExecutor({}, {}, async (executor) => {
        const { stack } = await rejection(theCallerOfRun(executor));
        // Bun's engine lists no callers that wait.
        if (process.versions.bun === undefined) expect(stack).toContain('theCallerOfRun');
        else expect(stack).toContain('build/ses/executor.js');
      });
    });

    test('8.1: serializes to its payload', async () => {
      const error = await failure('console.log("logged"); throw new TypeError("x")');
      const { code, severity, message, retryable, details, logs } = error;
      const payload = { code, severity, message, retryable, details, logs };
      expect(JSON.parse(JSON.stringify(error))).toStrictEqual(payload);
      expect(payload).toMatchObject({
        code: 'ERR_RUNTIME_EXCEPTION',
        severity: 'ERROR',
        message: 'Runtime exception: TypeError: x',
        retryable: true,
        logs: 'logged',
      });
    });

    test('can be constructed by callers', () => {
      const cause = new Error('cause');
      const error = new ExecutorError('Tool execution failed: x', {
        code: 'ERR_TOOL_PROXY_FAIL',
        severity: 'ERROR',
        retryable: true,
        cause,
      });
      expect(error).toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', severity: 'ERROR', retryable: true, cause });
    });
  });

  describe('8.2: code, severity, retryable and message', () => {
    const boom = () => {
      throw new Error('disk on fire');
    };
    test.each([
      ['ERR_VALIDATION_FAILED', 'let = ;', {}, 'Code validation failed', {}],
      ['ERR_VALIDATION_FAILED', '', {}, 'Code validation failed', {}],
      ...(can.importModules
        ? [
            ['ERR_IMPORT_NOT_ALLOWED', 'await import("x")', {}, 'Import not allowed: x', { module: 'x' }],
            ['ERR_IMPORT_NOT_ALLOWED', 'await import("x" + "y")', {}, 'Import not allowed: xy', { module: 'xy' }],
          ]
        : []),
      ...(can.limitOperations
        ? [
            [
              'ERR_MAX_OPS_EXCEEDED',
              'for (;;);',
              { maxOperations: 7 },
              'Max operations exceeded (7)',
              { maxOperations: 7 },
            ],
            ['ERR_MAX_OPS_EXCEEDED', 'for (;;);', {}, 'Max operations exceeded (50000)', { maxOperations: 50_000 }],
          ]
        : []),
      [
        'ERR_IMPORT_NOT_ALLOWED',
        'import x from "node:fs"; x',
        {},
        'Import not allowed: node:fs',
        { module: 'node:fs' },
      ],
      [
        'ERR_EXEC_TIMEOUT',
        'await new Promise(() => {})',
        { timeoutMs: 30 },
        'Execution timed out after 30ms',
        { timeoutMs: 30, reason: 'deadline' },
      ],
      ['ERR_TOOL_PROXY_FAIL', 'boom()', {}, 'Tool execution failed: disk on fire', { tool: 'boom' }],
      ['ERR_RUNTIME_EXCEPTION', 'throw new Error("x")', {}, 'Runtime exception: x', { name: 'Error', message: 'x' }],
      [
        'ERR_RUNTIME_EXCEPTION',
        'missing',
        {},
        'Runtime exception: ReferenceError: missing is not defined',
        { name: 'ReferenceError', message: 'missing is not defined' },
      ],
    ])('%s of %j %j', async (code, program, options, message, details) => {
      const error = await failure(program, code, { boom }, options);
      expect(error.message).toBe(message);
      expect(error).toMatchObject({ severity: 'ERROR', retryable: true, logs: '', details });
    });

    test('ERR_INVALID_STATE names the method and the state', async () => {
      const error = await expectCode(make().run('1'), 'ERR_INVALID_STATE');
      expect(error.message).toBe('Invalid executor state: NEW: run() was called before init(); call init() first');
      expect(error).toMatchObject({ severity: 'ERROR', retryable: false, details: { state: 'NEW', operation: 'run' } });
      expect(error.logs).toBeUndefined();
    });
  });

  describe('9.5: errors carry the logs of their run', () => {
    const log = 'console.log("one"); console.error("two", { n: 2 });';
    test.each([
      ['ERR_RUNTIME_EXCEPTION', 'throw 1', {}],
      ['ERR_TOOL_PROXY_FAIL', 'boom()', {}],
      ...(can.limitOperations ? [['ERR_MAX_OPS_EXCEEDED', 'for (;;);', {}]] : []),
      ['ERR_EXEC_TIMEOUT', 'for (;;);', { timeoutMs: 100 * can.pace, maxOperations: 1e15 }],
      ...(can.importModules ? [['ERR_IMPORT_NOT_ALLOWED', 'await import(String("x"))', {}]] : []),
    ])('%s has them', async (code, program, options) => {
      const boom = () => {
        throw new Error('x');
      };
      const error = await failure(log + program, code, { boom }, options);
      expect(error.logs).toBe('one\ntwo { n: 2 }');
      expect(error.logEntries).toStrictEqual([
        { level: 'log', message: 'one', ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
        { level: 'error', message: 'two { n: 2 }', ts: expect.any(String) },
      ]);
      expect(error.stats).toMatchObject({ durationMs: expect.any(Number), operations: expect.any(Number) });
    });

    test('of that run only', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.run('console.log("earlier")');
        const error = await expectCode(executor.run('console.log("now"); throw 1'), 'ERR_RUNTIME_EXCEPTION');
        expect(error.logs).toBe('now');
      });
    });
  });

  describe('details of guest errors', () => {
    test('are name, message, line, column, codeFrame and stack', async () => {
      const code =
        'const data = { items: [] };\n\nfunction first(list) {\n  return list[0].name;\n}\nfirst(data.items);';
      const { details, message } = await failure(code);
      const text = "Cannot read properties of undefined (reading 'name')";
      expect(message).toBe(`Runtime exception: TypeError: ${text}`);
      expect(details).toMatchObject({ name: 'TypeError', message: text, line: 4, column: 18 });
      expect(details.codeFrame).toContain('4 |   return list[0].name;');
      expect(details.codeFrame).toMatch(/^ +\| {18}\^/m);
      expect(details.codeFrame).toContain(text);
      expect(details.stack.split('\n')[0]).toBe(`TypeError: ${text}`);
      expect(frames(details.stack)).toStrictEqual([
        expect.stringMatching(/first .*:4:18/),
        expect.stringMatching(/:6:1\)?$/),
      ]);
    });

    /** Code, with the line and column of what fails in it. */
    test.each([
      ['null.x', 1, 6],
      ['\n\n  null.x', 3, 8],
      ['\r\n\r\nnull.x', 3, 6],
      ['\tnull.x', 1, 7],
      ['"é😀"; null.x', 1, 13],
      ['/* a\n b */ null.x', 2, 12],
      ['\ufeffnull.x', 1, null],
      ['#!/usr/bin/env node\nnull.x', 2, 6],
      ['await null; null.x', 1, 18],
      ['await null;\nawait Promise.resolve();\nnull.x', 3, 6],
      ['for (let i = 0; i < 3; i++) null.x', 1, 34],
      ['for (const i of [1])\n  if (i)\n    null.x', 3, 10],
      ['while (true) {\n  try {\n    null.x;\n  } finally {\n    1;\n  }\n}', 3, 10],
      ['try { null.x } catch (error) {\n  throw error;\n}', 1, 12],
      ['let x = 1;\nconst y = x.a.b;', 2, 15],
      ['const f = () => {\n  throw new RangeError("r");\n};\nf()', 2, 9],
      ['[1, 2].map((v) =>\n  v.a.b)', 2, 7],
      ['await Promise.resolve().then(() => {\n  missing;\n})', 2, 3],
      ['class A {\n  static make() {\n    const made = new B();\n  }\n}\nA.make()', 3, 18],
      ['`a${\n  missing}`', 2, 3],
      ['return null.x', 1, 13],
      ['class Own extends Error {}\nthrow new Own("x")', 2, 7],
      ['switch (1) {\n  case 1:\n    missing\n}', 3, 5],
      ['if (true) {\n  missing\n}', 2, 3],
      ['x;\nlet x = 1;', 1, 1],
      ['const x = 1;\nx = 2;', 2, 3],
      ['JSON.parse("{")', 1, 6],
      ['({}).a.b.c', 1, 8],
      ['undefined()', 1, 1],
      ['const { a } = null', 1, 9],
      ['async function f() {\n  await null;\n  throw new Error("late");\n}\nawait f()', 3, 9],
      ['await (async () => {\n  missing;\n})()', 2, 3],
      ['function* g() {\n  yield 1;\n  missing;\n}\n[...g()]', 3, 3],
    ])('have the position in %j: %i:%s', async (code, line, column) => {
      const { details } = await failure(code);
      // A byte order mark may count as a column or not.
      expect(details).toMatchObject(column === null ? { line } : { line, column });
      const frame = details.codeFrame;
      expect(frame).toContain(code.split(/\r?\n/)[line - 1].replace(/^[\ufeff\t]/, ''));
      expect(frame).toMatch(/\^/);
    });

    test('have the place in this run that called a function of an earlier run', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.run('function helper(value) {\n  return value.a.b;\n}');
        const { details } = await expectCode(
          executor.run('const input = {};\n\n  helper(input);'),
          'ERR_RUNTIME_EXCEPTION',
        );
        expect(details).toMatchObject({ line: 3, column: 3 });
        expect(details.codeFrame).toContain('3 |   helper(input);');
        expect(frames(details.stack)).toStrictEqual([
          expect.stringMatching(/helper .*:2:18/),
          expect.stringMatching(/:3:3\)?$/),
        ]);
      });
    });

    test.each([
      'const x = missing();',
      'let x = missing();',
      'var x = missing();',
      'const x = missing;',
      'x = missing();',
      'x = !missing();',
      'const x = !missing();',
      'const x = missing().a.b;',
      'const x = missing`a`;',
      'const x = await missing();',
      'const x = null.a;',
      'const [x] = missing();',
      'const { x } = missing();',
      'const { x } = null;',
      'const y = 1, x = missing();',
    ])('have the same place for %s if functions of an earlier run use the name', async (statement) => {
      const placeAfter = (earlier) =>
        withExecutor({}, {}, async (executor) => {
          await executor.run(earlier);
          const { details } = await expectCode(executor.run(`1;\n\n  ${statement}\n2;`), 'ERR_RUNTIME_EXCEPTION');
          return [details.line, details.column];
        });
      const place = await placeAfter('let x = { a: 1 };');
      expect(place[0]).toBe(3);
      expect(await placeAfter('let x = { a: 1 }; const get = () => x;')).toStrictEqual(place);
    });

    test('have the line of a redeclaration whose class does not exist', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.run('let x = { a: 1 }; const get = () => x;');
        const { details } = await expectCode(executor.run('1;\n\nconst x = new Missing();'), 'ERR_RUNTIME_EXCEPTION');
        expect(details.line).toBe(3);
      });
    });

    test('have the place of a callback that a built-in calls', async () => {
      const { details } = await failure('[3, 1].sort((a, b) => {\n  throw new TypeError(`cannot compare ${a}`);\n});');
      expect(details).toMatchObject({ name: 'TypeError', line: 2, column: 9 });
    });

    test('have a frame that cuts a long line around the position', async () => {
      const { details } = await failure(`const s = "${'x'.repeat(5000)}"; null.x; const t = "${'y'.repeat(5000)}";`);
      expect(details.codeFrame).toContain('null.x');
      expect(details.codeFrame.length).toBeLessThan(2_000);
    });

    test('show no frame or path of the host, whatever the origin of the error', async () => {
      const tools = {
        boom: () => {
          throw new Error('sync');
        },
        late: async () => {
          throw new Error('async');
        },
        each: (list) => list,
      };
      for (const code of [
        'null.x',
        'await null; null.x',
        'boom()',
        'await late()',
        'each([1]).map(() => missing)',
        'const f = () => f(); f()',
        'await import("x")',
        'console.log(new Error("logged").stack); throw new Error("thrown")',
      ]) {
        await withExecutor({}, tools, async (executor) => {
          const error = await rejection(executor.run(code));
          const text = JSON.stringify([error.details, error.logs, error.message]);
          expect(text).not.toMatch(/node:|file:|ext:|\/work|node_modules|lib\/|__test__|internal\//);
          expect(text).not.toContain('__smol_');
          expect(text).not.toContain(process.cwd());
        });
      }
    });

    test('show no host in stacks that a guest reads', async () => {
      const boom = () => {
        throw new Error('sync');
      };
      await withExecutor({}, { boom }, async (executor) => {
        for (const code of [
          'new Error("x").stack',
          'try { boom() } catch (e) { e.stack }',
          'try { null.x } catch (e) { e.stack }',
        ]) {
          const { output } = await executor.run(code);
          expect(output).not.toMatch(/node:|file:|ext:|__test__|node_modules|__smol_/);
        }
      });
    });

    testIf(can.checkPatterns)('warnings of validation are in the details of an error', async () => {
      const { details } = await failure('process.exit()');
      expect(details.name).toBe('ReferenceError');
      expect(details.diagnostics).toStrictEqual([
        expect.objectContaining({
          rule: 'forbidden_global_access',
          severity: 'WARNING',
          location: { line: 1, column: 1 },
        }),
      ]);
    });
  });

  describe('a thrown value that is not an error is reported', () => {
    test.each([
      ['"text"', 'text'],
      ['""', ''],
      ['5', '5'],
      ['-0', '-0'],
      ['NaN', 'NaN'],
      ['10n', '10n'],
      ['true', 'true'],
      ['null', 'null'],
      ['undefined', 'undefined'],
      ['{ a: 1, b: [2] }', '{ a: 1, b: [ 2 ] }'],
      ['[1, "two"]', "[ 1, 'two' ]"],
      ['Symbol("q")', 'Symbol(q)'],
      ['() => 1', '[Function (anonymous)]'],
      ['Object.create(null)', '[Object: null prototype] {}'],
    ])('throw %s', async (thrown, text) => {
      const error = await failure(`throw (${thrown})`);
      expect(error.message).toBe(`Runtime exception: ${text}`);
      expect(error.details).toMatchObject({ name: null, message: text });
      expect(error.retryable).toBe(true);
    });

    test.each([
      [
        'a proxy that throws',
        'new Proxy({}, { get() { throw 1; }, ownKeys() { throw 2; }, getPrototypeOf() { throw 3; } })',
      ],
      ['a revoked proxy', '(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()'],
      ['an object whose methods throw', '({ toString() { throw 1; }, get [Symbol.toStringTag]() { throw 2; } })'],
      ['an object with itself inside', '(() => { const o = {}; o.o = o; return o; })()'],
      ['a rejected promise', '(() => { const p = Promise.reject(1); p.catch(() => {}); return p; })()'],
    ])('throw %s', async (_, thrown) => {
      const error = await failure(`throw ${thrown}`);
      expect(error.message).toMatch(/^Runtime exception: /);
      expect(error.details.name).toBeNull();
      expect(error.details.message).toBeTypeOf('string');
    });

    test('a rejection without an error is reported', async () => {
      const error = await failure('await Promise.reject({ reason: "busy" })');
      expect(error.message).toBe("Runtime exception: { reason: 'busy' }");
    });
  });

  describe('P6 errors with hostile properties are reported', () => {
    test.each([
      ['message', '{ get() { throw 1; } }'],
      ['name', '{ get() { throw 1; } }'],
      ['stack', '{ get() { throw 1; } }'],
      ['message', '{ value: 5 }'],
      ['name', '{ value: { toString() { throw 1; } } }'],
      ['stack', '{ value: {} }'],
      ['message', '{ value: Symbol("m") }'],
      ['message', '{ value: new Proxy({}, { get() { throw 1; } }) }'],
      ['stack', '{ get() { for (;;); } }'],
      ['cause', '{ get() { throw 1; } }'],
      ['code', '{ get() { throw 1; } }'],
    ])('a hostile %s defined as %s', async (key, descriptor) => {
      await withExecutor({}, {}, async (executor) => {
        const code = `const error = new Error("m");\nObject.defineProperty(error, ${JSON.stringify(key)}, ${descriptor});\nthrow error;`;
        const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
        expect(error.message).toMatch(/^Runtime exception: /);
        expect(error.details.name).toBeTypeOf('string');
        expect(error.details.message).toBeTypeOf('string');
        expect(executor.state).toBe('READY');
        expect((await executor.run('1')).output).toBe(1);
      });
    });

    test('a class whose getters all throw', async () => {
      const error = await failure(
        'class Bad extends Error { get name() { throw 1; } get message() { throw 2; } get stack() { throw 3; } }\nthrow new Bad();',
      );
      expect(error.message).toMatch(/^Runtime exception: /);
    });

    test.each([
      ['ERR_MAX_OPS_EXCEEDED', 'MaxOperationsExceededError', 'Max operations exceeded (1)'],
      ['ERR_EXEC_TIMEOUT', 'TimeoutError', 'Execution timed out after 1ms'],
      ['ERR_TOOL_PROXY_FAIL', 'Error', 'Tool execution failed: x'],
      ['ERR_IMPORT_NOT_ALLOWED', 'Error', 'Import not allowed: x'],
      ['ERR_INVALID_STATE', 'ExecutorError', 'Invalid executor state: DEAD'],
    ])('a forged %s is a runtime exception', async (code, name, message) => {
      const error = await failure(
        `throw Object.assign(new Error(${JSON.stringify(message)}), { name: "${name}", code: "${code}", severity: "FATAL" })`,
      );
      expect(error).toMatchObject({ severity: 'ERROR', details: { name, message } });
    });

    test('a huge message costs the host little memory', async () => {
      const error = await failure('throw new Error("x".repeat(5e7))');
      expect(error.message.length).toBeLessThan(1e6);
      expect(JSON.stringify(error).length).toBeLessThan(1e6);
      expect(error.message).toMatch(/^Runtime exception: x{100}/);
    });

    test('a deep chain of causes has the message of its outermost error', async () => {
      const error = await failure(
        'let e = new Error("0"); for (let i = 1; i < 20000; i++) e = new Error(`${i}`, { cause: e }); throw e',
      );
      expect(error.message).toBe('Runtime exception: 19999');
    });
  });

  describe('errors of the engine', () => {
    test.each([
      ['a function', 'const f = () => f() + 1; f()'],
      ['a getter', 'const o = { get x() { return this.x; } }; o.x'],
      ['a method', 'class A { m() { return this.m() + 1; } }\nnew A().m()'],
      ['toString', 'const o = { toString() { return `${o}`; } }; `${o}`'],
      ['a proxy', 'const p = new Proxy({}, { get: () => p.x }); p.x'],
      ['toJSON', 'const o = { toJSON: () => JSON.stringify(o) }; JSON.stringify(o)'],
      ['an asynchronous function without await', 'const f = async () => f(); await f()'],
    ])('stack overflow in %s is a RangeError, and the executor continues', async (_, code) => {
      await withExecutor({}, {}, async (executor) => {
        const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
        expect(error.message).toBe('Runtime exception: RangeError: Maximum call stack size exceeded');
        expect(error.details).toMatchObject({ name: 'RangeError', message: 'Maximum call stack size exceeded' });
        expect(executor.state).toBe('READY');
        expect((await executor.run('1')).output).toBe(1);
      });
    });

    test('a guest can handle a stack overflow', async () => {
      await withExecutor({}, {}, async (executor) => {
        const code = 'const f = () => f(); try { f() } catch (e) { `${e.name}: ${e instanceof RangeError}` }';
        expect((await executor.run(code)).output).toBe('RangeError: true');
      });
    });

    test.each([
      ['null.x', 'TypeError', "Cannot read properties of null (reading 'x')"],
      ['missing', 'ReferenceError', 'missing is not defined'],
      ['new Array(-1)', 'RangeError', 'Invalid array length'],
      ['JSON.parse("{")', 'SyntaxError', "Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
      ['decodeURIComponent("%")', 'URIError', 'URI malformed'],
      ['const c = 1; c = 2', 'TypeError', 'Assignment to constant variable.'],
      ['throw new AggregateError([new Error("a")], "all failed")', 'AggregateError', 'all failed'],
      ['await Promise.any([])', 'AggregateError', 'All promises were rejected'],
      ['Object.freeze([]).push(1)', 'TypeError', 'Cannot add property 0, object is not extensible'],
      ['"use strict"; undeclared = 1', 'ReferenceError', 'undeclared is not defined'],
      ['class Own extends Error { get name() { return "Own"; } }\nthrow new Own("mine")', 'Own', 'mine'],
      ['throw Object.assign(new Error("m"), { name: "Custom" })', 'Custom', 'm'],
    ])('%s fails with its class and message', async (code, name, message) => {
      const error = await failure(code);
      expect(error.message).toBe(`Runtime exception: ${name}: ${message}`);
      expect(error.details).toMatchObject({ name, message });
    });
  });

  describe('syntax errors', () => {
    test.each([
      ['let a = ;', 1, 9],
      ['foo(', 1, 5],
      ['if (true {\n}', 1, 10],
      ['"unterminated', 1, 1],
      ['`unterminated', 1, null],
      ['a b', 1, 3],
      ['\n\n  let = 1 2', 3, null],
      ['}', 1, 1],
      ['const q', 1, null],
      ['let a;\nlet a;', 2, 5],
      ['/(/', 1, null],
      ['/* open', 1, null],
      ['for (;;', 1, null],
      ['export const a = 1;', 1, 1],
      ['with ({}) {}', 1, 1],
      ['08', 1, 1],
      ['delete x', 1, null],
      ['break;', 1, 1],
      ['continue;', 1, 1],
      ['super.x', 1, 1],
      ['new.target', 1, 1],
      ['class A { constructor() { super(); } }', 1, null],
      ['function f(a, a) {}', 1, null],
      ['let let = 1', 1, null],
      ['yield 1', 1, null],
      ['1 = 2', 1, 1],
      ['a?.b = 1', 1, 1],
      ['<div/>', 1, 1],
      ['let x: number = ;', 1, 17],
      ['\\u{110000}', 1, null],
      ['import.meta', 1, 1],
    ])('%j is refused', async (code, line, column) => {
      await withExecutor({}, {}, async (executor) => {
        const error = await expectCode(executor.run(code), 'ERR_VALIDATION_FAILED');
        expect(error.message).toBe('Code validation failed');
        expect(error).toMatchObject({ severity: 'ERROR', retryable: true });
        const found = error.details.diagnostics.find(({ severity }) => severity === 'ERROR');
        expect(found).toMatchObject({ rule: 'syntax_valid', severity: 'ERROR', message: expect.stringMatching(/\w/) });
        expect(found.location.line).toBe(line);
        if (column !== null) expect(found.location.column).toBe(column);
        expect(executor.state).toBe('READY');
        expect((await executor.run('1')).output).toBe(1);
      });
    });
  });

  describe('tools that fail', () => {
    class HostError extends Error {
      name = 'HostError';
    }

    test('cause is the very value that the tool threw', async () => {
      const thrown = new HostError('disk on fire', { cause: 'heat' });
      const tools = {
        sync: () => {
          throw thrown;
        },
        asyncTool: async () => {
          throw thrown;
        },
      };
      await withExecutor({}, tools, async (executor) => {
        for (const code of [
          'sync()',
          'await asyncTool()',
          'await Promise.all([asyncTool()])',
          'const f = () => sync();\nf()',
        ]) {
          const error = await expectCode(executor.run(code), 'ERR_TOOL_PROXY_FAIL');
          expect(error.cause).toBe(thrown);
          expect(error.message).toBe('Tool execution failed: HostError: disk on fire');
          expect(error.details).toMatchObject({ name: 'HostError', message: 'disk on fire' });
          expect(['sync', 'asyncTool']).toContain(error.details.tool);
          expect(error.details.bridge).toBeUndefined();
        }
      });
    });

    test.each([
      ['a string', 'busy'],
      ['null', null],
      ['undefined', undefined],
      ['a number', 0],
      ['an object', { code: 7 }],
      ['a function', () => 1],
    ])('cause may be any value: %s', async (_, thrown) => {
      const tool = async () => Promise.reject(thrown);
      const error = await failure('await tool()', 'ERR_TOOL_PROXY_FAIL', { tool });
      expect('cause' in error).toBe(true);
      expect(error.cause).toBe(thrown);
    });

    test('details have the position of the call in guest code', async () => {
      const tool = () => {
        throw new Error('x');
      };
      const error = await failure('const before = 1;\n\n  tool(before);', 'ERR_TOOL_PROXY_FAIL', { tool });
      expect(error.details).toMatchObject({ line: 3, column: 3 });
      expect(error.details.codeFrame).toContain('3 |   tool(before);');
    });

    test('an error that guest code makes of a failure is a runtime exception without a cause', async () => {
      const tool = () => {
        throw new Error('x');
      };
      const code = 'try { tool() } catch (e) { throw new Error(`no luck: ${e.message}`) }';
      const error = await failure(code, 'ERR_RUNTIME_EXCEPTION', { tool });
      expect(error.message).toBe('Runtime exception: no luck: x');
      expect('cause' in error).toBe(false);
    });

    test('an error after a successful tool call is a runtime exception', async () => {
      const error = await failure('const r = await tool(); r.missing.x', 'ERR_RUNTIME_EXCEPTION', {
        tool: async () => ({}),
      });
      expect(error.details.name).toBe('TypeError');
    });

    test('an error that a tool returns as a value is not a failure', async () => {
      await withExecutor({}, { tool: () => new RangeError('data') }, async (executor) => {
        const { output } = await executor.run('const e = tool(); [e instanceof RangeError, e.message]');
        expect(output).toStrictEqual([true, 'data']);
        await expectCode(executor.run('throw tool()'), 'ERR_RUNTIME_EXCEPTION');
      });
    });

    test('errors of a tool whose properties throw are tool failures', async () => {
      const thrown = new Proxy(new Error('x'), {
        get() {
          throw new Error('trap');
        },
      });
      const tool = () => {
        throw thrown;
      };
      const error = await failure('tool()', 'ERR_TOOL_PROXY_FAIL', { tool });
      expect(error.message).toMatch(/^Tool execution failed: /);
      expect(Object.is(error.cause, thrown)).toBe(true);
    });
  });

  /** The frames of a stack. */
  function frames(stack) {
    return stack.split('\n').filter((line) => /^\s+at /.test(line));
  }
}

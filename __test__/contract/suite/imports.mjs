// Section 5.3 of the specification, CF-05 and CF-06 with their variants, and the option `modules`.

import { describe, expect, test } from 'vitest';

import { validateCode } from '../../../index.mjs';
import { expectCode } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeImports({ make, withExecutor, can }) {
  const DENIED = 'ERR_IMPORT_NOT_ALLOWED';

  describe('static import is refused in script mode', () => {
    const STATEMENTS = [
      'import fs from "node:fs";',
      'import "node:fs";',
      'import * as fs from "node:fs";',
      'import { readFile } from "node:fs";',
      'import { default as fs } from "node:fs";',
      'import fs, { readFile } from "node:fs";',
      'import {} from "node:fs";',
      'import fs from "node:fs" with { type: "json" };',
      'import "node:\\u0066s";',
    ];

    test.each(STATEMENTS)('%s, authorized (CF-05)', async (statement) => {
      const marks = [];
      await withExecutor({ authorizedImports: ['node:fs'] }, { mark: () => marks.push(1) }, async (executor) => {
        const error = await expectCode(executor.run(`mark();\n${statement}\nmark();`), DENIED);
        expect(error.message).toBe('Import not allowed: node:fs');
        expect(error.details.module).toBe('node:fs');
        expect(error.retryable).toBe(true);
        const diagnostic = error.details.diagnostics.find(({ rule }) => rule === 'static_import_in_script_mode');
        expect(diagnostic).toMatchObject({ severity: 'ERROR', location: { line: 2, column: 1 } });
        expect(executor.state).toBe('READY');
      });
      expect(marks).toStrictEqual([]);
    });

    test('a module that is not authorized breaks both rules', async () => {
      await withExecutor({}, {}, async (executor) => {
        const error = await expectCode(executor.run('import fs from "node:fs";'), DENIED);
        expect(error.details.diagnostics.map(({ rule }) => rule).sort()).toStrictEqual([
          'import_allowed',
          'static_import_in_script_mode',
        ]);
      });
    });

    test('provided modules are refused too', async () => {
      await withExecutor({ authorizedImports: ['m'], modules: { m: 'export default 1' } }, {}, async (executor) => {
        await expectCode(executor.run('import m from "m"; m'), DENIED);
      });
    });

    test.each([
      'export const x = 1;',
      'export default 1;',
      'export {};',
      'export * from "m";',
      'export { a } from "m";',
    ])('%s is a validation error', async (code) => {
      await withExecutor({ authorizedImports: ['m'] }, {}, async (executor) => {
        const error = await executor.run(code).then(
          () => null,
          (e) => e,
        );
        expect(['ERR_VALIDATION_FAILED', DENIED]).toContain(error?.code);
        expect(executor.state).toBe('READY');
      });
    });
  });

  describe('dynamic import of a literal', () => {
    const OPTIONS = {
      authorizedImports: ['x-ok'],
      modules: { 'x-ok': 'export const value = 42; export default "d";' },
    };

    test.each(['"x-ok"', "'x-ok'", '`x-ok`', '"x-\\u006fk"', '("x-ok")'])(
      'import(%s) of an authorized module succeeds (CF-06)',
      async (specifier) => {
        await withExecutor(OPTIONS, {}, async (executor) => {
          expect((await executor.run(`(await import(${specifier})).value`)).output).toBe(42);
        });
      },
    );

    test.each([
      '"x-denied"',
      "'x-denied'",
      '`x-denied`',
      '"x-ok "',
      '"X-OK"',
      '"x-ok/sub"',
      '"./x-ok"',
      '""',
      '"node:fs"',
      '"data:text/javascript,export default 1"',
      '"file:///etc/passwd"',
      '"https://example.com/x.js"',
      '"ext:core/mod.js"',
      '"__proto__"',
      '"constructor"',
    ])('import(%s) of another module is refused before any code runs', async (specifier) => {
      const marks = [];
      await withExecutor(OPTIONS, { mark: () => marks.push(1) }, async (executor) => {
        const error = await expectCode(executor.run(`mark(); await import(${specifier})`), DENIED);
        const module = JSON.parse(specifier.replaceAll(/^['`]|['`]$/g, '"'));
        expect(error.message).toBe(`Import not allowed: ${module}`);
        expect(error.details.module).toBe(module);
        expect(error.details.diagnostics[0]).toMatchObject({ rule: 'import_allowed', severity: 'ERROR' });
        expect(executor.state).toBe('READY');
      });
      expect(marks).toStrictEqual([]);
    });

    test('an import in unreachable code is refused too', async () => {
      await withExecutor(OPTIONS, {}, async (executor) => {
        await expectCode(executor.run('if (false) { import("x-denied"); } 1'), DENIED);
        await expectCode(executor.run('const f = async () => (await import("x-denied")).value; 1'), DENIED);
      });
    });

    test('validateCode reports rule and place', () => {
      const [diagnostic] = validateCode('const a = 1;\n  await import("x-denied");', OPTIONS);
      expect(diagnostic).toMatchObject({ rule: 'import_allowed', severity: 'ERROR', location: { line: 2 } });
      expect(validateCode('await import("x-ok")', OPTIONS)).toStrictEqual([]);
    });
  });

  describe('a dynamic import of a computed specifier is decided at run time', () => {
    const OPTIONS = { authorizedImports: ['x-ok'], modules: { 'x-ok': 'export const value = 42;' } };

    test('validateCode reports nothing', () => {
      expect(validateCode('await import(name)', OPTIONS)).toStrictEqual([]);
      expect(validateCode('await import(`x-${name}`)', OPTIONS)).toStrictEqual([]);
    });

    test.each([
      '"x-" + "ok"',
      '`x-${"ok"}`',
      '["x-ok"][0]',
      '{ toString() { return "x-ok"; } }',
      'await Promise.resolve("x-ok")',
      'new String("x-ok")',
    ])('import(%s) of an authorized module succeeds', async (specifier) => {
      await withExecutor(OPTIONS, {}, async (executor) => {
        expect((await executor.run(`(await import(${specifier})).value`)).output).toBe(42);
      });
    });

    test.each(['"x-" + "denied"', '`x-${"denied"}`', '{ toString() { return "x-denied"; } }'])(
      'import(%s) of another module fails',
      async (specifier) => {
        const marks = [];
        await withExecutor(OPTIONS, { mark: (x) => void marks.push(x) }, async (executor) => {
          const error = await expectCode(
            executor.run(`mark("before");\nawait import(${specifier});\nmark("after");`),
            DENIED,
          );
          expect(error.message).toBe('Import not allowed: x-denied');
          expect(error.details.module).toBe('x-denied');
          expect(error.details.line).toBe(2);
          expect(executor.state).toBe('READY');
        });
        expect(marks).toStrictEqual(['before']);
      },
    );

    test.each([
      ['as a literal', (name) => `await import(${JSON.stringify(name)})`],
      ['made at run time', (name) => `await import(${JSON.stringify(name[0])}.repeat(${name.length}))`],
    ])('the message contains the beginning of a long name: %s', async (_, codeOf) => {
      await withExecutor(OPTIONS, {}, async (executor) => {
        for (const [name, said] of [
          ['x'.repeat(200), 'x'.repeat(200)],
          ['x'.repeat(201), `${'x'.repeat(200)}…`],
          ['x'.repeat(50_000), `${'x'.repeat(200)}…`],
        ]) {
          const error = await expectCode(executor.run(codeOf(name)), DENIED);
          expect([error.message, error.details.module]).toStrictEqual([`Import not allowed: ${said}`, said]);
        }
      });
    });

    test('an authorized name may be long', async () => {
      const name = 'x'.repeat(1_000);
      await withExecutor({ authorizedImports: [name], modules: { [name]: { value: 1 } } }, {}, async (executor) => {
        expect((await executor.run('(await import("x".repeat(1_000))).value')).output).toBe(1);
        const error = await expectCode(executor.run('await import("x".repeat(999))'), DENIED);
        expect(error.details.module).toBe(`${'x'.repeat(200)}…`);
      });
    });

    test('an object as specifier is converted once, so it cannot present two names', async () => {
      await withExecutor(OPTIONS, {}, async (executor) => {
        const { output } = await executor.run(
          'let n = 0; const name = { toString: () => (n++ ? "node:fs" : "x-ok") }; const m = await import(name); return [n, m.value];',
        );
        expect(output).toStrictEqual([1, 42]);
      });
    });

    test('import() never throws synchronously but returns a promise that rejects', async () => {
      await withExecutor(OPTIONS, {}, async (executor) => {
        const { output } = await executor.run(`
        const names = ['x-denied', Symbol('s'), { toString() { throw new RangeError('mine'); } }, undefined, null, 5];
        const results = [];
        for (const name of names) {
          let p;
          try { p = import(name); } catch (e) { results.push('threw'); continue; }
          results.push(await p.then(() => 'resolved', (e) => e.code ?? e.name));
        }
        return results;`);
        expect(output).toStrictEqual([DENIED, 'TypeError', 'RangeError', DENIED, DENIED, DENIED]);
      });
    });

    test('a caught failure is harmless, a rethrown one keeps its code, and a wrapped one does not', async () => {
      await withExecutor(OPTIONS, {}, async (executor) => {
        const { output } = await executor.run(
          'try { await import("x-" + "denied"); } catch (e) { return [e instanceof Error, e.message, e.code]; }',
        );
        expect(output).toStrictEqual([true, 'Import not allowed: x-denied', DENIED]);
        await expectCode(executor.run('try { await import("x-" + "denied"); } catch (e) { throw e; }'), DENIED);
        await expectCode(
          executor.run(
            'try { await import("x-" + "denied"); } catch (e) { throw new Error("wrapped", { cause: e }); }',
          ),
          'ERR_RUNTIME_EXCEPTION',
        );
        await expectCode(
          executor.run('throw Object.assign(new Error("Import not allowed: x"), { code: "ERR_IMPORT_NOT_ALLOWED" })'),
          'ERR_RUNTIME_EXCEPTION',
        );
      });
    });
  });

  describe('import attributes and phases', () => {
    test.each([
      'import("m", { with: { type: "json" } })',
      'import.meta',
      'import.meta.url',
      'import.source("m")',
      'import.defer("m")',
    ])('%s has no effect or fails with a code', async (code) => {
      await withExecutor(
        { authorizedImports: ['m'], modules: { m: 'export const value = 1;' } },
        {},
        async (executor) => {
          const outcome = await executor.run(code).catch((error) => error);
          if (outcome.code !== undefined)
            expect(['ERR_VALIDATION_FAILED', 'ERR_RUNTIME_EXCEPTION']).toContain(outcome.code);
          else expect(outcome.output).toStrictEqual({ value: 1 });
          expect(executor.state).toBe('READY');
        },
      );
    });
  });

  describe('modules of source text', () => {
    const withModules = (modules, fn, options = {}, tools = {}) =>
      withExecutor({ authorizedImports: Object.keys(modules), modules, ...options }, tools, fn);

    test('export bindings of every kind', async () => {
      const source = `
      export const a = 1;
      export let b = 2;
      export function f(x) { return x + a; }
      export class C { m() { return 'm'; } }
      export default { d: true };
      const hidden = 5;
      export { hidden as shown };
      export const { p, q: [r] } = { p: 6, q: [7] };`;
      await withModules({ m: source }, async (executor) => {
        const { output } = await executor.run(
          'const m = await import("m"); return [m.a, m.b, m.f(1), new m.C().m(), m.default, m.shown, m.p, m.r, Object.keys(m), typeof hidden];',
        );
        expect(output).toStrictEqual([
          1,
          2,
          2,
          'm',
          { d: true },
          5,
          6,
          7,
          ['C', 'a', 'b', 'default', 'f', 'p', 'r', 'shown'],
          'undefined',
        ]);
      });
    });

    test('have a module namespace: sealed, live, without prototype', async () => {
      await withModules({ m: 'export let n = 0; export const add = () => ++n;' }, async (executor) => {
        const { output } = await executor.run(`
        const m = await import('m');
        const before = m.n; m.add();
        let refused = 0;
        try { m.n = 5; } catch { refused++; }
        try { m.x = 5; } catch { refused++; }
        try { delete m.n; } catch { refused++; }
        return [before, m.n, refused, Object.getPrototypeOf(m), Object.prototype.toString.call(m)];`);
        expect(output).toStrictEqual([0, 1, 3, null, '[object Module]']);
        expect((await executor.run('await import("m")')).output).toMatchObject({ n: 1 });
      });
    });

    test('may use top-level await with tools', async () => {
      await withModules(
        { m: 'export const text = await load("a"); export const twice = await Promise.all([load(1), load(2)]);' },
        async (executor) => {
          expect(
            (await executor.run('const { text, twice } = await import("m"); return [text, twice];')).output,
          ).toStrictEqual(['loaded a', ['loaded 1', 'loaded 2']]);
        },
        {},
        { load: async (x) => `loaded ${x}` },
      );
    });

    test('may import other authorized modules, statically and dynamically', async () => {
      const modules = {
        a: 'import { b } from "b"; import * as c from "c"; export { d } from "d"; export * from "e"; export const a = "a" + b + c.c; export const late = async () => (await import("f")).f;',
        b: 'export const b = "b";',
        c: 'export const c = "c";',
        d: 'export const d = "d";',
        e: 'export const e = "e";',
        f: 'export const f = "f";',
      };
      await withModules(modules, async (executor) => {
        expect(
          (await executor.run('const m = await import("a"); return [m.a, m.d, m.e, await m.late()];')).output,
        ).toStrictEqual(['abc', 'd', 'e', 'f']);
      });
    });

    test('may form cycles', async () => {
      await withModules(
        {
          a: 'import { b } from "b"; export const a = () => "a"; export const both = () => a() + b();',
          b: 'import { a } from "a"; export const b = () => "b" + a();',
        },
        async (executor) => {
          expect((await executor.run('(await import("a")).both()')).output).toBe('aba');
        },
      );
    });

    // V8 ends the process when a module is to be evaluated while another one is.
    test('may import themselves or a module that imports them during evaluation', async () => {
      const modules = {
        self: 'export const a = 1; export const again = import("self"); globalThis.mine = () => import("self");',
        outer: 'export const a = 1; export const inner = import("inner");',
        inner: 'import { a } from "outer"; export const b = a + 1;',
        calls: 'export const a = 3; export const seen = hook();',
      };
      await withModules(modules, async (executor) => {
        const { output } = await executor.run(`
        globalThis.hook = () => import('calls');
        const self = await import('self');
        const outer = await import('outer');
        const calls = await import('calls');
        return [await self.again === self, (await mine()).a, (await outer.inner).b, (await calls.seen).a];`);
        expect(output).toStrictEqual([true, 1, 2, 3]);
      });
    });

    test('are not evaluated before the code that calls import() has continued', async () => {
      await withModules({ m: 'globalThis.order.push("module"); export {};' }, async (executor) => {
        const { output } = await executor.run(`
        globalThis.order = [];
        const asked = import('m');
        order.push('program');
        await asked;
        return order;`);
        expect(output).toStrictEqual(['program', 'module']);
      });
    });

    test('cannot import unauthorized modules, neither statically nor dynamically', async () => {
      const modules = {
        bad: 'import fs from "node:fs"; export default fs;',
        hidden: 'export const x = 1;',
        viaHidden: 'import "hidden";',
        late: 'export const f = () => import("node:" + "fs");',
        literal: 'export const f = () => import("node:fs");',
      };
      await withExecutor(
        { authorizedImports: ['bad', 'viaHidden', 'late', 'literal'], modules },
        {},
        async (executor) => {
          const error = await expectCode(executor.run('await import("bad")'), DENIED);
          expect(error.details.module).toBe('node:fs');
          expect((await expectCode(executor.run('await import("viaHidden")'), DENIED)).details.module).toBe('hidden');
          expect((await expectCode(executor.run('await (await import("late")).f()'), DENIED)).details.module).toBe(
            'node:fs',
          );
          expect((await expectCode(executor.run('await (await import("literal")).f()'), DENIED)).details.module).toBe(
            'node:fs',
          );
          await expectCode(executor.run('await import("hidden")'), DENIED);
          expect(executor.state).toBe('READY');
        },
      );
    });

    test('cannot be imported if they are provided but not authorized', async () => {
      await withExecutor({ modules: { m: 'export const x = 1;' } }, {}, async (executor) => {
        await expectCode(executor.run('await import("m")'), DENIED);
      });
    });

    test('are guarded while they load and in exported functions', async () => {
      await withModules(
        {
          spin: 'for (;;);',
          lib: 'export const loop = (n) => { let i = 0; while (i < n) i++; return i; }; export function* gen() { for (;;) yield 1; }',
        },
        async (executor) => {
          await expectCode(executor.run('await import("spin")'), 'ERR_MAX_OPS_EXCEEDED');
          const { output, stats } = await executor.run('(await import("lib")).loop(100)');
          expect([output, stats.operations]).toStrictEqual([100, 100]);
          await expectCode(
            executor.run('const { loop } = await import("lib"); try { loop(101); } catch {} "after"'),
            'ERR_MAX_OPS_EXCEEDED',
          );
          await expectCode(executor.run('const { gen } = await import("lib"); [...gen()]'), 'ERR_MAX_OPS_EXCEEDED');
          expect(executor.state).toBe('READY');
        },
        { maxOperations: 100 },
      );
    });

    test('cannot swallow signals in catch clauses', async () => {
      await withModules(
        { m: 'export const safe = (f) => { try { return f(); } catch { return "swallowed"; } };' },
        async (executor) => {
          expect(
            await executor.run('const { safe } = await import("m"); safe(() => final_answer("A")); "after"'),
          ).toMatchObject({ output: 'A', is_final_answer: true });
        },
      );
    });

    test('may call final_answer', async () => {
      await withModules({ m: 'final_answer("from the module"); export const x = 1;' }, async (executor) => {
        expect(await executor.run('await import("m"); "after"')).toMatchObject({
          output: 'from the module',
          is_final_answer: true,
        });
        expect((await executor.run('1')).output).toBe(1);
      });
    });

    test("see the guest's globals and tools, and nothing of the host", async () => {
      await withModules(
        {
          m: 'export const seen = [typeof console, typeof tool, typeof process, typeof require, typeof Deno, typeof fetch, typeof globalThis.__smol_realm, this];',
        },
        async (executor) => {
          expect((await executor.run('(await import("m")).seen')).output).toStrictEqual([
            'object',
            'function',
            'undefined',
            'undefined',
            'undefined',
            'undefined',
            'undefined',
            undefined,
          ]);
        },
        {},
        { tool: () => 1 },
      );
    });

    test('find nothing in import.meta', async () => {
      await withModules(
        {
          m: 'export const meta = typeof import.meta; export const keys = Reflect.ownKeys(import.meta); export const text = JSON.stringify(import.meta);',
        },
        async (executor) => {
          const outcome = await executor
            .run('const m = await import("m"); return [m.meta, m.keys, m.text];')
            .catch((error) => error);
          if (outcome.code === undefined) expect(outcome.output).toStrictEqual(['object', [], '{}']);
          else expect(['ERR_RUNTIME_EXCEPTION', 'ERR_VALIDATION_FAILED']).toContain(outcome.code);
        },
      );
    });

    test('are evaluated once for all runs and keep state and identity', async () => {
      await withModules(
        { m: 'log("evaluated"); export let n = 0; export const add = () => ++n; export const o = {};' },
        async (executor) => {
          await executor.run('const first = await import("m"); first.add();');
          const { output } = await executor.run(
            'const second = await import("m"); return [second === first, second.n, second.o === first.o, (await import("m")).add()];',
          );
          expect(output).toStrictEqual([true, 1, true, 2]);
          expect(
            (await executor.run('const [x, y] = await Promise.all([import("m"), import("m")]); x === y;')).output,
          ).toBe(true);
        },
        {},
        { log: () => {} },
      );
    });

    test('are separate instances in each executor', async () => {
      const options = { authorizedImports: ['m'], modules: { m: 'export let n = 0; export const add = () => ++n;' } };
      await withExecutor(options, {}, async (one) => {
        await withExecutor(options, {}, async (two) => {
          expect((await one.run('(await import("m")).add()')).output).toBe(1);
          expect((await one.run('(await import("m")).add()')).output).toBe(2);
          expect((await two.run('(await import("m")).add()')).output).toBe(1);
        });
      });
    });

    test.skipIf(can.outlives)('are new after cleanup and init, functions included', async () => {
      const options = {
        authorizedImports: ['m', 'host'],
        modules: { m: 'export let n = 0; export const add = () => ++n;', host: { f: () => 'called', v: 1 } },
      };
      await withExecutor(options, {}, async (executor) => {
        expect((await executor.run('(await import("m")).add()')).output).toBe(1);
        expect((await executor.run('(await import("host")).f()')).output).toBe('called');
        await executor.cleanup();
        await executor.init();
        expect((await executor.run('(await import("m")).add()')).output).toBe(1);
        expect((await executor.run('(await import("host")).f()')).output).toBe('called');
      });
    });
  });

  describe('modules whose evaluation a run left unfinished are evaluated again by a later run', () => {
    const OPTIONS = {
      authorizedImports: ['waits', 'imports', 'late', 'top', 'fails', 'fills', 'spins', 'answers', 'throws'],
      modules: {
        waits: 'export const x = await load(1);',
        imports: 'export { x } from "waits"; export const y = 2;',
        fails: 'throw new Error("failed");',
        late: 'import { x } from "waits"; export const z = x + 2;',
        // `late` is linked, and not evaluated.
        top: 'import "fails"; import "late";',
        fills:
          'if (times++ === 0) { const kept = []; for (let i = 0; i < 9e6; i++) kept.push({}); } export const x = 1;',
        spins: 'for (let i = 0; i < 2e7; i++);',
        answers: 'if (times++ === 0) final_answer("answered"); export const x = 1;',
        throws: 'times++; throw new RangeError("thrown by the module");',
      },
    };
    const TOOLS = {
      load: async (x) => {
        await new Promise((resolve) => setImmediate(resolve));
        return x;
      },
    };

    test.each([
      ['that did not await it', 'import("imports"); 1'],
      ['that ends by final_answer', 'import("imports"); final_answer(1)'],
      ['that ends by another promise', 'await Promise.race([import("imports"), Promise.resolve()])'],
      ['that throws', 'import("imports"); throw new Error("else")'],
      ['that has linked a module that imports it', 'import("waits"); await import("top").catch(() => {})'],
    ])('after a run %s', async (_name, code) => {
      await withExecutor(OPTIONS, TOOLS, async (executor) => {
        await executor.run(code).catch(() => {});
        const { output } = await executor.run(
          'const [a, b, c] = [await import("waits"), await import("imports"), await import("late")]; return [a.x, b.x, b.y, c.z];',
        );
        expect(output).toStrictEqual([1, 1, 2, 3]);
      });
    });

    test.skipIf(can.outlives)('after the memory limit', async () => {
      await withExecutor({ ...OPTIONS, memoryLimitMb: 32 }, TOOLS, async (executor) => {
        await executor.run('let times = 0');
        await expectCode(executor.run('await import("fills")'), 'ERR_MEMORY_LIMIT_EXCEEDED');
        expect((await executor.run('return [(await import("fills")).x, times]')).output).toStrictEqual([1, 2]);
      });
    });

    test('after an abort signal, whose error reaches no other run', async () => {
      await withExecutor(OPTIONS, TOOLS, async (executor) => {
        await expectCode(executor.run('await import("spins")'), 'ERR_MAX_OPS_EXCEEDED');
        await expectCode(executor.run('await import("spins")'), 'ERR_MAX_OPS_EXCEEDED');
        expect((await executor.run('let times = 0; await import("answers");')).output).toBe('answered');
        expect((await executor.run('return [(await import("answers")).x, times]')).output).toStrictEqual([1, 2]);
      });
    });

    test('except a module that failed with its own error', async () => {
      await withExecutor(OPTIONS, TOOLS, async (executor) => {
        const caught = 'try { await import("throws"); } catch (e) { final_answer([e.message, times]); }';
        expect((await executor.run(`let times = 0; ${caught}`)).output).toStrictEqual(['thrown by the module', 1]);
        expect((await executor.run(caught)).output).toStrictEqual(['thrown by the module', 1]);
      });
    });
  });

  describe('errors inside modules', () => {
    const OPTIONS = {
      authorizedImports: ['throws', 'later', 'syntax', 'rejects', 'missing-export', 'reserved'],
      modules: {
        throws: 'export const x = 1;\n\n  null.property;',
        later: 'export const f = () => {\n  throw new RangeError("from f");\n};',
        syntax: 'export const = 1;',
        rejects: 'await Promise.reject(new TypeError("rejected"));',
        'missing-export': 'import { nothing } from "later"; export { nothing };',
        reserved: 'export const x = __smol_budget;',
      },
    };

    test('while loading have name, message and the place in the module', async () => {
      await withExecutor(OPTIONS, {}, async (executor) => {
        const error = await expectCode(executor.run('1;\nawait import("throws");'), 'ERR_RUNTIME_EXCEPTION');
        expect(error.details.name).toBe('TypeError');
        expect(error.details.stack).toMatch(/throws:3:\d+/);
        expect(error.details.stack).not.toMatch(/node:|file:|\.mjs|__smol_|ext:/);
        expect(executor.state).toBe('READY');
        // As the language has it: a module that failed fails again.
        await expectCode(executor.run('await import("throws")'), 'ERR_RUNTIME_EXCEPTION');
      });
    });

    test('in an exported function have the place of the call, and that of the throw in the stack', async () => {
      await withExecutor(OPTIONS, {}, async (executor) => {
        const error = await expectCode(
          executor.run('const { f } = await import("later");\n\nf();'),
          'ERR_RUNTIME_EXCEPTION',
        );
        expect(error.details).toMatchObject({ name: 'RangeError', message: 'from f', line: 3, column: 1 });
        expect(error.details.stack).toMatch(/later:2:9/);
      });
    });

    test('may be a rejection while loading', async () => {
      await withExecutor(OPTIONS, {}, async (executor) => {
        const error = await expectCode(executor.run('await import("rejects")'), 'ERR_RUNTIME_EXCEPTION');
        expect(error.details).toMatchObject({ name: 'TypeError', message: 'rejected' });
      });
    });

    test.each(['syntax', 'missing-export', 'reserved'])(
      'can be caught by guests if the module is invalid: %s',
      async (name) => {
        await withExecutor(OPTIONS, {}, async (executor) => {
          expect((await executor.run(`await import("${name}").then(() => "loaded", (e) => e.name)`)).output).toBe(
            'SyntaxError',
          );
          const error = await expectCode(executor.run(`await import("${name}")`), 'ERR_RUNTIME_EXCEPTION');
          expect(error.details.name).toBe('SyntaxError');
          expect(executor.state).toBe('READY');
        });
      },
    );

    test('are tool failures if a tool fails while the module loads', async () => {
      const boom = new Error('boom');
      const tools = {
        boom: async () => {
          throw boom;
        },
      };
      await withExecutor({ authorizedImports: ['m'], modules: { m: 'await boom();' } }, tools, async (executor) => {
        const error = await expectCode(executor.run('await import("m")'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.cause).toBe(boom);
      });
    });
  });

  describe('modules of values and functions', () => {
    test('have hardened clones as values, tools as functions and namespaces as objects of functions', async () => {
      const config = { list: [1], when: new Date(0), map: new Map([['k', 1n]]) };
      const host = {
        version: 3,
        config,
        find: async (id) => ({ id }),
        now: (x) => x + 1,
        Deep: { Deeper: { say: (x) => `said ${x}` } },
        'odd name': 'odd',
        default: 'the default',
        nothing: undefined,
      };
      await withExecutor({ authorizedImports: ['host'], modules: { host } }, {}, async (executor) => {
        const { output } = await executor.run(`
        const m = await import('host');
        let refused = false;
        try { m.config.list.push(2); } catch (e) { refused = e instanceof TypeError; }
        const p = m.find(7);
        return [m.version, m.config.when.getTime(), m.config.map.get('k'), refused, p instanceof Promise, await p, m.now(1),
          m.Deep.Deeper.say('x'), m['odd name'], m.default, 'nothing' in m, m.find.name, m.now.length, Object.isFrozen(m.now), Object.isFrozen(m.Deep), Object.keys(m).sort()];`);
        expect(output).toStrictEqual([
          3,
          0,
          1n,
          true,
          true,
          { id: 7 },
          2,
          'said x',
          'odd',
          'the default',
          true,
          'find',
          1,
          true,
          true,
          Object.keys(host).sort(),
        ]);
        config.list.push('later');
        expect((await executor.run('(await import("host")).config.list')).output).toStrictEqual([1]);
      });
    });

    test('have functions whose failure is a tool failure that names them', async () => {
      const boom = new Error('boom');
      const modules = {
        host: {
          fail: () => {
            throw boom;
          },
          Deep: {
            fail: async () => {
              throw boom;
            },
          },
        },
      };
      await withExecutor({ authorizedImports: ['host'], modules }, {}, async (executor) => {
        const error = await expectCode(executor.run('(await import("host")).fail()'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.cause).toBe(boom);
        expect(error.details.tool).toContain('fail');
        const deep = await expectCode(executor.run('await (await import("host")).Deep.fail()'), 'ERR_TOOL_PROXY_FAIL');
        expect(deep.details.tool).toContain('Deep.fail');
      });
    });

    test('call their functions with `this` of the module', async () => {
      const modules = {
        host: {
          one() {
            return this.two() + 1;
          },
          two: () => 2,
        },
      };
      await withExecutor({ authorizedImports: ['host'], modules }, {}, async (executor) => {
        expect((await executor.run('const { one } = await import("host"); return one();')).output).toBe(3);
      });
    });

    test('can be imported by source modules', async () => {
      const modules = {
        host: { double: (n) => n * 2, base: 5 },
        lib: 'import { double, base } from "host"; import * as all from "host"; export const ten = double(base); export const same = all.base;',
      };
      await withExecutor({ authorizedImports: ['host', 'lib'], modules }, {}, async (executor) => {
        expect(
          (await executor.run('const { ten, same } = await import("lib"); return [ten, same];')).output,
        ).toStrictEqual([10, 5]);
      });
    });

    test('keep own keys named __proto__ as data', async () => {
      const exported = Object.defineProperty({ a: 1 }, '__proto__', { value: { polluted: true }, enumerable: true });
      await withExecutor({ authorizedImports: ['m'], modules: { m: exported } }, {}, async (executor) => {
        const { output } = await executor.run(
          'const m = await import("m"); return [m.a, Object.keys(m), m.polluted, m["__proto__"]];',
        );
        expect(output).toStrictEqual([1, ['__proto__', 'a'], undefined, { polluted: true }]);
      });
    });

    test('are thenables if they export a function called then, and their import fails', async () => {
      const calls = [];
      const modules = { m: { then: (...args) => void calls.push(args.length), value: 1 } };
      await withExecutor({ authorizedImports: ['m'], modules }, {}, async (executor) => {
        const error = await expectCode(executor.run('(await import("m")).value'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.details).toMatchObject({ name: 'TypeError', tool: 'then' });
        expect(error.message).toContain('then: argument [0] cannot cross to the host');
        expect(calls).toStrictEqual([]);
        expect((await executor.run('1')).output).toBe(1);
      });
    });

    test.each([
      [{ m: 5 }, '.m must be the text of a module or an object of exports, got 5'],
      [{ m: null }, '.m must be the text of a module or an object of exports, got null'],
      [{ m: () => 1 }, '.m must be the text of a module or an object of exports, got a function'],
      [{ m: { x: Symbol('s') } }, '.m.x (symbol) cannot be cloned'],
      [{ m: { x: { deep: [Promise.resolve()] } } }, '.m.x.deep[0] (Promise) cannot be cloned'],
      ['text', ' must be an object of module texts or exports, got "text"'],
      [{ '': 'export {}' }, ' must not have an empty name'],
    ])('cause a TypeError of the constructor if they are invalid: %o', (modules, reason) => {
      expect(() => make({ authorizedImports: ['m'], modules })).toThrow(new TypeError(`options.modules${reason}`));
    });
  });

  describe('a module that is authorized but not provided', () => {
    test('is empty, and a warn line reports that once', async () => {
      await withExecutor({ authorizedImports: ['x-ok'] }, {}, async (executor) => {
        const { output, logEntries } = await executor.run(
          'const m = await import("x-ok"); return [Object.keys(m), Object.prototype.toString.call(m)];',
        );
        expect(output).toStrictEqual([[], '[object Module]']);
        expect(logEntries).toHaveLength(1);
        expect(logEntries[0].level).toBe('warn');
        expect(logEntries[0].message).toContain("'x-ok'");
      });
    });

    test('is empty even if it has the name of a module of the host', async () => {
      await withExecutor(
        { authorizedImports: ['node:fs', 'fs', 'ses-executor', '../index.mjs', 'ext:core/ops'] },
        {},
        async (executor) => {
          for (const name of ['node:fs', 'fs', 'ses-executor', '../index.mjs', 'ext:core/ops']) {
            expect((await executor.run(`Object.keys(await import("${name}"))`)).output).toStrictEqual([]);
          }
        },
      );
    });

    test('causes a SyntaxError in a static import of a name', async () => {
      await withExecutor(
        { authorizedImports: ['empty', 'm'], modules: { m: 'import { x } from "empty"; export { x };' } },
        {},
        async (executor) => {
          const error = await expectCode(executor.run('await import("m")'), 'ERR_RUNTIME_EXCEPTION');
          expect(error.details.name).toBe('SyntaxError');
        },
      );
    });
  });

  describe('unusual specifiers', () => {
    test('in the list are compared exactly', async () => {
      const names = ['a b', '日本', 'a/../b', 'A', '__proto__', 'constructor', 'toString', '\u0000'];
      const modules = Object.fromEntries(names.map((name) => [name, `export const name = ${JSON.stringify(name)};`]));
      Object.defineProperty(modules, '__proto__', { value: 'export const name = "__proto__";', enumerable: true });
      await withExecutor({ authorizedImports: names, modules }, {}, async (executor) => {
        for (const name of names) {
          expect((await executor.run(`(await import(${JSON.stringify(name)})).name`)).output).toBe(name);
        }
        await expectCode(executor.run('await import("a/../B")'), DENIED);
      });
    });

    test('may be a megabyte long', async () => {
      await withExecutor({ authorizedImports: ['m'] }, {}, async (executor) => {
        const error = await expectCode(executor.run('await import("x".repeat(1e6))'), DENIED);
        expect(error.state).toBe(undefined);
        expect(executor.state).toBe('READY');
      });
    });

    test('may be a hundred at the same time', async () => {
      const names = Array.from({ length: 100 }, (_, i) => `m${i}`);
      const modules = Object.fromEntries(
        names.map((name, i) => [
          name,
          i === 0 ? 'export const n = 0;' : `import { n as before } from "m${i - 1}"; export const n = before + 1;`,
        ]),
      );
      await withExecutor({ authorizedImports: names, modules }, {}, async (executor) => {
        expect((await executor.run('(await import("m99")).n')).output).toBe(99);
      });
    });
  });
}

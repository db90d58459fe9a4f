// Rule 9 of the agent's prompt (appendix D): what a run declares is there for later runs, as live bindings.

import { describe, expect, test } from 'vitest';

import { describeIf, expectCode, rejection, testIf } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describePersistence({ withExecutor, can }) {
  /// Runs `codes` in one executor, returns their outputs; what fails is its code.
  const steps = async (codes, { options = {}, tools = {}, variables } = {}) => {
    const outputs = [];
    await withExecutor(options, tools, async (executor) => {
      if (variables) await executor.sendVariables(variables);
      for (const code of codes) {
        outputs.push(
          await executor.run(code).then(
            ({ output }) => output,
            (error) => `${error.code}: ${error.details?.name ?? ''}`,
          ),
        );
        expect(executor.state).toBe('READY');
      }
    });
    return outputs;
  };

  const RUNTIME = (name) => `ERR_RUNTIME_EXCEPTION: ${name}`;

  describe('declarations persist', () => {
    test.each([
      ['let', 'let x = 1;', 'x', 1],
      ['let without a value', 'let x;', '[typeof x, x]', ['undefined', undefined]],
      ['const', 'const x = { n: 1 };', 'x.n', 1],
      ['var', 'var x = 1;', 'x', 1],
      ['several in one declaration', 'let x = 1, y = x + 1, z;', '[x, y, z]', [1, 2, undefined]],
      ['function', 'function f(n) { return n + 1; }', 'f(1)', 2],
      ['async function', 'async function f(n) { return n + 1; }', 'await f(1)', 2],
      ['generator', 'function* g() { yield 1; yield 2; }', '[...g()]', [1, 2]],
      [
        'class',
        'class A { static s = 1; m() { return 2; } #p = 3; get p() { return this.#p; } }',
        'const a = new A(); [A.s, a.m(), a.p, a instanceof A]',
        [1, 2, 3, true],
      ],
      [
        'class that extends one of an earlier run',
        'class A { m() { return 1; } }',
        'class B extends A { m() { return super.m() + 1; } } new B().m()',
        2,
      ],
      [
        'object pattern',
        'const { a, b: { c }, d = 4, ...rest } = { a: 1, b: { c: 3 }, e: 5, f: 6 };',
        '[a, c, d, rest]',
        [1, 3, 4, { e: 5, f: 6 }],
      ],
      ['array pattern', 'let [a, , b = 2, ...c] = [1, 0, undefined, 3, 4];', '[a, b, c]', [1, 2, [3, 4]]],
      [
        'var in a block',
        'if (true) { var deep = 1; for (var i = 0; i < 3; i++) { var inLoop = i; } }',
        '[deep, i, inLoop]',
        [1, 3, 2],
      ],
      [
        'var in try, catch, switch, labels and loops',
        'try { throw 1; } catch (e) { var a = e; } switch (1) { case 1: var b = 2; } l: { var c = 3; } for (var [d] of [[4]]); for (var k in { p: 1 });',
        '[a, b, c, d, k]',
        [1, 2, 3, 4, 'p'],
      ],
      ['names of many scripts', 'const größe = 1, 变量 = 2, $ = 3, _ = 4;', 'größe + 变量 + $ + _', 10],
      ['names with unicode escapes', 'let \\u0061bc = 1;', 'abc', 1],
      [
        'names of contextual keywords',
        'let async = 1, of = 2, get = 3, set = 4, from = 5;',
        'async + of + get + set + from',
        15,
      ],
      ['a value that the run computed with await', 'const x = await later(5);', 'x', 5],
    ])('%s', async (_name, first, second, expected) => {
      expect((await steps([first, second], { tools: { later: async (x) => x } })).at(-1)).toStrictEqual(expected);
    });

    test('names inside functions and blocks do not persist', async () => {
      expect(
        await steps([
          '{ let inner = 1; const other = 2; class C {} function f() {} } (() => { var hidden = 1; })();',
          '[typeof inner, typeof other, typeof C, typeof f, typeof hidden]',
        ]),
      ).toStrictEqual([undefined, Array(5).fill('undefined')]);
    });

    test('objects keep their identity', async () => {
      expect(
        (await steps(['const o = { list: [] }; const same = o;', 'o.list.push(1);', '[o === same, same.list]'])).at(-1),
      ).toStrictEqual([true, [1]]);
    });

    test('functions of an earlier run see each other in any order', async () => {
      expect(
        (await steps(['function first() { return second() + 1; }', 'function second() { return 1; }', 'first()'])).at(
          -1,
        ),
      ).toBe(2);
    });

    test('promises, generators and iterators continue in later runs', async () => {
      expect(
        (
          await steps([
            'const p = Promise.resolve(1); function* g() { yield 1; yield 2; yield 3; } const it = g(); it.next();',
            '[await p, it.next().value]',
            'it.next().value',
          ])
        ).slice(1),
      ).toStrictEqual([[1, 2], 3]);
    });

    test('many names persist', async () => {
      const code = Array.from({ length: 2000 }, (_, i) => `const n${i} = ${i};`).join('\n');
      expect((await steps([code, 'n0 + n1999'])).at(-1)).toBe(1999);
    });
  });

  describe('bindings are live', () => {
    test('closures of step 1 see updates of step 2, and vice versa', async () => {
      const outputs = await steps([
        'let n = 0; const read = () => n; const add = () => ++n;',
        'n = 10; read()',
        'add(); n',
        'n++; [read(), n]',
      ]);
      expect(outputs.slice(1)).toStrictEqual([10, 11, [12, 12]]);
    });

    test('every kind of assignment reaches the binding', async () => {
      expect(
        (
          await steps([
            'let a = 1, b = null, c = 2; let d; const get = () => [a, b, c, d];',
            'a += 5; b ??= "b"; [c, d] = [7, 8]; ({ a: a } = { a: a * 2 }); a--; for (d of [9]); get()',
          ])
        ).at(-1),
      ).toStrictEqual([11, 'b', 7, 9]);
    });

    test('a closure keeps its counter', async () => {
      expect(
        (await steps(['const next = (() => { let i = 0; return () => ++i; })(); next();', 'next()', 'next()'])).slice(
          1,
        ),
      ).toStrictEqual([2, 3]);
    });

    test('functions can be assigned, also from a later run', async () => {
      expect(
        (await steps(['function f() { return 1; } const call = () => f();', 'f = () => 2; [f(), call()]'])).at(-1),
      ).toStrictEqual([2, 2]);
    });

    test('globalThis shows the same binding', async () => {
      expect(
        (
          await steps([
            'let x = 1; const get = () => x;',
            'globalThis.x = 2; [x, get(), globalThis.x, "x" in globalThis]',
          ])
        ).at(-1),
      ).toStrictEqual([2, 2, 2, true]);
    });

    test.each([
      ['a function', 'const read = () => late;', 'let late = 1; read()'],
      ['a getter', 'const o = { get late() { return late; } };', 'const late = 1; o.late'],
      ['a method that coerces', 'const o = { valueOf: () => late };', 'let late = 1; +o'],
      ['a class', 'class A { p = late; }', 'var late = 1; new A().p'],
      ['typeof', 'const has = () => typeof late;', 'let late = 1; has()', 'number'],
      ['globalThis', 'const all = globalThis;', 'let late = 1; all.late'],
      ...(can.importModules
        ? [['a module', 'const load = () => import("reader");', 'let late = 1; const { read } = await load(); read()']]
        : []),
      [
        'a loop',
        'const read = () => late;',
        'let late = 0, seen = 0; for (; late < 3; late++) seen += read(); seen',
        3,
      ],
    ])(
      'code of an earlier run sees a binding while its run is active: %s',
      async (_name, first, second, expected = 1) => {
        const modules = { authorizedImports: ['reader'], modules: { reader: 'export const read = () => late;' } };
        const options = can.importModules ? modules : {};
        expect((await steps([first, second], { options })).at(-1)).toBe(expected);
      },
    );

    test('a program of an earlier run that continues sees it too', async () => {
      const waiting = `
      let go; const seen = [];
      const gate = new Promise((resolve) => { go = resolve; });
      (async () => { await null; final_answer('answered'); })();
      await gate;
      seen.push(late);`;
      expect(await steps([waiting, 'let late = 1; go();', 'seen'])).toStrictEqual(['answered', undefined, [1]]);
    });

    test('a binding is also on globalThis within its own run', async () => {
      expect(await steps(['let x = 1; globalThis.x'])).toStrictEqual([1]);
    });
  });

  describe('const stays const', () => {
    test.each(['x = 2', 'x++', '[x] = [2]', 'globalThis.x = 2', '({ x } = { x: 2 })', 'x ??= 1, x += 1'])(
      '%s in a later run is a TypeError',
      async (code) => {
        expect(await steps(['const x = 1;', code, 'x'])).toStrictEqual([1, RUNTIME('TypeError'), 1]);
      },
    );

    test.each([
      'a = 5',
      '[a, b] = [b, a]',
      '({ a } = { a: 3 })',
      'for (a of [1]);',
      'a++',
      '--a',
      'a ??= 1, a += 1',
      'd = 2',
      'const write = () => { a = 3 }; write()',
    ])('%s has the message of the language', async (code) => {
      await withExecutor({}, {}, async (executor) => {
        await executor.run('const a = 1, b = 2;');
        await executor.run('const d = 1; const get = () => d;');
        const { details } = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
        expect(details).toMatchObject({ name: 'TypeError', message: 'Assignment to constant variable.' });
        const caught = `try { ${code} } catch (error) { final_answer(error.message) }`;
        expect((await executor.run(caught)).output).toBe('Assignment to constant variable.');
        expect((await executor.run('[a, b, d, get()]')).output).toStrictEqual([1, 2, 1, 1]);
      });
    });

    test('a function that wrote to a constant writes to the variable that is declared later', async () => {
      expect(
        await steps([
          'const a = 1;',
          'const write = () => { a = 2; }; write()',
          'let a = 5; write(); a',
          'const a = 6;',
          'write()',
          'a',
        ]),
      ).toStrictEqual([1, RUNTIME('TypeError'), 2, 6, RUNTIME('TypeError'), 6]);
    });

    test.each(['x = 2', '(x) = 2', '[(x)] = [2]', 'x++', '((x))--', '({ x } = { x: 2 })', 'for (x of [2]);'])(
      '%s in the same run is a TypeError too',
      async (code) => {
        expect(await steps([`const x = 1; ${code};`, 'x'])).toStrictEqual([RUNTIME('TypeError'), 1]);
      },
    );
  });

  describe('redeclaration in a later run replaces the binding', () => {
    test.each([
      ['let', 'let'],
      ['let', 'const'],
      ['const', 'let'],
      ['const', 'const'],
      ['const', 'var'],
      ['var', 'let'],
      ['let', 'var'],
      ['var', 'var'],
      ['var', 'const'],
    ])('%s then %s', async (first, second) => {
      expect(
        (await steps([`${first} x = 1; const old = () => x;`, `${second} x = 2; x`, '[x, old()]'])).slice(1),
      ).toStrictEqual([2, [2, 2]]);
    });

    test.each([
      ['function', 'function f() { return 1; }', 'function f() { return 2; }'],
      ['async function', 'async function f() { return 1; }', 'async function f() { return 2; }'],
      ['const', 'const f = () => 1;', 'const f = () => 2;'],
      ['let', 'let f = () => 1;', 'let f = () => 2;'],
      ['var', 'var f = () => 1;', 'var f = () => 2;'],
      ['pattern', 'const { f } = { f: () => 1 };', 'const [f] = [() => 2];'],
      ['a helper of another kind', 'const f = () => 1;', 'function f() { return 2; }'],
      [
        'a helper that is used differently',
        'function f() { return 1; }',
        'function f() { return 2; } const own = () => f();',
      ],
      ['a helper of a program that waits', 'function f() { return 1; }', 'await later(0); const f = () => 2;'],
    ])('code that called the old helper calls the new one: %s', async (_name, first, second) => {
      const tools = { later: async (x) => x };
      const outputs = await steps(
        [
          `${first} function g() { return f(); } const h = () => g();`,
          'await g()',
          `${second} [await g(), await h(), await f()]`,
          '[await g(), await h(), await f()]',
          'f = () => 3;',
          'function f() { return 4; } g()',
        ],
        { tools },
      );
      expect(outputs.slice(1, 4)).toStrictEqual([1, [2, 2, 2], [2, 2, 2]]);
      expect(outputs[5]).toBe(4);
    });

    test('an old helper creates instances of the new class', async () => {
      const outputs = await steps([
        'class A { v() { return 1; } } const make = () => new A();',
        'make().v()',
        'class A { v() { return 2; } } [make().v(), make() instanceof A]',
        '[make().v(), make() instanceof A]',
      ]);
      expect(outputs.slice(1)).toStrictEqual([1, [2, true], [2, true]]);
    });

    test('helpers of many runs all see it', async () => {
      const codes = Array.from({ length: 20 }, (_, i) => `function f() { return ${i}; } const g${i} = () => f();`);
      expect((await steps([...codes, '[g0(), g7(), g19(), f()]'])).at(-1)).toStrictEqual([19, 19, 19, 19]);
      expect((await steps([...codes, 'f = () => "set"; [g0(), g7(), g19(), f()]'])).at(-1)).toStrictEqual(
        Array(4).fill('set'),
      );
    });

    test('declarations at the beginning of a program reach earlier functions before its other statements run', async () => {
      const outputs = await steps([
        'const size = 8; const by = (n) => n * size; let own = by(1); own',
        'const size = 3; const by2 = () => size; let own = by(1); [own, by2()]',
        'const by = (n) => n + size; let own = [by(1), by2()]; own',
        'by(1)',
      ]);
      expect(outputs).toStrictEqual([8, [3, 3], [4, 3], 4]);
    });

    test('a function sees what its own program declares, also after it', async () => {
      const code = `const size = 2; const early = () => late() * size; let own = 1; let seen = '';
        try { early(); } catch (error) { seen = error.name; }
        own++; const late = () => 21; [seen, early(), own]`;
      // There is one variable of a name: until it is declared again it is what it was.
      expect(await steps([code, code])).toStrictEqual([
        ['ReferenceError', 42, 2],
        ['', 42, 2],
      ]);
    });

    test('values that are assigned later reach earlier functions', async () => {
      const outputs = await steps([
        'let n = 1; const read = () => n;',
        'let n = 2; n = 3;',
        'read()',
        'n = 4; read()',
        'let n = 5; const add = () => ++n; add();',
        'read()',
      ]);
      expect([outputs[2], outputs[3], outputs[5]]).toStrictEqual([3, 4, 6]);
    });

    test('values that a function writes in a later run reach all runs', async () => {
      const outputs = await steps([
        'let n = 1; const readOld = () => n; const addOld = () => { n += 10; };',
        'let n = 5; const read = () => n; const add = () => { n++; };',
        'add(); add();',
        '[n, read(), readOld()]',
        'addOld();',
        '[n, read(), readOld()]',
        'n = NaN; 0',
        '[n, read(), readOld()]',
        'var n = 3; 0',
        'addOld();',
        '[n, read(), readOld()]',
      ]);
      expect([3, 5, 7, 10].map((step) => outputs[step])).toStrictEqual([
        [7, 7, 7],
        [17, 17, 17],
        [NaN, NaN, NaN],
        [13, 13, 13],
      ]);
    });

    // Programs had their own variables by the name, and what one wrote reached the others with the next statement.
    const ADD = 'let n = 1; const add = () => { n += 10; return n; };';
    test.each([
      ['let', ADD, 'let n = 5; add(); n', 15],
      ['var', 'var n = 1; const add = () => ++n;', 'var n = 5; add(); add(); n', 7],
      ['an array', 'let n = [0]; const reset = () => { n = []; };', 'let n = [9]; reset(); n', []],
      ['by a built-in', 'let n = 1; function add(x) { n += x; }', 'let n = 0; [1, 2, 3].forEach(add); n', 6],
      ['by both in turn', ADD, 'let n = 5; add(); n += 1; add(); n', 26],
      ['next to a new reader', ADD, 'let n = 5; const own = () => n; add(); own()', 15],
      ['by a new writer', 'let n = 1;', 'let n = 5; const own = () => { n++; }; own(); read()', 6],
      ['in a pattern', ADD, 'let { n } = { n: 5 }; add(); n', 15],
      ['next to a new name in a pattern', ADD, 'const [more, { n = more }] = [5, {}]; add(); n', 15],
      ['while it waits', ADD, 'let n = 5; await null; add(); await null; n', 15],
      ['by the new one, which takes precedence', ADD, 'let n = 5; add(); n = 6; n', 6],
      ['a constant', ADD, 'const n = 5; add(); n', 15],
      ['in one expression', ADD, 'let n = 5; [add(), n].join() === "15,15" ? n : 0', 15],
      ['in a loop', ADD, 'let n = 5; let turns = 0; while (n < 50) { add(); turns++; } n', 55],
      ['in the loop that declares it', ADD, 'for (var n = 0, end = 30; n < end; ) add(); n', 30],
      ['in a function of the new program', ADD, 'let n = 5; function twice() { add(); add(); return n; } twice()', 25],
      [
        'called by a new function of its name',
        `${ADD} const call = () => add();`,
        'function add() { n = 7; } call(); n',
        7,
      ],
    ])(
      'a value that a function writes in the redeclaring run is visible immediately: %s',
      async (_name, first, second, expected) => {
        const outputs = await steps([`${first} const read = () => n;`, second, '[n, read()]']);
        expect(outputs.slice(1)).toStrictEqual([expected, [expected, expected]]);
      },
    );

    test('values that functions write are visible immediately in later runs too', async () => {
      const outputs = await steps([
        'let n = 1; const addOld = () => { n += 10; }; const readOld = () => n;',
        'let n = 5; const read = () => n; const add = () => { n++; };',
        'const seen = []; for (const write of [add, addOld, add]) { write(); seen.push([n, read(), readOld()]); } seen',
        'while (n < 30) add(); n',
        '(addOld(), n) + (n = 1, read())',
      ]);
      expect(outputs.slice(2)).toStrictEqual([[6, 16, 17].map((n) => [n, n, n]), 30, 41]);
    });

    test('a name that a program did not reach, or that was deleted, is declared as a new one', async () => {
      const outputs = await steps([
        'const read = () => n; null.x; let n = 1;',
        'typeof n',
        'let seen = []; const late = () => n; try { late(); } catch (error) { seen.push(error.name); } let n = 2; [...seen, late(), n]',
        'n++, [late(), n]',
        'delete globalThis.n',
        'try { n } catch (error) { error.message }',
        'try { n = 4 } catch (error) { error.message }',
        'var n; n',
        'n = 8; const other = () => n; other()',
      ]);
      expect(outputs).toStrictEqual([
        RUNTIME('TypeError'),
        'undefined',
        ['ReferenceError', 2, 2],
        [3, 3],
        true,
        'n is not defined',
        'n is not defined',
        undefined,
        8,
      ]);
    });

    test('functions see the redeclared value even if the host had replaced the variable', async () => {
      await withExecutor({}, {}, async (executor) => {
        const run = async (code) => (await executor.run(code)).output;
        await run('let n = 1; const read = () => n;');
        await executor.sendVariables({ n: 2 });
        expect(await run('[n, typeof n, read()]')).toStrictEqual([2, 'number', 1]);
        expect(await run('let n = 3; [n, read()]')).toStrictEqual([3, 3]);
        expect(await run('n = 4; [n, read()]')).toStrictEqual([4, 4]);
      });
    });

    test('a function of an earlier run has no receiver, and new functions are named after their variables', async () => {
      const outputs = await steps([
        'function who() { return this; } let made = 0; const use = () => [made, tag];  let tag = 0;',
        '[who(), who?.(), (who)(), who``]',
        'made = () => 1; let tag = class {}; [made.name, tag.name, new tag().constructor === tag]',
        'made ||= 2; ({ a: made = function () {} } = {}); [made.name, use()[0] === made]',
      ]);
      expect(outputs.slice(1)).toStrictEqual([Array(4).fill(undefined), ['made', 'tag', true], ['made', true]]);
    });

    test('messages spell variables of earlier runs as they are written', async () => {
      const message = (code) => `try { ${code} } catch (error) { error.message }`;
      const outputs = await steps([
        'let n = 1; let list = {}; const use = () => [n, list]; function f() {}',
        message('n()'),
        message('f().x.y'),
        message('new n()'),
        message('list.items.map((x) => x)'),
        message('list.map((x) => x)'),
        message('for (const x of list);'),
        message('f(...n)'),
        message('n?.()'),
        message('f(n)(list)'),
        message('class A extends n {}'),
        message('const [a] = n'),
        message('"x" in n'),
      ]);
      expect(outputs.slice(1)).toStrictEqual([
        'n is not a function',
        "Cannot read properties of undefined (reading 'x')",
        'n is not a constructor',
        "Cannot read properties of undefined (reading 'map')",
        'list.map is not a function',
        'list is not iterable',
        'Spread syntax requires ...iterable[Symbol.iterator] to be a function',
        'n is not a function',
        'f(...) is not a function',
        'Class extends value 1 is not a constructor or null',
        'n is not iterable',
        "Cannot use 'in' operator to search for 'x' in 1",
      ]);
    });

    test('a constant that its own program writes to stays a constant', async () => {
      expect(await steps(['const x = 1; const write = () => { x = 2; };', 'write()', 'x'])).toStrictEqual([
        '[Function: write]',
        RUNTIME('TypeError'),
        1,
      ]);
    });

    test.each(['K += 1', 'K++', '(K) = 1', '[K] = [1]', '({ K } = {})', 'for (K of [1]);', '(() => { K = 1; })()'])(
      'a constant that functions of an earlier run use refuses %s',
      async (write) => {
        await withExecutor({}, {}, async (executor) => {
          await executor.run('const K = 1; const show = () => K;');
          const { details } = await expectCode(executor.run(`const K = 2; ${write}`), 'ERR_RUNTIME_EXCEPTION');
          expect(details).toMatchObject({ name: 'TypeError', message: 'Assignment to constant variable.' });
          expect((await executor.run('[K, show()]')).output).toStrictEqual([2, 2]);
        });
      },
    );

    test('a constant next to a name of an earlier run in a pattern refuses assignments too', async () => {
      expect(
        await steps([
          'let a = 0; const f = () => a;',
          'const { a, b } = { a: 1, b: 2 }; b = 5;',
          '[a, b, f()]',
          'b = 5',
        ]),
      ).toStrictEqual(['[Function: f]', RUNTIME('TypeError'), [1, 2, 1], RUNTIME('TypeError')]);
    });

    test.each([
      ['let', 'const', 'null.x;', 'set'],
      ['let', 'const', '', RUNTIME('TypeError')],
      ['let', 'const', 'const { y = null.x } = {};', 'set'],
      ['const', 'let', 'null.x;', RUNTIME('TypeError')],
      ['const', 'let', '', 'set'],
      ['const', 'var', 'null.x;', RUNTIME('TypeError')],
      ['const', 'var', '', 'set'],
    ])('%s is %s once its declaration is reached, after %j', async (first, second, before, expected) => {
      const outputs = await steps([
        `${first} v = 1; const get = () => v;`,
        `${before} ${second} v = 2;`,
        'v = "set"',
        '[v, get()]',
      ]);
      const kept = before === '' ? 2 : 1;
      expect(outputs.slice(2)).toStrictEqual([expected, Array(2).fill(expected === 'set' ? 'set' : kept)]);
    });

    test('a constant whose declaration fails leaves the earlier variable writable', async () => {
      const tools = { search: async () => Promise.reject(new Error('rate limit')) };
      const outputs = await steps(
        [
          'let items = []; function add(x) { items.push(x); }',
          'const items = await search();',
          'items = [1]',
          'add(2); items',
        ],
        { tools },
      );
      expect(outputs).toStrictEqual([[], 'ERR_TOOL_PROXY_FAIL: Error', [1], [1, 2]]);
    });

    test('a declaration that is not reached changes nothing for earlier functions', async () => {
      expect(
        await steps(['const f = () => 1; const g = () => f();', 'null.x; const f = () => 2;', '[f(), g()]']),
      ).toStrictEqual(['[Function: g]', RUNTIME('TypeError'), [1, 1]]);
    });

    test.each([
      ['let x = 1;', 'function x() { return 2; }', 'x()', 2],
      ['function x() { return 1; }', 'class x { static v = 2; }', 'x.v', 2],
      ['class x {}', 'let x = 2;', 'x', 2],
      ['const { x } = { x: 1 };', 'const [x] = [2];', 'x', 2],
    ])('%s then %s', async (first, second, read, expected) => {
      expect((await steps([first, second, read])).at(-1)).toBe(expected);
    });

    test('redeclarations can repeat many times', async () => {
      const codes = Array.from({ length: 50 }, (_, i) => `const x = ${i}; const f${i} = () => x;`);
      expect((await steps([...codes, '[x, f0(), f25(), f49()]'])).at(-1)).toStrictEqual([49, 49, 49, 49]);
    });

    test('a new initialiser cannot read the old value: the name is in its dead zone', async () => {
      expect(await steps(['let x = 1; const use = () => x;', 'let x = x + 1;', '[x, use()]'])).toStrictEqual([
        '[Function: use]',
        RUNTIME('ReferenceError'),
        [1, 1],
      ]);
      expect(await steps(['let x = 1;', 'let x = x + 1;', 'x'])).toStrictEqual([1, RUNTIME('ReferenceError'), 1]);
    });

    test.each(['var x; x', 'var x; (() => x)()', 'if (false) { var x = 2; } x', 'var x; await 0; x'])(
      'var without a value keeps the value of the earlier run: %s',
      async (code) => {
        expect(await steps(['var x = 1;', code, 'x'])).toStrictEqual([1, 1, 1]);
      },
    );
  });

  describe('a failed run', () => {
    test('leaves earlier names intact', async () => {
      expect(await steps(['let x = 1; const f = () => x;', 'throw new Error("no")', '[x, f()]'])).toStrictEqual([
        expect.anything(),
        RUNTIME('Error'),
        [1, 1],
      ]);
    });

    test('leaves names undeclared that follow the failure', async () => {
      expect(await steps(['let x = "old";', 'null.x; let x = "new";', 'x'])).toStrictEqual([
        'old',
        RUNTIME('TypeError'),
        'old',
      ]);
      expect(await steps(['const x = "old";', 'null.x; const x = "new";', 'x'])).toStrictEqual([
        'old',
        RUNTIME('TypeError'),
        'old',
      ]);
      expect(
        await steps(['class X { static v = "old"; }', 'null.x; class X { static v = "new"; }', 'X.v']),
      ).toStrictEqual([undefined, RUNTIME('TypeError'), 'old']);
      expect(await steps(['var x = "old";', 'null.x; var x = "new";', 'x'])).toStrictEqual([
        'old',
        RUNTIME('TypeError'),
        'old',
      ]);
    });

    test('keeps what it had initialised', async () => {
      expect(
        await steps([
          'let a = 1; const b = 2; function f() { return a + b; } var v = 3; null.x; let c = 4; var w = 5;',
          '[a, b, f(), v, typeof c]',
        ]),
      ).toStrictEqual([RUNTIME('TypeError'), [1, 2, 3, 3, 'undefined']]);
    });

    test('that fails immediately keeps its first declarations', async () => {
      const first = 'const size = 8; let own = 1; const use = () => [size, before]; let before; null.x; own';
      const outputs = [RUNTIME('TypeError'), [[8, undefined], 1]];
      expect(await steps([first, '[use(), own]'])).toStrictEqual(outputs);
      expect(await steps([first, first, '[use(), own]'])).toStrictEqual([outputs[0], ...outputs]);
    });

    testIf(can.limitOperations)('that exceeds its limit keeps what it had initialised', async () => {
      const outputs = await steps(['let a = 1; let n = 0; for (;;) n++; let b = 2;', '[a, n, typeof b]'], {
        options: { maxOperations: 10 },
      });
      expect(outputs[0]).toMatch(/^ERR_MAX_OPS_EXCEEDED/);
      expect(outputs[1]).toStrictEqual([1, 10, 'undefined']);
    });

    test('that ends by final_answer keeps what it had initialised', async () => {
      expect(await steps(['let a = 1; final_answer("done"); let b = 2;', '[a, typeof b]'])).toStrictEqual([
        'done',
        [1, 'undefined'],
      ]);
    });

    const BOMB = 'const hoard = []; for (;;) hoard.push(new Array(1e4).fill(0.5));';
    testIf(can.survivesMemory)('that exceeds its memory loses its declarations', async () => {
      const outputs = await steps(['let a = 1;', `let a = 2; ${BOMB}`, '[a, typeof hoard]'], {
        options: { memoryLimitMb: 64, maxOperations: 1e9 },
      });
      expect(outputs.slice(1)).toStrictEqual(['ERR_MEMORY_LIMIT_EXCEEDED: ', [1, 'undefined']]);
    });

    testIf(can.survivesMemory)(
      'that exceeds its memory keeps variables that functions of earlier runs use',
      async () => {
        const options = { memoryLimitMb: 64, maxOperations: 1e9 };
        for (const [first, bomb, read, expected] of [
          ['let v = { n: 1 }; const get = () => v.n;', `${BOMB} let v = 2;`, '[v, get()]', [{ n: 1 }, 1]],
          ['let v = 1; const get = () => v;', `let v = 2; ${BOMB}`, '[v, get()]', [1, 1]],
          ['let v = 1; const get = () => v;', `v = 3; ${BOMB} var v = 2;`, '[v, get()]', [1, 1]],
          ['function f() { return 1; } const get = () => f();', `function f() {} ${BOMB}`, '[f(), get()]', [1, 1]],
          ['let v = 1; const get = () => v;', `const v = 2; ${BOMB}`, 'v = 3; get()', 3],
          ['const v = 1; const get = () => v;', `let v = 2; ${BOMB}`, 'v = 3', RUNTIME('TypeError')],
          // What holds the memory is let go.
          [
            'let v = []; const get = () => v;',
            BOMB.replaceAll('hoard', 'v'),
            '[v, new Array(4e6).fill(0.5).length]',
            [[], 4e6],
          ],
          [
            'let v = 1; const get = () => v; delete globalThis.v; var more = () => v;',
            BOMB.replaceAll('hoard', 'v'),
            '[typeof v, get(), new Array(4e6).fill(0.5).length]',
            ['undefined', 1, 4e6],
          ],
        ]) {
          const outputs = await steps([first, bomb, read], { options });
          expect([bomb, ...outputs.slice(1)]).toStrictEqual([bomb, 'ERR_MEMORY_LIMIT_EXCEEDED: ', expected]);
        }
      },
    );

    test('with names that are declared twice leaves everything unchanged', async () => {
      for (const code of ['let x = 2; let x = 3;', 'let x = 2; { var x = 3; }', 'const x = 2; function x() {}']) {
        expect(await steps(['let x = 1;', code, 'x'])).toStrictEqual([1, 'ERR_VALIDATION_FAILED: ', 1]);
      }
    });

    test('that validation refused leaves everything unchanged', async () => {
      expect(await steps(['let x = 1;', 'let x = 2; let = ;', 'x'])).toStrictEqual([1, 'ERR_VALIDATION_FAILED: ', 1]);
    });

    test('that failed in the middle of a pattern keeps the names before it', async () => {
      const outputs = await steps([
        'const { a, b = (() => { throw new RangeError("mid"); })(), c } = { a: 1, c: 3 };',
        '[typeof a, typeof b, typeof c]',
      ]);
      expect(outputs[0]).toBe(RUNTIME('RangeError'));
      expect(outputs[1].slice(1)).toStrictEqual(['undefined', 'undefined']);
    });

    test('leaves functions that throw for a name it did not reach, whatever later runs declare', async () => {
      expect(
        await steps(['function get() { return late; } null.x; let late = 1;', 'get()', 'let late = 2; get()']),
      ).toStrictEqual([RUNTIME('TypeError'), RUNTIME('ReferenceError'), RUNTIME('ReferenceError')]);
    });
  });

  describe('temporal dead zone', () => {
    test('a name throws before its declaration, typeof included', async () => {
      expect(
        await steps([
          'x; let x = 1;',
          'typeof y; const y = 1;',
          'new C(); class C {}',
          'z; var z = 1; "undefined is fine"',
          'g(); function g() { return 1; }',
        ]),
      ).toStrictEqual([
        RUNTIME('ReferenceError'),
        RUNTIME('ReferenceError'),
        RUNTIME('ReferenceError'),
        'undefined is fine',
        1,
      ]);
    });

    test('a redeclared name of an earlier run throws before its declaration', async () => {
      expect(await steps(['let x = 1;', 'const seen = x; let x = 2;', 'x'])).toStrictEqual([
        1,
        RUNTIME('ReferenceError'),
        1,
      ]);
    });

    test('an unknown name is a ReferenceError, but typeof of it is not', async () => {
      expect(await steps(['unknown', 'typeof unknown', 'unknown = 1', 'delete globalThis.unknown'])).toStrictEqual([
        RUNTIME('ReferenceError'),
        'undefined',
        RUNTIME('ReferenceError'),
        true,
      ]);
    });
  });

  describe('globalThis', () => {
    test('accepts new names, which persist', async () => {
      expect(await steps(['globalThis.x = 1; x', 'x + globalThis.x', 'delete globalThis.x; typeof x'])).toStrictEqual([
        1,
        2,
        'undefined',
      ]);
    });

    test.each([
      ['let', 'let results = globalThis.results || []; results.push(1); [results, globalThis.results]', [[1], [1]]],
      ['const', 'const cache = globalThis.cache ??= {}; cache', {}],
      ['a built-in', 'const structuredClone = globalThis.structuredClone ?? (() => "own"); structuredClone([1])', [1]],
      ['typeof', 'const kind = typeof globalThis.later; let later = 1; [kind, globalThis.later]', ['undefined', 1]],
      ['in', 'const has = "later" in globalThis; let later = 1; [has, "later" in globalThis]', [false, true]],
      ['a class', 'const is = "C" in globalThis; class C {} [is, globalThis.C === C]', [false, true]],
      ['Object.entries', 'const vars = Object.entries(globalThis).map(([name]) => name); vars.includes("vars")', false],
      ['for in', 'let seen = ""; for (const k in globalThis) seen += k; let later; seen.includes("later")', false],
      ['spread', 'const all = { ...globalThis }; let later = 1; [Object.hasOwn(all, "later"), later]', [false, 1]],
      ['a pattern', 'const { ...rest } = globalThis; const [a, b] = [1, 2]; [rest.a, globalThis.b]', [undefined, 2]],
      ['await', 'const a = await globalThis.b; let b = 2; [a, globalThis.a, globalThis.b]', [undefined, undefined, 2]],
    ])('lacks a name before its declaration is reached: %s', async (_name, code, expected) => {
      expect(await steps([code, `(() => 1)(); ${code}`])).toStrictEqual([expected, expect.anything()]);
    });

    test('keeps the earlier value until a declaration is reached', async () => {
      expect(
        await steps([
          'let x = 1; globalThis.y = 2; const all = globalThis; 0',
          'const x = [globalThis.x, 1], y = globalThis.y + 1; [x, y]',
          'let z = all.z ?? "none", x = all.x; [z, x, all.z]',
          'const old = globalThis.fresh; null.x; let fresh = 1;',
          'const fresh = globalThis.fresh ?? "again"; fresh',
          '[x, y, z, fresh, globalThis.fresh]',
        ]),
      ).toStrictEqual([
        0,
        [[1, 1], 3],
        ['none', [1, 1], 'none'],
        RUNTIME('TypeError'),
        'again',
        [[1, 1], 3, 'none', 'again', 'again'],
      ]);
    });

    test('may hold a name that still throws as a variable before its declaration', async () => {
      expect(await steps(['globalThis.x = 1; const seen = x; let x = 2;', 'x'])).toStrictEqual([
        RUNTIME('ReferenceError'),
        1,
      ]);
    });

    test('keeps the names of a failed pattern that precede the failure', async () => {
      const code = 'globalThis; const { a, b = (() => { throw new RangeError("mid"); })(), c } = { a: 1, c: 3 };';
      expect(await steps([code, '[a, typeof b, typeof c]'])).toStrictEqual([
        RUNTIME('RangeError'),
        [1, 'undefined', 'undefined'],
      ]);
    });

    test('may get names that are declared later', async () => {
      expect((await steps(['globalThis.x = 1;', 'const x = 2;', '[x, globalThis.x]'])).at(-1)).toStrictEqual([2, 2]);
    });

    test('may have a getter that cannot break later runs', async () => {
      expect(
        (
          await steps([
            'Object.defineProperty(globalThis, "trap", { get() { throw new Error("trap"); }, configurable: true })',
            'const trap = 1;',
            'trap',
          ])
        ).at(-1),
      ).toBe(1);
    });

    test('keeps a name that was fixed on it, and a warn line reports a later declaration', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.run('Object.defineProperty(globalThis, "fixed", { value: 1 });');
        const { output, logEntries } = await executor.run('const fixed = 2; fixed');
        expect(output).toBe(2);
        expect(logEntries.map((entry) => entry.level)).toStrictEqual(['warn']);
        expect((await executor.run('fixed')).output).toBe(1);
      });
    });

    // That of a page cannot be fixed.
    test.runIf(!can.browse)(
      'keeps declarations of a run private after it was frozen, and the log says so',
      async () => {
        await withExecutor({}, {}, async (executor) => {
          await executor.run('Object.freeze(globalThis); 0');
          const { output, logs } = await executor.run('let z = 1; z');
          expect(output).toBe(1);
          expect(logs).toBe(
            "Code of this session has fixed its global object: this run's own 'z' will not be seen by later runs.",
          );
          expect((await executor.run('typeof z')).output).toBe('undefined');
        });
      },
    );

    test('has a prototype and an extensibility that cannot harm later runs', async () => {
      const outputs = await steps(['try { Object.preventExtensions(globalThis); } catch {} 0', 'let x = 1;', 'x']);
      expect(outputs[1]).toBe(1);
      const frozen = await steps(['try { Object.freeze(globalThis); } catch {} 0', 'console.log("still"); 1 + 1']);
      expect(frozen[1]).toBe(2);
    });
  });

  describe('variables that were sent', () => {
    test('can be read, assigned and redeclared', async () => {
      expect(await steps(['v = 2; v', 'v', 'let v = 3; v', 'v'], { variables: { v: 1 } })).toStrictEqual([2, 2, 3, 3]);
    });

    test('are replaced by a later sendVariables, whatever runs did with the name', async () => {
      await withExecutor({}, {}, async (executor) => {
        await executor.sendVariables({ a: 1, b: 1, c: 1 });
        await executor.run('a = 2; const b = 2; function c() {} const readB = () => b;');
        await executor.sendVariables({ a: 3, b: 3, c: 3 });
        expect((await executor.run('[a, b, c]')).output).toStrictEqual([3, 3, 3]);
      });
    });

    test('of one executor are not visible in another', async () => {
      expect(await steps(['v'], { variables: { v: 1 } })).toStrictEqual([1]);
      expect(await steps(['typeof v'])).toStrictEqual(['undefined']);
    });

    test('with names that code cannot write are refused', async () => {
      await withExecutor({}, {}, async (executor) => {
        for (const [name, reason] of [
          ['a b', '["a b"] must have another name, for instance a_b: code cannot use the name "a b"'],
          ['', '[""] must have another name: code cannot use the name ""'],
          ['0', '["0"] must have another name, for instance _0: code cannot use the name "0"'],
          ['class', '.class must have another name, for instance class_: code cannot use the name "class"'],
          ['Array', '.Array must have another name, for instance Array_: `Array` is a global of the language'],
        ]) {
          expect(await rejection(executor.sendVariables({ [name]: 1 }))).toStrictEqual(
            new TypeError(`variables${reason}`),
          );
        }
      });
    });

    test('cannot have the name of a built-in', async () => {
      await withExecutor({}, {}, async (executor) => {
        for (const name of ['final_answer', 'console', 'globalThis', '__smol_budget']) {
          const { name: kind, message } = await rejection(executor.sendVariables({ [name]: 1 }));
          expect(kind).toBe('TypeError');
          const reason = `it is built in|\`${name}\` is (?:reserved|the page's own)`;
          expect(message).toMatch(new RegExp(`^variables\\.${name} must have another name: (?:${reason})$`));
        }
        expect((await executor.run('console.log("ok"); final_answer(1)')).logs).toBe('ok');
      });
    });

    test('replace a tool of the same name', async () => {
      await withExecutor({}, { both: () => 'tool' }, async (executor) => {
        await executor.sendVariables({ both: 'variable' });
        expect((await executor.run('both')).output).toBe('variable');
      });
    });
  });

  describe('values of the host cannot be taken away by', () => {
    const TAKE = (name) => [
      `${name} = 1`,
      `globalThis.${name} = 1`,
      `delete globalThis.${name}`,
      `Object.defineProperty(globalThis, '${name}', { value: 1, configurable: true })`,
      `Object.defineProperty(globalThis, '${name}', { get() { return 1; } })`,
    ];

    const GIVEN = can.harden ? ['final_answer', 'tool', 'console', 'harden'] : ['final_answer', 'tool'];
    const isHard = can.harden ? 'Object.isFrozen(harden({}))' : 'true';

    test.each(GIVEN.flatMap(TAKE))('%s', async (code) => {
      await withExecutor({}, { tool: () => 'tool' }, async (executor) => {
        const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
        expect(error.details.name).toBe('TypeError');
        const {
          output,
          logs,
          is_final_answer: isFinal,
        } = await executor.run(`console.log(tool(), ${isHard}); final_answer("answer")`);
        expect([output, logs, isFinal]).toStrictEqual(['answer', 'tool true', true]);
      });
    });

    const CHANGES = [
      'console.log = () => {}',
      'console.extra = 1',
      'delete console.log',
      'Object.setPrototypeOf(console, null)',
    ];
    test.each(['final_answer.call = 1', ...(can.harden ? CHANGES : [])])('%s', async (code) => {
      await withExecutor({}, {}, async (executor) => {
        await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
        expect((await executor.run('console.log("still there")')).logs).toBe('still there');
      });
    });

    test.each([
      GIVEN.map((name, index) => `const ${name} = ${index};`).join(' '),
      GIVEN.map((name) => `function ${name}() {}`).join(' '),
      GIVEN.map((name, index) => `var ${name} = ${index};`).join(' '),
      GIVEN.map((name) => `class ${name} {}`).join(' '),
    ])('declarations, which shadow for their own run only: %s', async (code) => {
      await withExecutor({}, { tool: () => 'tool' }, async (executor) => {
        const { logEntries } = await executor.run(code);
        for (const name of GIVEN) {
          expect(logEntries.some((entry) => entry.level === 'warn' && entry.message.includes(name))).toBe(true);
        }
        const {
          output,
          logs,
          is_final_answer: isFinal,
        } = await executor.run('console.log(tool()); final_answer("answer")');
        expect([output, logs, isFinal]).toStrictEqual(['answer', 'tool', true]);
      });
    });
  });

  describeIf(can.limitOperations)('guards count across runs', () => {
    test('a function of an earlier run counts towards the limit of the run that calls it', async () => {
      await withExecutor({ maxOperations: 100 }, {}, async (executor) => {
        await executor.run('function spin(n) { for (let i = 0; i < n; i++); return n; } spin(90);');
        expect((await executor.run('spin(100)')).output).toBe(100);
        await expectCode(executor.run('spin(60); spin(60)'), 'ERR_MAX_OPS_EXCEEDED');
        await expectCode(executor.run('for (let i = 0; i < 50; i++); spin(51)'), 'ERR_MAX_OPS_EXCEEDED');
        expect((await executor.run('for (let i = 0; i < 50; i++); spin(50)')).output).toBe(50);
      });
    });

    test('each run has its own limit of operations', async () => {
      await withExecutor({ maxOperations: 10 }, {}, async (executor) => {
        for (let i = 0; i < 5; i++) expect((await executor.run('let n = 0; while (n < 10) n++; n')).output).toBe(10);
        await expectCode(executor.run('let n = 0; while (n < 11) n++; n'), 'ERR_MAX_OPS_EXCEEDED');
        expect((await executor.run('let m = 0; while (m < 20) m++; m', { maxOperations: 20 })).output).toBe(20);
        await expectCode(executor.run('let k = 0; while (k < 11) k++; k'), 'ERR_MAX_OPS_EXCEEDED');
      });
    });

    test('a generator from an earlier run counts where it continues', async () => {
      await withExecutor({ maxOperations: 10 }, {}, async (executor) => {
        await executor.run(
          'function* g() { for (let i = 0; ; i++) yield i; } const it = g(); for (let i = 0; i < 3; i++) it.next();',
        );
        await expectCode(executor.run('for (let i = 0; i < 6; i++) it.next();'), 'ERR_MAX_OPS_EXCEEDED');
        expect((await executor.run('1')).output).toBe(1);
      });
    });
  });

  test.skipIf(can.outlives)('cleanup and init discard everything', async () => {
    await withExecutor({}, { tool: () => 1 }, async (executor) => {
      await executor.sendVariables({ v: 1 });
      await executor.run('let x = 1; globalThis.y = 2;');
      await executor.cleanup();
      await executor.init();
      expect((await executor.run('[typeof x, typeof y, typeof v, typeof tool]')).output).toStrictEqual(
        Array(4).fill('undefined'),
      );
    });
  });
}

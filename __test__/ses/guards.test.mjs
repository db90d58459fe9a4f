// Section 6.3 of the specification: loops are counted in every place, and neither an exceeded
// limit nor `final_answer` can be swallowed.
import { describe, expect, test } from 'vitest';

import { expectCode, withExecutor } from '../helpers.mjs';

const TEN = 10;

/// Each goes round exactly ten times.
const LOOPS = {
  for: 'for (let i = 0; i < 10; i++) { hit(); }',
  'for without a block': 'for (let i = 0; i < 10; i++) hit();',
  'for with an empty body': 'for (let i = 0; i < 10; i++);',
  'for with everything in its head': 'let i = 0; for (; i < 10; i++, hit());',
  'for with several variables': 'for (let i = 0, j = 10; i < j; i++) hit();',
  'for-in': 'for (const k in { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1 }) hit();',
  'for-in over an array': 'for (var k in Array.from({ length: 10 }, () => 1)) { hit(); }',
  'for-of': 'for (const x of "0123456789") hit();',
  'for-of with a pattern': 'for (const [a, b = 1] of Array.from({ length: 10 }, () => [1])) hit();',
  'for-of with an assignment target': 'let x; for (x of "0123456789") hit();',
  'for await over an array': 'for await (const x of Array.from("0123456789")) hit();',
  'for await over an async generator':
    'const next = (n) => ({ [Symbol.asyncIterator]() { return { next: async () => ({ done: n-- <= 0, value: n }) }; } }); for await (const x of next(10)) { hit(); }',
  while: 'let n = 10; while (n--) hit();',
  'while that only computes': 'let i = 0, s = 0; while (i < 10) { s += i; i++; }',
  'while that counts down': 'let i = 30, s = 0; while (i > 0) { if (i & 1) s ^= i; i -= 3; }',
  'while over a number in a string': 'let i = "0", s = 0; while (i < 10) { s += i; i++; }',
  'for with a variable of the function': 'let s = 0; for (var i = 0; i <= 9; i++) s += i;',
  'for with an assignment in its head': 'let i, s = 0; for (i = 0; i < 10; i++) s += i;',
  'do-while': 'let n = 10; do hit(); while (--n);',
  'do-while with a block': 'let n = 10; do { hit(); } while (--n);',
  nested: 'for (let i = 0; i < 2; i++) { for (let j = 0; j < 4; j++) hit(); }',
  'with continue': 'for (let i = 0; i < 10; i++) { if (i % 2) continue; hit(); }',
  'with a labelled continue':
    'outer: for (let i = 0; i < 2; i++) { for (let j = 0; j < 4; j++) { if (j === 3) continue outer; hit(); } }',
  'with break': 'for (let i = 0; ; i++) { if (i === 9) break; hit(); }',
  'with a declaration as only statement of a block': 'for (let i = 0; i < 10; i++) { let x = i; }',
  'with a function in its body': 'for (let i = 0; i < 10; i++) { function f() {} }',
  'with a nested if': 'for (let i = 0; i < 10; i++) if (i > 3) hit(); else hit();',
  'inside a function': '(function () { for (let i = 0; i < 10; i++) hit(); })();',
  'inside an arrow': '(() => { let n = 10; while (n--) hit(); })();',
  'inside an async function': 'await (async () => { for (let i = 0; i < 10; i++) { await null; hit(); } })();',
  'inside a generator': '[...(function* () { for (let i = 0; i < 10; i++) yield i; })()];',
  'inside an async generator':
    'const it = (async function* () { for (let i = 0; i < 10; i++) yield i; })(); while (false); await (async () => { const a = []; const pull = async () => { const { done } = await it.next(); if (!done) await pull(); }; await pull(); })();',
  'inside a method': '({ m() { for (let i = 0; i < 10; i++) hit(); } }).m();',
  'inside a getter': '({ get g() { for (let i = 0; i < 10; i++) hit(); return 1; } }).g;',
  'inside a setter': '({ set s(v) { for (let i = 0; i < v; i++) hit(); } }).s = 10;',
  'inside a constructor': 'new (class { constructor() { for (let i = 0; i < 10; i++) hit(); } })();',
  'inside a static block': 'class A { static { for (let i = 0; i < 10; i++) hit(); } }',
  'inside a field': 'new (class { f = (() => { for (let i = 0; i < 10; i++) hit(); })(); })();',
  'inside a private method': 'new (class { #m() { for (let i = 0; i < 10; i++) hit(); } m() { this.#m(); } })().m();',
  'inside a callback': '[1, 2].forEach(() => { for (let i = 0; i < 5; i++) hit(); });',
  'inside a sort comparator': 'let n = 0; [2, 1].sort(() => { while (n < 10) n++; return 1; });',
  'inside a replacer': '"aa".replace(/a/g, () => { for (let i = 0; i < 5; i++) hit(); return ""; });',
  'inside toString': '`${{ toString() { for (let i = 0; i < 10; i++) hit(); return ""; } }}`;',
  'inside valueOf': '+{ valueOf() { for (let i = 0; i < 10; i++) hit(); return 1; } };',
  'inside a default parameter': '((x = (() => { for (let i = 0; i < 10; i++) hit(); })()) => x)();',
  'inside a computed key': '({ [(() => { for (let i = 0; i < 10; i++) hit(); return "k"; })()]: 1 });',
  'inside a tagged template': '(() => { for (let i = 0; i < 10; i++) hit(); })`x`;',
  'inside a catch clause': 'try { throw 1; } catch { for (let i = 0; i < 10; i++) hit(); }',
  'inside finally': 'try { } finally { for (let i = 0; i < 10; i++) hit(); }',
  'inside a switch': 'switch (1) { case 1: for (let i = 0; i < 10; i++) hit(); }',
  'inside a labelled block': 'l: { for (let i = 0; i < 10; i++) { hit(); } break l; }',
  'inside a proxy trap': 'new Proxy({}, { get() { for (let i = 0; i < 10; i++) hit(); } }).x;',
  'inside a then callback': 'await Promise.resolve().then(() => { for (let i = 0; i < 10; i++) hit(); });',
  'inside Symbol.iterator':
    '[...{ [Symbol.iterator]() { for (let i = 0; i < 10; i++) hit(); return [][Symbol.iterator](); } }];',
  'after an await': 'await later(1); for (let i = 0; i < 10; i++) hit();',
  'with awaits inside': 'for (let i = 0; i < 10; i++) { await later(i); }',
};

const TOOLS = { later: async (x) => x };
const PRELUDE = 'let hits = 0; const hit = () => { hits++; };\n';

describe('the limit of operations is exact', () => {
  test.each(Object.entries(LOOPS))('for %s', async (_name, code) => {
    await withExecutor({}, TOOLS, async (executor) => {
      const { stats } = await executor.run(PRELUDE + code, { maxOperations: TEN });
      expect(stats.operations).toBe(TEN);
      const error = await expectCode(executor.run(PRELUDE + code, { maxOperations: TEN - 1 }), 'ERR_MAX_OPS_EXCEEDED');
      expect(error.message).toBe('Max operations exceeded (9)');
      expect(error.details.maxOperations).toBe(9);
      expect(error.retryable).toBe(true);
      expect(executor.state).toBe('READY');
      expect((await executor.run('1 + 1')).output).toBe(2);
    });
  });

  test.each([1, 2, 7, 49_999, 50_000])('n = %d', async (n) => {
    await withExecutor({ maxOperations: n }, {}, async (executor) => {
      const { output, stats } = await executor.run(`let i = 0; while (i < ${n}) i++; i`);
      expect(output).toBe(n);
      expect(stats.operations).toBe(n);
      await expectCode(executor.run(`let i = 0; while (i < ${n + 1}) i++; i`), 'ERR_MAX_OPS_EXCEEDED');
      expect((await executor.run('i')).output).toBe(n);
    });
  });

  test('a loop over an iterator is counted, and the iterator is closed as by `break`', async () => {
    const code = `
      let closed = 0;
      const numbers = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }), return() { closed++; return {}; } }) };
      let n = 0;
      for (const one of numbers) n += one;`;
    await withExecutor({}, {}, async (executor) => {
      await expectCode(executor.run(code, { maxOperations: TEN }), 'ERR_MAX_OPS_EXCEEDED');
      expect((await executor.run('[n, closed]')).output).toStrictEqual([TEN, 1]);
    });
  });

  test('a loop is counted where its guard has no stack left', async () => {
    const code = `
      let n = 0;
      const down = () => { try { down(); } catch { for (const end = n + 12; n < end; ) n++; } };
      try { down(); } catch {}`;
    await withExecutor({}, {}, async (executor) => {
      await expectCode(executor.run(code, { maxOperations: TEN }), 'ERR_MAX_OPS_EXCEEDED');
      expect((await executor.run('for (let i = 0; i < 10; i++); 1', { maxOperations: TEN })).output).toBe(1);
    });
  });

  test('the default limit is 50,000', async () => {
    await withExecutor({}, {}, async (executor) => {
      expect((await executor.run('let i = 0; while (i < 50000) i++; i')).output).toBe(50_000);
      const error = await expectCode(executor.run('while (true) {}'), 'ERR_MAX_OPS_EXCEEDED');
      expect(error.message).toBe('Max operations exceeded (50000)');
    });
  });

  test('limits may exceed 2^31', async () => {
    await withExecutor({ maxOperations: 2 ** 53 - 1 }, {}, async (executor) => {
      expect((await executor.run('let i = 0; while (i < 1000000) i++; i')).stats.operations).toBe(1_000_000);
    });
  });

  test('array methods and recursion are not counted as loops', async () => {
    await withExecutor({ maxOperations: 1 }, {}, async (executor) => {
      const { output, stats } = await executor.run(
        'const f = (n) => (n ? f(n - 1) : 0); f(500); Array.from({ length: 1000 }, (_, i) => i).map((x) => x + 1).filter((x) => x > 1).length',
      );
      expect(output).toBe(999);
      expect(stats.operations).toBe(0);
    });
  });
});

describe('P6 an exceeded limit cannot be swallowed', () => {
  const SWALLOWERS = {
    'try/catch': 'try { for (;;); } catch (e) { mark(e); } mark("after");',
    'catch without a parameter': 'try { for (;;); } catch { mark("caught"); } mark("after");',
    'catch with a pattern': 'try { for (;;); } catch ({ message, code }) { mark(message); } mark("after");',
    'catch with a pattern that has defaults':
      'try { for (;;); } catch ({ x = mark("default") }) { mark("caught"); } mark("after");',
    'nested try/catch': 'try { try { for (;;); } catch { mark(1); } } catch { mark(2); } mark("after");',
    'a loop of try/catch': 'for (;;) { try { for (;;); } catch { mark("caught"); } }',
    'catch in a function':
      'const safe = (f) => { try { return f(); } catch { mark("caught"); } }; safe(() => { for (;;); }); mark("after");',
    'an iterator whose return throws':
      'try { for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return() { throw new Error("returned"); } }) }); } catch { mark("caught"); } mark("after");',
    'loops with labels':
      'try { out: again: for (;;) for (;;) continue again; } catch { mark("caught"); } finally { for (;;); } mark("after");',
    'promise .catch': 'await (async () => { for (;;); })().catch(() => mark("caught")); mark("after");',
    'promise .then': 'await (async () => { for (;;); })().then(() => {}, () => mark("caught")); mark("after");',
    'promise .finally': 'await (async () => { for (;;); })().finally(() => 1).catch(() => {}); mark("after");',
    'Promise.allSettled': 'await Promise.allSettled([(async () => { for (;;); })()]); mark("after");',
    'Promise.any': 'await Promise.any([(async () => { for (;;); })(), Promise.resolve(1)]); mark("after");',
    'Promise.race':
      'await Promise.race([Promise.resolve(1), (async () => { await null; for (;;); })()]); await null; await null; await null; await null; mark("after");',
    'new Promise': 'await new Promise(() => { for (;;); }).catch(() => {}); mark("after");',
    'Promise.try': 'await Promise.try(() => { for (;;); }).catch(() => {}); mark("after");',
    'an async generator':
      'const g = async function* () { try { for (;;); } catch { yield 1; } }; for await (const x of g()) mark(x); mark("after");',
    'a generator that catches':
      'const g = (function* () { try { yield 1; } catch { mark("caught"); } })(); g.next(); try { for (;;); } catch (e) { g.throw(e); } mark("after");',
    'Array.fromAsync': 'await Array.fromAsync((async function* () { for (;;); })()).catch(() => {}); mark("after");',
    'a thenable': 'await { then() { for (;;); } }; mark("after");',
    'a thenable in catch': 'try { await { then() { for (;;); } }; } catch { mark("caught"); } mark("after");',
    'a getter that console.log reads':
      'console.log(new Proxy({}, {}), { [Symbol.for("nodejs.util.inspect.custom")]() { for (;;); } }); mark("after");',
    'a toString that console.log calls': 'console.log("%s", { toString() { for (;;); } }); mark("after");',
    'a getter of an argument': 'tool({ get x() { for (;;); } }); mark("after");',
    'a getter of an argument in try':
      'try { tool({ get x() { for (;;); } }); } catch { mark("caught"); } mark("after");',
    'a getter of an argument of an async tool':
      'await later({ get x() { for (;;); } }).catch(() => {}); mark("after");',
    'an async function that is not awaited':
      '(async () => { for (;;); })(); mark("ok"); await null; await null; mark("after");',
    'an iterator closed by the signal':
      'const it = { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return() { mark("return"); throw new Error("replaced"); } }) }; try { for (const x of it) { for (;;); } } catch { mark("caught"); } mark("after");',
    'a sort comparator': 'try { [3, 2, 1].sort(() => { for (;;); }); } catch { mark("caught"); } mark("after");',
    'a JSON reviver': 'try { JSON.parse("[1]", () => { for (;;); }); } catch { mark("caught"); } mark("after");',
    toJSON: 'try { JSON.stringify({ toJSON() { for (;;); } }); } catch { mark("caught"); } mark("after");',
    'an error getter':
      'try { throw { get message() { for (;;); } }; } catch ({ message }) { mark("caught"); } mark("after");',
    'a throw of something else in catch': 'try { for (;;); } catch { throw new Error("mine"); }',
    'a module import': 'await import("m").catch(() => {}); mark("after");',
    'a disposable stack':
      'const s = new DisposableStack(); s.defer(() => { for (;;); }); try { s.dispose(); } catch { mark("caught"); } mark("after");',
    'using disposal':
      'try { using x = { [Symbol.dispose]() { for (;;); } }; } catch { mark("caught"); } mark("after");',
    'using with a second error':
      'try { using x = { [Symbol.dispose]() { throw new Error("dispose"); } }; for (;;); } catch (e) { mark(e.name); } mark("after");',
    'await using disposal':
      'try { await using x = { async [Symbol.asyncDispose]() { for (;;); } }; } catch { mark("caught"); } mark("after");',
    'await using with a second error':
      'try { await using x = { async [Symbol.asyncDispose]() { throw new Error("dispose"); } }; for (;;); } catch (e) { mark(e.name); } mark("after");',
  };

  test.each(Object.entries(SWALLOWERS))('by %s', async (_name, code) => {
    const marks = [];
    const options = { maxOperations: 500, authorizedImports: ['m'], modules: { m: 'for (;;);' } };
    await withExecutor(
      options,
      { mark: (x) => void marks.push(x), tool: () => 1, later: async () => 1 },
      async (executor) => {
        await expectCode(executor.run(code), 'ERR_MAX_OPS_EXCEEDED');
        expect(executor.state).toBe('READY');
        expect(marks.filter((x) => x !== 'return' && x !== 'ok')).toStrictEqual([]);
        expect((await executor.run('let n = 0; for (let i = 0; i < 500; i++) n++; n')).output).toBe(500);
      },
    );
  });

  // `finally` runs, as the language wants, but cannot change the outcome.
  const FINALLY = {
    'return in finally': '(() => { try { for (;;); } finally { return 1; } })(); mark("after");',
    'return in finally at the top': 'try { for (;;); } finally { return 1; }',
    'break in finally': 'l: { try { for (;;); } finally { break l; } } mark("after");',
    'continue in finally': 'for (let i = 0; i < 3; i++) { try { for (;;); } finally { continue; } } mark("after");',
    'a loop in finally': 'try { for (;;); } finally { for (;;); }',
    'a loop of finally that never ends': 'for (;;) { try { for (;;); } finally { continue; } }',
    'throw in finally': 'try { for (;;); } finally { throw new Error("mine"); }',
    'final_answer in finally': 'try { for (;;); } finally { final_answer("mine"); }',
    'a generator return':
      'const g = (function* () { try { yield 1; } finally { for (;;); } })(); g.next(); try { g.return(); } finally { return 5; }',
    'await in finally': 'try { for (;;); } finally { await null; for (;;); }',
    'a promise chain that never ends':
      'const again = () => (async () => { for (;;); })().then(again, again); await again();',
    'recursion of async finally': 'const f = async () => { try { for (;;); } finally { return f(); } }; await f();',
  };

  test.each(Object.entries(FINALLY))('by %s', async (_name, code) => {
    await withExecutor({ maxOperations: 500, timeoutMs: 5000 }, { mark: () => 1 }, async (executor) => {
      await expectCode(executor.run(code), 'ERR_MAX_OPS_EXCEEDED');
      expect(executor.state).toBe('READY');
      expect((await executor.run('let n = 0; for (let i = 0; i < 500; i++) n++; n')).output).toBe(500);
    });
  });

  test("the guest cannot forge the engine's signal", async () => {
    await withExecutor({ maxOperations: 100 }, {}, async (executor) => {
      const error = await expectCode(
        executor.run(
          'throw Object.assign(new Error("Max operations exceeded (100)"), { name: "MaxOperationsExceededError", code: "ERR_MAX_OPS_EXCEEDED" })',
        ),
        'ERR_RUNTIME_EXCEPTION',
      );
      expect(error.details.name).toBe('MaxOperationsExceededError');
      const final = await expectCode(
        executor.run('throw Object.assign(new Error("final_answer"), { name: "FinalAnswerSignal", value: 1 })'),
        'ERR_RUNTIME_EXCEPTION',
      );
      expect(final.details.name).toBe('FinalAnswerSignal');
    });
  });

  test('a signal that a generator of the guest kept has no effect in the next run', async () => {
    await withExecutor({ maxOperations: 100 }, {}, async (executor) => {
      await expectCode(
        executor.run(
          'let kept; const p = (async () => { for (;;); })(); p.then(() => {}, (e) => { kept = e; }); await p;',
        ),
        'ERR_MAX_OPS_EXCEEDED',
      );
      const { output } = await executor.run('try { throw kept; } catch { } "goes on"');
      expect(output).toBe('goes on');
    });
  });
});

describe('P6 final_answer ends the run', () => {
  const PLACES = {
    'at the top': 'final_answer("A"); mark("after");',
    'in try/catch': 'try { final_answer("A"); } catch (e) { mark("caught"); } mark("after");',
    'in try with catch without a parameter': 'try { final_answer("A"); } catch { mark("caught"); } mark("after");',
    'in nested functions':
      'const f = () => { try { final_answer("A"); } catch { mark("caught"); } }; f(); mark("after");',
    'in a callback': '[1, 2, 3].forEach(() => { final_answer("A"); }); mark("after");',
    'in a callback of a sort': '[2, 1].sort(() => final_answer("A")); mark("after");',
    'in a getter': '({ get g() { final_answer("A"); } }).g; mark("after");',
    'in a getter of a tool argument':
      'try { tool({ get g() { final_answer("A"); } }); } catch { mark("caught"); } mark("after");',
    'in a getter of an async tool argument':
      'await later({ get g() { final_answer("A"); } }).catch(() => {}); mark("after");',
    'in an async function':
      'await (async () => { await null; final_answer("A"); })().catch(() => mark("caught")); mark("after");',
    'in a then callback':
      'await Promise.resolve().then(() => final_answer("A")).catch(() => mark("caught")); mark("after");',
    'after a tool': 'await later(1); final_answer("A"); mark("after");',
    'in Promise.all':
      'await Promise.all([later(1).then(() => final_answer("A")), new Promise(() => {})]); mark("after");',
    'in Promise.allSettled': 'await Promise.allSettled([(async () => final_answer("A"))()]); mark("after");',
    'in a new Promise': 'await new Promise(() => final_answer("A")).catch(() => {}); mark("after");',
    'in a generator':
      'const g = (function* () { try { final_answer("A"); } catch { yield 1; } })(); for (const x of g) mark(x); mark("after");',
    'in an async generator':
      'for await (const x of (async function* () { yield 1; final_answer("A"); })()) ; mark("after");',
    'in a class': 'class C { static { final_answer("A"); } } mark("after");',
    'in console.log':
      'console.log({ [Symbol.for("nodejs.util.inspect.custom")]() { final_answer("A"); } }); mark("after");',
    'in a string conversion of console.log': 'console.log("%s", { toString() { final_answer("A"); } }); mark("after");',
    'in disposal':
      'try { using x = { [Symbol.dispose]() { final_answer("A"); } }; } catch { mark("caught"); } mark("after");',
    'in a thenable': 'await { then() { final_answer("A"); } }; mark("after");',
    twice: 'try { final_answer("A"); } finally { try { final_answer("B"); } catch { mark("caught"); } } mark("after");',
    'twice, by callbacks':
      '["A", "B"].forEach((x) => { try { final_answer(x); } catch { mark("caught"); } }); mark("after");',
    'with return in finally': '(() => { try { final_answer("A"); } finally { return 1; } })(); for (;;);',
    'with an error in finally': 'try { final_answer("A"); } finally { throw new Error("mine"); }',
    'with a loop in finally': 'try { final_answer("A"); } finally { for (;;); }',
    'with a tool failure after it': 'try { final_answer("A"); } finally { fail(); }',
    'through an alias of it': 'const answer = final_answer; answer("A"); mark("after");',
    'by call': 'final_answer.call(null, "A"); mark("after");',
    'by Reflect.apply': 'Reflect.apply(final_answer, undefined, ["A"]); mark("after");',
    'as a callback': '["A"].forEach((x) => final_answer(x)); mark("after");',
    'as a listener of a promise': 'await Promise.resolve("A").then(final_answer).catch(() => {}); mark("after");',
    'before the limit': 'final_answer("A"); for (;;);',
  };

  test.each(Object.entries(PLACES))('from %s', async (_name, code) => {
    const marks = [];
    const tools = {
      mark: (x) => void marks.push(x),
      tool: () => 1,
      later: async () => 1,
      fail: () => {
        throw new Error('tool');
      },
    };
    await withExecutor({ maxOperations: 1000, timeoutMs: 5000 }, tools, async (executor) => {
      const result = await executor.run(code);
      expect(result.output).toBe('A');
      expect(result.is_final_answer).toBe(true);
      expect(executor.state).toBe('READY');
      expect(marks).toStrictEqual([]);
      const next = await executor.run('let n = 0; for (let i = 0; i < 1000; i++) n++; n');
      expect(next).toMatchObject({ output: 1000, is_final_answer: false });
    });
  });

  test('from an async function that nobody awaits', async () => {
    const marks = [];
    await withExecutor({}, { mark: (x) => void marks.push(x), later: async () => 1 }, async (executor) => {
      const result = await executor.run(
        '(async () => { await later(); final_answer("A"); mark("after"); })(); await new Promise(() => {});',
      );
      expect(result).toMatchObject({ output: 'A', is_final_answer: true });
      const beaten = await executor.run('(async () => { await later(); final_answer("A"); })(); "B"');
      expect(beaten).toMatchObject({ output: 'B', is_final_answer: false });
      const first = await executor.run('(async () => { final_answer("A"); })(); "B"');
      expect(first).toMatchObject({ output: 'A', is_final_answer: true });
    });
    expect(marks).toStrictEqual([]);
  });

  test('with a promise as value: it is awaited', async () => {
    await withExecutor(
      {},
      {
        later: async (x) => x,
        fail: async () => {
          throw new Error('failed');
        },
      },
      async (executor) => {
        expect(await executor.run('final_answer(later("P"))')).toMatchObject({ output: 'P', is_final_answer: true });
        expect(await executor.run('final_answer(Promise.resolve({ a: 1 }))')).toMatchObject({
          output: { a: 1 },
          is_final_answer: true,
        });
        expect(
          await executor.run('final_answer((async () => { const x = await later(1); return x + await later(2); })())'),
        ).toMatchObject({ output: 3, is_final_answer: true });
        await expectCode(executor.run('final_answer(fail())'), 'ERR_TOOL_PROXY_FAIL');
        const error = await expectCode(
          executor.run('final_answer(Promise.reject(new RangeError("rejected")))'),
          'ERR_RUNTIME_EXCEPTION',
        );
        expect(error.details.name).toBe('RangeError');
        expect(executor.state).toBe('READY');
      },
    );
  });

  test('with a promise that never settles: the deadline holds', async () => {
    await withExecutor({ timeoutMs: 150 }, {}, async (executor) => {
      await expectCode(executor.run('final_answer(new Promise(() => {}))'), 'ERR_EXEC_TIMEOUT');
      expect(executor.state).toBe('DIRTY');
    });
  });

  test('with a value that cannot be cloned', async () => {
    await withExecutor({}, {}, async (executor) => {
      expect((await executor.run('final_answer(function named() {})')).output).toBe('[Function: named]');
      expect((await executor.run('final_answer({ f() {}, n: 1 })')).output).toStrictEqual({ f: '[Function: f]', n: 1 });
      expect((await executor.run('final_answer(Symbol("s"))')).output).toBe('Symbol(s)');
    });
  });

  test('with a value that changes later: the output is its state at the call', async () => {
    await withExecutor({}, {}, async (executor) => {
      expect(
        (await executor.run('const o = { n: 1 }; try { final_answer(o); } finally { o.n = 2; }')).output,
      ).toStrictEqual({
        n: 1,
      });
    });
  });

  test('with a getter that calls final_answer', async () => {
    await withExecutor({}, {}, async (executor) => {
      const result = await executor.run('final_answer({ a: 1, get b() { final_answer("inner"); return 2; } })');
      expect(result.is_final_answer).toBe(true);
      expect(executor.state).toBe('READY');
      expect((await executor.run('1')).output).toBe(1);
    });
  });

  test('keeps logs from before the call and none from after it', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { logs } = await executor.run(
        'console.log("before"); try { final_answer(1); } catch { console.log("caught"); } console.log("after");',
      );
      expect(logs).toBe('before');
    });
  });

  test('from the bottom of a recursion that fills the stack', async () => {
    await withExecutor({}, {}, async (executor) => {
      const result = await executor.run('const f = () => { try { f(); } catch { final_answer("deep"); } }; f();');
      expect(result).toMatchObject({ output: 'deep', is_final_answer: true });
      expect(executor.state).toBe('READY');
    });
  });
});

describe('guest code that runs while the outcome is being read counts as the run', () => {
  const spin = 'for (;;);';
  const end = 'final_answer("late");';
  const both = 'try { final_answer("late"); } catch {} for (;;);';
  const custom = 'Symbol.for("nodejs.util.inspect.custom")';
  const PLACES = {
    'a getter of the message': (code) =>
      `throw Object.defineProperty(new Error("x"), "message", { get() { ${code} } })`,
    'a getter of the name': (code) => `throw Object.defineProperty(new Error("x"), "name", { get() { ${code} } })`,
    'a getter of the stack': (code) => `throw Object.defineProperty(new Error("x"), "stack", { get() { ${code} } })`,
    'a getter of the code': (code) => `throw Object.defineProperty(new Error("x"), "code", { get() { ${code} } })`,
    'toString of the message': (code) => `throw Object.assign(new Error("x"), { message: { toString() { ${code} } } })`,
    'an inspect.custom of a thrown value': (code) => `throw { [${custom}]() { ${code} } }`,
    'a proxy that is thrown': (code) => `throw new Proxy({}, { get() { ${code} }, getPrototypeOf() { ${code} } })`,
    'a getter of the output': (code) => `return { get a() { ${code} } }`,
    'a getter next to a function in the output': (code) => `return { f() {}, get a() { ${code} } }`,
    'an inspect.custom of the output': (code) => `return { f: Object.assign(() => {}, { [${custom}]() { ${code} } }) }`,
    'a getter of a cause': (code) => `return Object.defineProperty(new Error("x"), "cause", { get() { ${code} } })`,
    'a getter of the final answer': (code) => `final_answer({ get a() { ${code} } })`,
    'an inspect.custom of the final answer': (code) =>
      `final_answer(Object.assign(() => {}, { [${custom}]() { ${code} } }))`,
    'an unhandled rejection': (code) =>
      `Promise.reject(Object.defineProperty(new Error("x"), "message", { get() { ${code} } })); return 1;`,
    'an unhandled rejection with inspect.custom': (code) => `Promise.reject({ [${custom}]() { ${code} } }); return 1;`,
    'a getter of a binding': (code) =>
      `Object.defineProperty(globalThis, "binding", { get() { ${code} }, configurable: true }); return 1;`,
  };

  describe.each([
    ['a loop', spin],
    ['final_answer', end],
    ['final_answer, then a loop', both],
  ])('%s', (_name, code) => {
    test.each(Object.entries(PLACES))('in %s', async (_place, make) => {
      await withExecutor({ maxOperations: 1000, timeoutMs: 5000 }, {}, async (executor) => {
        const outcome = await executor.run(make(code)).catch((error) => error);
        // Whatever it gives, it settles with a value or a code, and the executor goes on.
        expect('output' in outcome || ['ERR_MAX_OPS_EXCEEDED', 'ERR_RUNTIME_EXCEPTION'].includes(outcome.code)).toBe(
          true,
        );
        expect(executor.state).toBe('READY');
        for (let i = 0; i < 2; i++) {
          const next = await executor.run('let n = 0; for (let i = 0; i < 1000; i++) n++; console.log("next"); n');
          expect(next).toMatchObject({ output: 1000, logs: 'next', is_final_answer: false });
        }
      });
    });
  });
});

test('stats of failed runs count operations too', async () => {
  await withExecutor({ maxOperations: 100 }, {}, async (executor) => {
    const failed = await expectCode(executor.run('for (let i = 0; i < 7; i++); null.x'), 'ERR_RUNTIME_EXCEPTION');
    expect(failed.stats.operations).toBe(7);
    const exceeded = await expectCode(executor.run('for (;;);'), 'ERR_MAX_OPS_EXCEEDED');
    expect(exceeded.stats.operations).toBe(100);
  });
});

test('a loop in a module that exceeds the limit while it loads is reported with the limit for modules', async () => {
  const modules = { inf: 'export const x = 1; for (;;);', top: 'import "inf";' };
  const options = { maxOperations: 1000, authorizedImports: ['inf', 'top'], modules };
  await withExecutor(options, {}, async (executor) => {
    for (const module of ['inf', 'top']) {
      const program = `for (let i = 0; i < 5; i++); await import("${module}")`;
      const error = await expectCode(executor.run(program), 'ERR_MAX_OPS_EXCEEDED');
      expect(error.message).toBe('Max operations exceeded (10000000)');
      expect(error.details).toStrictEqual({
        maxOperations: 10_000_000,
        module,
        hint: `The limit was reached while module '${module}' was loaded, not in this code: do not use this module.`,
      });
      expect(error.stats.operations).toBe(5);
    }
  });
});

test.each([
  ['tool calls', 'await Promise.all([a(1), a(2), a(3)])', 'ERR_TOOL_CALL_LIMIT_EXCEEDED'],
  ['iterations', 'const calls = []; for (;;) { if (calls.length < 2) calls.push(a(1)); }', 'ERR_MAX_OPS_EXCEEDED'],
])('no warning about dropped calls is logged when a limit of %s ends the run', async (_, code, expected) => {
  const tools = { a: () => new Promise(() => {}) };
  await withExecutor({ maxToolCalls: 2, maxOperations: 1000 }, tools, async (executor) => {
    expect((await expectCode(executor.run(code), expected)).logs).toBe('');
  });
});

describe('without a limit of operations', () => {
  const options = { maxOperations: Infinity, timeoutMs: 60_000 };

  test('loops are not counted, and the deadline still ends them', async () => {
    await withExecutor(options, {}, async (executor) => {
      const { output, stats } = await executor.run('let n = 0; while (n < 3e7) n++; for (const x of [1]) n++; n');
      expect(output).toBe(30_000_001);
      expect(stats.operations).toBe(0);
      await expectCode(executor.run('for (;;);', { timeoutMs: 100 }), 'ERR_EXEC_TIMEOUT');
    });
  });

  test('functions of other runs are counted if those runs had a limit', async () => {
    await withExecutor({ maxOperations: 1_000 }, {}, async (executor) => {
      await executor.run('const counted = (n) => { while (n-- > 0); return "done" }');
      const free = await executor.run('const free = (n) => { while (n-- > 0); return "done" }; counted(100_000)', {
        maxOperations: Infinity,
      });
      expect(free.output).toBe('done');
      expect(free.stats.operations).toBe(100_000);
      expect((await executor.run('free(100_000)')).output).toBe('done');
      await expectCode(executor.run('counted(1_001)'), 'ERR_MAX_OPS_EXCEEDED');
    });
  });

  test('modules may loop without a limit while they load', async () => {
    const modules = {
      m: 'let n = 0; while (n < 12_000_000) n++; export default n; export const f = () => { for (;;); }',
    };
    await withExecutor({ ...options, authorizedImports: ['m'], modules }, {}, async (executor) => {
      expect((await executor.run("(await import('m')).default")).output).toBe(12_000_000);
      await expectCode(executor.run("(await import('m')).f()", { maxOperations: 100 }), 'ERR_MAX_OPS_EXCEEDED');
    });
  });

  test.each([
    ['a final answer in a catch', 'while (true) { try { final_answer(1) } catch {} }', 1],
    ['a final answer in an endless loop', 'for (;;) { final_answer([2]) }', [2]],
    ['a final answer that is given twice', 'for (;;) { try { final_answer(3) } finally { continue } }', 3],
    ['await in a loop', 'let n = 0; while (n < 100) { await null; n++ } n', 100],
    [
      'a generator',
      'function* g() { for (let i = 0; ; i++) yield i } let s = 0; for (const x of g()) { if (x > 9) break; s += x } s',
      45,
    ],
    ['labels', 'a: for (;;) { for (;;) break a } 4', 4],
  ])('%s ends the run', async (_, code, expected) => {
    const { output } = await withExecutor(options, {}, (executor) => executor.run(code));
    expect(output).toStrictEqual(expected);
  });

  test('worker processes count no loops either', async () => {
    await withExecutor({ ...options, isolation: 'process', sandbox: 'best-effort' }, {}, async (executor) => {
      const { output, stats } = await executor.run('let n = 0; while (n < 1e6) n++; n');
      expect([output, stats.operations]).toStrictEqual([1_000_000, 0]);
    });
  });
});

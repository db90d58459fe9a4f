// Section 7.2 of the specification: the output of a run is what an explicit top-level `return` gives, else the value of
// the last expression statement, else the variable of a last declaration or assignment.
import { describe, expect, test } from 'vitest';

import { expectCode, withExecutor } from '../helpers.mjs';

const CASES = {
  'explicit return': [
    ['return 1;', 1],
    ['return', undefined],
    ['return;\n5', undefined],
    ['const x = 1; return x + 1; x', 2],
    ['if (true) { return "early"; } "late"', 'early'],
    ['for (let i = 0; ; i++) { if (i === 3) return i; }', 3],
    ['try { return 1; } finally { 2; }', 1],
    ['try { return 1; } finally { return 2; }', 2],
    ['l: { return 1; }', 1],
    ['switch (1) { case 1: return "case"; }', 'case'],
    ['return await later(4)', 4],
    ['return Promise.resolve(5)', 5],
    ['return { a: 1 }', { a: 1 }],
    ['return\n1', undefined],
  ],
  'last expression': [
    ['1', 1],
    ['1;', 1],
    ['1;;;', 1],
    ['1; // a comment', 1],
    ['1 /* a comment */', 1],
    ['"use strict"', 'use strict'],
    ["'text'", 'text'],
    ['`a${1 + 1}b`', 'a2b'],
    ['({ a: 1 })', { a: 1 }],
    ['[1, 2]', [1, 2]],
    ['1, 2, 3', 3],
    ['await later(3)', 3],
    ['later(4)', 4],
    ['Promise.resolve(later(5))', 5],
    ['(() => 6)()', 6],
    ['(async () => 7)()', 7],
    ['(function () { return 8; })()', 8],
    ['void 0', undefined],
    ['undefined', undefined],
    ['null', null],
    ['-0', -0],
    ['/x/g', /x/g],
    ['new Date(5)', new Date(5)],
    ['true ? 1 : 2', 1],
    ['let x = 1;\nx + 1', 2],
    ['let x = 1; { let x = 2; } x', 1],
    ['const a = [3, 1, 2]\na.sort()\na', [1, 2, 3]],
    ['class A {}\nnew A() instanceof A', true],
    ['let o = { n: 1 }\no?.n', 1],
    ['let n = 1; n++', 1],
    ['let n = 1; ++n', 2],
    ['typeof nothing', 'undefined'],
    ['delete globalThis.nothing', true],
    ['(1)', 1],
    ['(0, 1)', 1],
    ['let s = ((x) => x)`tag`; s[0]', 'tag'],
  ],
  'last assignment': [
    ['let x; x = 5;', 5],
    ['let x = 1; x += 5;', 6],
    ['let x = null; x ??= 7;', 7],
    ['const o = {}; o.a = 1;', 1],
    ['const o = {}; o["b"] = [2];', [2]],
    ['let a, b; [a, b] = [1, 2];', [1, 2]],
    ['let a; ({ a } = { a: 3, rest: 4 });', { a: 3, rest: 4 }],
    ['globalThis.g = 8', 8],
  ],
  'last declaration': [
    ['const x = 5;', 5],
    ['let x = 5', 5],
    ['var x = { n: 1 };', { n: 1 }],
    ['let x;', undefined],
    ['const a = 1, b = 2;', 2],
    ['const x = await later("w");', 'w'],
    ['const p = later(3);', 3],
    ['const { a } = { a: 1 };', undefined],
    ['const [a] = [1];', undefined],
    ['const { a } = { a: 1 }, b = 2;', 2],
    ['const b = 2, { a } = { a: 1 };', undefined],
    ['function f() { return 1; }', undefined],
    ['async function f() { return 1; }', undefined],
    ['class A {}', undefined],
    ['const f = () => 1;', '[Function: f]'],
  ],
  'blocks, branches, handlers and labels': [
    ['{ 1; }', 1],
    ['{ { 2 } }', 2],
    ['{ const x = 3; }', 3],
    ['{ let y = 1; y + 1; }', 2],
    ['{}', undefined],
    ['if (true) 1; else 2;', 1],
    ['if (false) 1; else 2;', 2],
    ['if (false) 1;', undefined],
    ['if (true) { const x = 3; }', 3],
    ['if (0) { 1 } else if (1) { 2 } else { 3 }', 2],
    ['if (0) { 1 } else if (0) { 2 } else { 3 }', 3],
    ['if (1) if (0) 1; else 2;', 2],
    ['try { 1 } catch { 2 }', 1],
    ['try { null.x } catch { 2 }', 2],
    ['try { null.x } catch (e) { e.constructor.name }', 'TypeError'],
    ['try { 1 } finally { 2 }', 1],
    ['l: try { 1 } finally { 2; break l }', 2],
    ['l: try { 1 } finally { break l }', undefined],
    ['l: try {} finally { 3; break l }', 3],
    ['l: { try { 1 } finally { if (false) break l; 2 } }', 1],
    ['for (const x of [1, 2]) { try { "a" } finally { x; continue } }', 2],
    ['switch (1) { case 1: 1; try { 2 } finally { 3; break } }', 3],
    ['do { try { 1 } finally { (() => { for (;;) break; })(); 2 } } while (false)', 1],
    ['try { null.x } catch { 3 } finally { 4 }', 3],
    ['try { later(1) } catch { 2 }', 1],
    ['try { await fail() } catch (e) { e.message }', 'failed'],
    ['l: { 1; }', 1],
    ['l: 5', 5],
    ['a: b: { 6 }', 6],
  ],
  // As ECMA-262 has them; `eval` in Node.js gives the same.
  'loops, switch and nothing': [
    ['for (let i = 0; i < 3; i++) i;', 2],
    ['for (const x of [1]) { x }', 1],
    ['for (const key in { a: 1, b: 2 }) key', 'b'],
    ['let n = 0; while (n < 4) { n++; n * 2 }', 8],
    ['while (false) 1;', undefined],
    ['do { 1 } while (false)', 1],
    ['do { 2; continue; 3 } while (false)', 2],
    ['do { 2; break; } while (true)', 2],
    ['for (const x of [1, 2, 3]) { x; if (x === 2) break; }', undefined],
    ['for (const x of [1, 2, 3]) { if (x === 2) { x * 10; break; } }', 20],
    ['for (const x of [1, 2]) { if (x === 1) x; }', undefined],
    ['for (const x of [1, 2]) { "before"; const y = x; }', 'before'],
    [
      'for (const x of [1, 2]) { try { if (x > 1) throw x; "fine" } catch (e) { `caught ${e}` } finally { 0 } }',
      'caught 2',
    ],
    ['for (const x of [1, 2]) { for (const y of [3, 4]) x * y; }', 8],
    ['for (const x of [1, 2]) { for (const y of []) x * y; }', undefined],
    ['outer: for (const x of [1, 2]) { for (const y of [3, 4]) { x * y; continue outer; } }', 6],
    ['l: for (;;) { break l; }', undefined],
    ['l: { 1; break l; 2; }', 1],
    ['l: { 1; { break l; } }', 1],
    ['switch (1) { case 1: 5 }', 5],
    ['switch (2) { case 1: 5; case 2: 6; case 3: 7; break; default: 8 }', 7],
    ['switch (9) { case 1: 5; default: 8 }', 8],
    ['switch (1) { case 1: { const x = 5; x; break; } }', 5],
    ['switch (1) { case 2: 5 }', undefined],
    ['if (true) for (const x of [1, 2]) x; else 3', 2],
    ['try { for (const x of [1, 2]) x } catch { 3 }', 2],
    ['for await (const x of [1, 2]) await later(x)', 2],
    ['let total = 0; for (let i = 0; i < 1000; i++) total += i;', 499500],
    [';', undefined],
    [';;', undefined],
    ['1; for (const x of []) {}', undefined],
    ['1; ;', 1],
    ['1; {}', 1],
    ['1; { 2; }', 2],
  ],
  'an expression before declarations': [
    ['5; function f() {}', 5],
    ['5; class A {}', 5],
    ['5; function f() {} class A {} ; function g() {}', 5],
    ['5; const { a } = { a: 1 };', 5],
    ['let x = 1; function f() {}', 1],
    ['let x = 1; class A {}', 1],
    ['for (const x of [1, 2]) x; class A {}', 2],
    ['if (true) { 7; class A {} }', 7],
    ['1; const [a] = [await later(2)]; function f() {}', 1],
  ],
  // A program that waits is an async function, wherever in it the `await` is.
  await: [
    ['class A { [await "x"]() { return 1; } } new A().x()', 1],
    ['class A { static [await "x"] = 1; } A.x', 1],
    ['class A { get [await "x"]() { return 1; } } new A().x', 1],
    ['class A extends (await Array) {} new A().length', 0],
    ['({ [await "x"]: 1 })', { x: 1 }],
    ['const { a = await 1 } = {}; a', 1],
    ['`${await 1}`', '1'],
    ['switch (await 1) { case await 1: return 2; }', 2],
    ['let s = 0; l: for await (const x of [1, 2]) { s += x; continue l; } s', 3],
    ['{ await using r = { async [Symbol.asyncDispose]() {} }; } 1', 1],
    ['try { throw await 1; } catch (e) { e; }', 1],
    ['if (await 1) { 2; }', 2],
  ],
};

describe.each(Object.entries(CASES))('%s', (_kind, cases) => {
  test.each(cases)('%s', async (code, expected) => {
    const tools = {
      later: async (x) => x,
      fail: async () => {
        throw new Error('failed');
      },
    };
    await withExecutor({}, tools, async (executor) => {
      const { output, is_final_answer: isFinal } = await executor.run(code);
      expect(output).toStrictEqual(expected);
      expect(Object.is(output, -0)).toBe(Object.is(expected, -0));
      expect(isFinal).toBe(false);
    });
  });
});

// What a program is compiled as depends on its statements: expressions, others, and others that wait.
describe('the time at which the value is ready does not depend on the form of the program', () => {
  const FORMS = {
    script: (value) => `ticks(), ${value}`,
    function: (value) => `var unused; ticks(), ${value}`,
    'async function': (value) => `if (false) await 0; ticks(), ${value}`,
  };
  const TICKS = `function ticks() {
    let ticks = Promise.resolve();
    for (let i = 0; i < 6; i++) ticks = ticks.then(() => console.log(i));
  }`;
  const outcomeOf = (form, value) =>
    withExecutor({}, { later: async (x) => x }, async (executor) => {
      await executor.run(TICKS);
      const { output, logs, code, data } = await executor.run(FORMS[form](value)).catch((error) => error);
      return { output, logs, code, cause: data?.cause };
    });

  test.each([
    ['({ then(done) { console.log("then"); done(5) } })', { output: 5 }],
    ['({ then(done) { console.log("then"); Promise.resolve(5).then(done) } })', { output: 5 }],
    ['({ get then() { console.log("get then") } }, 1)', { output: 1 }],
    ['({ get then() { console.log("get then"); throw new Error("no") } })', { code: 'ERR_RUNTIME_EXCEPTION' }],
    ['Promise.resolve(5)', { output: 5 }],
    ['later(5)', { output: 5 }],
    ['Promise.reject(new Error("no"))', { code: 'ERR_RUNTIME_EXCEPTION' }],
    ['(() => { throw new Error("no") })()', { code: 'ERR_RUNTIME_EXCEPTION' }],
    ['final_answer(5)', { output: 5 }],
    ['this === globalThis', { output: true }],
  ])('%s', async (value, expected) => {
    const outcome = await outcomeOf('async function', value);
    expect(outcome).toMatchObject(expected);
    expect(await outcomeOf('function', value)).toStrictEqual(outcome);
    expect(await outcomeOf('script', value)).toStrictEqual(outcome);
  });
});

describe('programs without semicolons and with unusual line ends have a value', () => {
  test.each([
    ['const a = 1\nconst b = 2\na + b', 3],
    ['const a = 1\r\nconst b = 2\r\na + b\r\n', 3],
    ['const a = 1\u2028const b = 2\u2029a + b', 3],
    ['\ufeffconst a = 1\na', 1],
    ['#!/usr/bin/env node\n7', 7],
    ['let x = 1\n;[2].forEach((n) => { x += n })\nx', 3],
    ['\n\n\n  9  \n\n', 9],
    ['/* only */ 1 // one', 1],
  ])('%j', async (code, expected) => {
    await withExecutor({}, {}, async (executor) => {
      expect((await executor.run(code)).output).toBe(expected);
    });
  });
});

test('a completion value that is a rejected promise fails the run', async () => {
  await withExecutor({}, {}, async (executor) => {
    const error = await expectCode(executor.run('Promise.reject(new RangeError("lost"))'), 'ERR_RUNTIME_EXCEPTION');
    expect(error.details.name).toBe('RangeError');
    expect(error.message).toBe('Runtime exception: RangeError: lost');
  });
});

describe('a promise that is declared but not used is not awaited', () => {
  test('it stays pending, and settles when a later run resolves it', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output, logEntries } = await executor.run('let ok; const gate = new Promise((r) => { ok = r; })');
      expect([output, logEntries]).toStrictEqual(['Promise { <pending> }', []]);
      await executor.run('ok("open")');
      expect((await executor.run('await gate')).output).toBe('open');
    });
  });

  test('an unhandled rejection is logged in the run that causes it', async () => {
    await withExecutor({}, {}, async (executor) => {
      const first = await executor.run('let fail; const gate = new Promise((_, no) => { fail = no; })');
      expect(first.logEntries).toStrictEqual([]);
      const { output, logEntries } = await executor.run('fail(new RangeError("late")); 1');
      expect(output).toBe(1);
      expect(logEntries.map(({ level, message }) => [level, message])).toStrictEqual([
        ['warn', 'Unhandled promise rejection: RangeError: late (line 1)'],
      ]);
      const { output: none, logs } = await executor.run('const lost = Promise.reject(new RangeError("now"))');
      expect([none, logs]).toStrictEqual([undefined, 'Unhandled promise rejection: RangeError: now (line 1)']);
    });
  });

  test('the error that ends a run is not an unhandled rejection', async () => {
    await withExecutor({ keepState: true }, {}, async (executor) => {
      const answered = await executor.run('async function main() { await 0; final_answer(42) }\nmain(); 0');
      expect([answered.output, answered.is_final_answer, answered.logs]).toStrictEqual([42, true, '']);
      const error = await executor
        .run('(async () => { for (;;); })(); await 0', { maxOperations: 100 })
        .catch((failure) => failure);
      expect([error.code, error.logs]).toStrictEqual(['ERR_MAX_OPS_EXCEEDED', '']);
      const own = await executor.run('Promise.reject(new Error("final_answer")); 0');
      expect(own.logs).toBe('Unhandled promise rejection: final_answer (line 1)');
    });
  });

  test('pending tool calls are awaited, since they end with the run', async () => {
    const tools = {
      later: async (x) => x,
      fail: async () => {
        throw new Error('failed');
      },
    };
    await withExecutor({}, tools, async (executor) => {
      expect((await executor.run('const p = later(3)')).output).toBe(3);
      expect((await executor.run('const q = later(4).then((x) => later(x + 1))')).output).toBe(5);
      expect((await executor.run('[await p, await q]')).output).toStrictEqual([3, 5]);
      const { output, logs } = await executor.run('const lost = fail()');
      expect([output, logs]).toStrictEqual([undefined, 'Unhandled promise rejection: failed (line 1)']);
    });
  });

  test('its `then` method is not called', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { output } = await executor.run(
        'let calls = 0; const query = { n: 1, then(done) { calls++; done(2); } }; let other = query',
      );
      expect(output).toStrictEqual({ n: 1, then: '[Function: then]' });
      expect((await executor.run('calls')).output).toBe(0);
      expect((await executor.run('query')).output).toBe(2);
    });
  });

  test('an expression is awaited, whatever is declared before it', async () => {
    await withExecutor({}, {}, async (executor) => {
      expect((await executor.run('const p = Promise.resolve(5); p')).output).toBe(5);
      expect((await executor.run('const q = Promise.resolve(6); return q')).output).toBe(6);
    });
  });

  test('final_answer takes effect while pending tool calls are awaited', async () => {
    await withExecutor({}, { later: async (x) => x }, async (executor) => {
      const code = 'const p = later(1).then(() => { final_answer(later(2)); })';
      expect(await executor.run(code)).toMatchObject({ output: 2, is_final_answer: true });
    });
  });
});

test('the log of dropped calls does not list calls that were awaited', async () => {
  const tools = {
    slow: () => new Promise(() => {}),
    never: () => new Promise(() => {}),
    fail: async () => {
      throw new Error('failed');
    },
  };
  await withExecutor({}, tools, async (executor) => {
    const lines = ({ logEntries }) => logEntries.map(({ message }) => message);
    const error = await expectCode(executor.run('await Promise.all([slow(), fail()])'), 'ERR_TOOL_PROXY_FAIL');
    expect(lines(error)).toStrictEqual([]);
    const both = await expectCode(
      executor.run('never(); never(); await Promise.all([slow(), fail()])'),
      'ERR_TOOL_PROXY_FAIL',
    );
    expect(lines(both)).toStrictEqual([
      '2 tool calls were not awaited and dropped when the run ended: never; `await` each, or all together with `await Promise.all([…])`',
    ]);
  });
});

test('`return` of a promise inside try is awaited as in JavaScript', async () => {
  await withExecutor(
    {},
    {
      fail: async () => {
        throw new Error('failed');
      },
    },
    async (executor) => {
      await expectCode(executor.run('try { return fail(); } catch { return "caught"; }'), 'ERR_TOOL_PROXY_FAIL');
      expect((await executor.run('try { return await fail(); } catch { return "caught"; }')).output).toBe('caught');
    },
  );
});

test('the argument of final_answer is the output of a final run', async () => {
  await withExecutor({}, {}, async (executor) => {
    expect(await executor.run('1; final_answer(2); 3')).toMatchObject({ output: 2, is_final_answer: true });
    expect(await executor.run('final_answer()')).toMatchObject({ output: undefined, is_final_answer: true });
  });
});

test('a last expression over several lines is the value', async () => {
  await withExecutor({}, {}, async (executor) => {
    expect((await executor.run('[1, 2, 3]\n  .map((x) => x * 2)\n  .filter((x) => x > 2)\n')).output).toStrictEqual([
      4, 6,
    ]);
  });
});

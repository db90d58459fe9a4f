// Generated loops do in the executor what they do in plain Node.js (`vm`) and take as many iterations. A run that may
// take fewer is refused, wherever its iterations are; what it has done by then is at least what those that it may take
// do, and nothing except what comes next (crates/prepare/src/transform/guards.rs).
import vm from 'node:vm';

import { describe, expect, test } from 'vitest';

import fc from '../fast-check.mjs';
import { expectCode, withExecutor } from '../helpers.mjs';

const COUNT = '/*count*/';

/// `slow` loops when it is read, `sometimes` throws, and `odd` is an object that loops when it is made a number.
const PRELUDE = `
const trace = [];
let s = 0, n = 6;
const a = [1, 2, 3], u8 = new Uint8Array(8), text = 'counted';
const o = {
  reads: 0,
  get slow() { for (let k = 0; k < 3; k++) {${COUNT} this.reads += k; } return this.reads; },
  get sometimes() { if (++this.reads % 5 === 0) throw new Error('own ' + this.reads); return 1; },
  set back(v) { for (let k = v % 3; k > 0; k--) {${COUNT} n = 5; } },
};
const odd = { valueOf() { for (let k = 0; k < 2; k++) {${COUNT} s++; } return 1; } };
const top = 7, odder = odd;
let low = 5;
`;

const STATEMENTS = [
  's += i;',
  's = (s * 3 + i) % 1000;',
  'a[i & 7] = s % 10;',
  'u8[i & 7] += i;',
  'trace.push(i);',
  'trace.push(s % 100);',
  'if (i === 3) break;',
  'if (i % 2) continue;',
  'if (s > 500) break;',
  's += text.charCodeAt(i & 3);',
  's += Math.max(i, 2);',
  'const { length: x = 1 } = a; s += x;',
  'switch (i) { case 1: s++; break; case 2: if (s) break; default: s += 2; }',
  'inner: { if (i > 2) break inner; s++; }',
  'o.slow;',
  'o.sometimes;',
  'o.back = i;',
  's += odd;',
  'n = 4;',
  'if (n > 3) n--;',
  'low--;',
  '[(low)] = [6];',
  '(i) = i + 1;',
  '[(i)] = [i + 1];',
  'step = 2;',
  'm = (m * 3 + i) % 97;',
  'w[i & 3] = m;',
  'w[m] += w[i & 3];',
  'if (w[0] > 3 && i !== 2) m ^= i; else w[1]++;',
  'm += w[9];',
  'm = i % 2 ? 1 : -m, w[2] = m;',
  'm += w[w[9]] ? 1 : 2;',
  'list[i & 3] = m;',
  'm = w;',
  'big[i & 1] = 1;',
  'if (i > 4) throw new RangeError("own " + i);',
  'if (i === 6) return trace.push("return");',
  'if (i === 5) continue outer;',
  'if (i === 7) break outer;',
  'let j = i; j++; s += j;',
  's += [i, ...a].length;',
  's += `${i}`.length + (text?.length ?? 0);',
  ';',
];

/** Of loops that only compute with numbers, so that they need nothing to cut them off. */
const COMPUTING = [
  'm = (m * 3 + i) % 97;',
  'w[i & 3] = m;',
  'w[m] += w[i & 3];',
  'if (w[0] > 3 && i !== 2) m ^= i; else w[1]++;',
  'if (!(i & 1)) continue;',
  'm += w[9];',
  'm = i % 2 ? 1 : -m, w[2] = m;',
  'u8[i & 7] += i;',
  's += i;',
  'm -= top;',
];

const computingLoop = fc.record({
  start: fc.constantFrom('0', '-5', '7', 'm', '0.5', '"1"', '-0', 'NaN', '2147483640'),
  test: fc.constantFrom('i < 8', 'i < top', 'i <= low', 'i < half', 'i < 2147483645', 'i <= m'),
  update: fc.constantFrom('i++', '++i', 'i += 2', 'i += step', 'i += top', 'i += by'),
  body: fc.uniqueArray(fc.constantFrom(...COMPUTING), { maxLength: 4 }),
  caught: fc.boolean(),
  again: fc.integer({ min: 1, max: 3 }),
  computes: fc.constant(true),
});

const statements = fc.uniqueArray(fc.constantFrom(...STATEMENTS), { minLength: 1, maxLength: 4 });
const loop = fc.record({
  start: fc.constantFrom('0', '1', '-2', '7', '9', '0.5', '"1"', 's % 4', 'o.slow', 'NaN', '-0', '2147483640'),
  test: fc.constantFrom(
    'i < 8',
    'i <= n',
    'i < top',
    'i <= low',
    'i > low',
    'i < odder',
    'i < half',
    'i < a.length && i < 9',
    'i > 0',
    'i >= -3',
    'i * i < 40',
    'i < n && s < 900',
    'i < n + odd',
    'i < 6 && o.slow >= 0',
    '(s++, i < 5)',
    'i < 2147483645',
  ),
  update: fc.constantFrom(
    'i++',
    '++i',
    'i--',
    'i += 2',
    'i -= 2',
    'i += 3',
    'i += step',
    'i += low',
    'i += half',
    'i += odder',
  ),
  body: statements,
  caught: fc.boolean(),
  again: fc.integer({ min: 1, max: 3 }),
});

// Loops that would not end are cut off, in both texts. In the program's own body there is no `return`.
const print = ({ start, test, update, body, caught, again, computes = false }, index, isFlat) => {
  const statements = body.join(' ').replaceAll('return ', isFlat ? '' : 'return ');
  const inner = `for (let i = ${start}; (${test}); ${update}) {${COUNT} ${statements} ${computes ? '' : 'if (trace.length + s > 3000) break; s++;'} }`;
  const own = `let half = ${again} / 2, m = ${again}, by = 3; const list = [1, 2], w = new Int16Array(4), big = new BigInt64Array(2);
    Object.defineProperty(w, 'undefined', { get() { for (let k = 0; k < 2; k++) {${COUNT} s++; } return 1; } });`;
  const text = `${own} outer: for (let step = 1; step <= ${again}; step++) {${COUNT} ${inner} } trace.push(typeof m === 'number' ? m : 'w', ...w);`;
  const guarded = caught ? `try { ${text} } catch (e) {/*catch*/ trace.push(e.message); }` : text;
  return isFlat ? `{ ${guarded} }\n` : `const f${index} = () => { ${guarded} return s; };\ntrace.push(f${index}());\n`;
};

const program = fc
  .tuple(fc.array(fc.oneof(loop, computingLoop), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([loops, isFlat]) => PRELUDE + loops.map((it, index) => print(it, index, isFlat)).join(''));

/** What plain JavaScript does, and where it stands after `limit` iterations. */
const runReference = (source, limit) => {
  let operations = 0;
  const stop = new Error('the limit');
  const count = () => {
    if (operations === limit) throw stop;
    operations++;
  };
  const text = source.replaceAll(COUNT, ' __count();').replaceAll('/*catch*/', ' if (e === __stop) throw e;');
  const state = {};
  const main = vm.runInThisContext(
    `((__count, __stop, __state) => { "use strict";\n${text.replace('const trace', 'const trace = __state.trace = []; const _')}\n})`,
  );
  try {
    main(count, stop, state);
    return { operations, trace: state.trace };
  } catch (error) {
    return {
      operations,
      trace: state.trace,
      stopped: error === stop,
      thrown: error === stop ? undefined : error.message,
    };
  }
};

const LIMIT = 20_000;

test('generated loops give the same results and counts, up to any limit', async () => {
  await withExecutor({ maxOperations: LIMIT, timeoutMs: 20_000 }, {}, async (executor) => {
    await fc.assert(
      fc.asyncProperty(program, fc.double({ min: 0, max: 1, noNaN: true }), async (source, share) => {
        const reference = runReference(source, LIMIT);
        fc.pre(!reference.stopped);
        try {
          const { stats } = await executor.run(source);
          expect(reference.thrown).toBe(undefined);
          expect(stats.operations).toBe(reference.operations);
        } catch (error) {
          if (error.code !== 'ERR_RUNTIME_EXCEPTION') throw error;
          expect(error.details.message).toBe(reference.thrown);
          expect(error.stats.operations).toBe(reference.operations);
        }
        expect((await executor.run('trace')).output).toStrictEqual(reference.trace);
        const fewer = Math.floor(share * (reference.operations - 1));
        if (fewer < 1) return;
        const stopped = runReference(source, fewer);
        await expectCode(executor.run(source, { maxOperations: fewer }), 'ERR_MAX_OPS_EXCEEDED');
        const { output: trace } = await executor.run('trace');
        expect(trace.slice(0, stopped.trace.length)).toStrictEqual(stopped.trace);
        expect(reference.trace.slice(0, trace.length)).toStrictEqual(trace);
      }),
      { numRuns: 900 },
    );
  });
}, 120_000);

describe('iterations of a counted loop', () => {
  test.each([1, 2, 4095, 4096, 4097, 8191, 8192, 8193, 49_999])('%d of them are counted exactly', async (n) => {
    const code = `let last = -1; for (let i = 0; i < ${n}; i++) { last = i; } last`;
    await withExecutor({}, {}, async (executor) => {
      const { output, stats } = await executor.run(code, { maxOperations: n });
      expect(output).toBe(n - 1);
      expect(stats.operations).toBe(n);
      if (n === 1) return;
      const error = await expectCode(executor.run(code, { maxOperations: n - 1 }), 'ERR_MAX_OPS_EXCEEDED');
      expect(error.stats.operations).toBe(n - 1);
      expect((await executor.run('last')).output).toBe(n - 2);
    });
  });

  const LEFT = {
    break: 'for (let i = 0; i < 100; i++) if (i === 9) break;',
    return: '(() => { for (let i = 0; i < 100; i++) if (i === 9) return; })();',
    'return of a value': '(() => { for (let i = 0; i < 100; i++) if (i === 9) return i; })();',
    throw: 'try { for (let i = 0; i < 100; i++) if (i === 9) throw 1; } catch {}',
    'continue of a loop outside': 'a: for (const x of [1]) for (let i = 0; i < 100; i++) if (i === 8) continue a;',
    'an exception':
      'const o = [{}]; try { for (let i = 9; i >= 0; i--) o[i && 0].x.y; } catch {} for (let i = 0; i < 9; i++);',
    'an exception in a function':
      'const f = () => { for (let i = 0; i < 9; i++) if (i === 4) null[i]; }; try { f(); } catch {} for (let i = 0; i < 5; i++);',
    'an exception, then a loop in a function':
      'const f = (x) => { for (let i = 0; i < 5; i++) if (i === 4) x[i]; }; try { f(); } catch {} f([]);',
    'an exception that a getter catches':
      'const o = { get x() { try { for (let i = 0; i < 4; i++) if (i === 2) null[i]; } catch { return 1; } } }; let s = 0; for (let i = 0; i < 2; i++) s += o.x; for (let i = 0; i < 2; i++);',
    'a getter that loops':
      'const o = { get x() { for (let i = 0; i < 4; i++); return 1; } }; for (let i = 0; i < 2; i++) o.x;',
    'an assignment to the variable': 'for (let i = 0; i < 19; i++) i++;',
    'a bound that moves': 'let n = 20; for (let i = 0; i < n; i++) n--;',
    'a step that changes':
      'for (let s = 1; s < 2; s++) for (let i = 0; i < 10; i += s) { if (i === 4) s = 2; } for (let i = 0; i < 2; i++);',
    'a closure over the variable': 'const f = []; for (let i = 0; i < 10; i++) f.push(() => i);',
  };

  test.each(Object.entries(LEFT))('that ends by %s are counted exactly', async (_name, code) => {
    const loops = `${code}\n"done"`;
    await withExecutor({}, {}, async (executor) => {
      expect((await executor.run(loops, { maxOperations: 10 })).stats.operations).toBe(10);
      await expectCode(executor.run(loops, { maxOperations: 9 }), 'ERR_MAX_OPS_EXCEEDED');
      expect((await executor.run('for (let i = 0; i < 10; i++); 1', { maxOperations: 10 })).output).toBe(1);
    });
  });
});

test('each iteration has its own variable for closures', async () => {
  await withExecutor({}, {}, async (executor) => {
    const { output } = await executor.run(
      'const f = []; for (let i = 0; i < 3; i++) f.push(() => i); f.map((g) => g())',
    );
    expect(output).toStrictEqual([0, 1, 2]);
  });
});

test('a getter in the body does not see the count of the loop that reads it', async () => {
  await withExecutor({}, {}, async (executor) => {
    const code = `
      let outer = 0, inner = 0;
      const o = { get x() { for (let i = 0; i < 1000; i++) inner++; return 1; } };
      for (let i = 0; i < 1000; i++) { outer++; o.x; }`;
    await expectCode(executor.run(code, { maxOperations: 10_000 }), 'ERR_MAX_OPS_EXCEEDED');
    expect((await executor.run('[outer, inner]')).output).toStrictEqual([11, 10_000]);
  });
});

test('an iteration whose test exhausts the limit is refused', async () => {
  await withExecutor({}, {}, async (executor) => {
    const code = `
      let outer = 0;
      const n = { valueOf() { for (let i = 0; i < 4; i++); return 1; } };
      (() => { for (let i = 0; i < n; i++) outer++; })();`;
    for (const [limit, taken] of [
      [3, 0],
      [4, 1],
      [8, 1],
    ]) {
      await expectCode(executor.run(code, { maxOperations: limit }), 'ERR_MAX_OPS_EXCEEDED');
      expect((await executor.run('outer')).output).toBe(taken);
    }
    expect((await executor.run(code, { maxOperations: 9 })).stats.operations).toBe(9);
  });
});

test('a final answer in the body ends the loop', async () => {
  await withExecutor({}, {}, async (executor) => {
    const code = `
      let n = 0;
      const o = { get x() { if (n === 5) { try { final_answer(n); } finally { n = 6; } } return 1; } };
      for (let i = 0; i < 1000; i++) { n++; o.x; }`;
    const { output, is_final_answer: isFinal, stats } = await executor.run(code);
    expect([output, isFinal, stats.operations]).toStrictEqual([5, true, 5]);
    expect((await executor.run('n')).output).toBe(6);
  });
});

test.each([
  'for (let i = 0; i < 1e12; i++);',
  'let s = 0; for (let i = 0; i < 1e12; i++) s = (s + i) | 0;',
  'let s = 0; for (let j = 0; j < 1e9; j++) for (let i = 0; i < 10; i++) s = (s + i) | 0;',
  'const a = new Uint8Array(100); for (let i = 0; ; i++) a[i % 100] = 1;',
  'let s = 0; const m = new Map(); for (let i = 0; i < 1e12; i++) s += m.get(i) ?? 1;',
])('a deadline ends %s', async (code) => {
  await withExecutor({ maxOperations: 1e15, timeoutMs: 200 }, {}, async (executor) => {
    // Without a deadline, each takes over ten minutes: the test would end first.
    await expectCode(executor.run(code), 'ERR_EXEC_TIMEOUT');
  });
});

// A program that is repeated in one session reuses the function that V8 has compiled before. Runs stay separate all the
// same.

import { expect, test } from 'vitest';

import { expectCode, withExecutor } from '../helpers.mjs';

/** The first run compiles it, the second one does so and keeps the function, which the later ones call. */
const RUNS = 5;

test('V8 compiles a repeated program twice, and again after 16 other programs', () =>
  withExecutor({}, {}, async (executor) => {
    // Each place in source text that V8 has compiled has its own array.
    const code =
      'const same = (strings) => strings; globalThis.compiled ??= new Set(); compiled.add(same`x`).size; compiled.size';
    const sizes = [];
    for (let run = 0; run < RUNS; run++) sizes.push((await executor.run(code)).output);
    for (let other = 0; other < 15; other++) await executor.run(`const other = ${other}; other`);
    sizes.push((await executor.run(code)).output);
    for (let other = 0; other < 16; other++) await executor.run(`const other = ${other}; other`);
    for (let run = 0; run < RUNS; run++) sizes.push((await executor.run(code)).output);
    expect(sizes).toStrictEqual([1, 2, 2, 2, 2, 2, 3, 4, 4, 4, 4]);
  }));

test('each run has its own variables, functions and classes', () =>
  withExecutor({}, {}, async (executor) => {
    const code = `
      const { add, Point } = (() => {
        let count = 0;
        return { add: () => ++count, Point: class { static made = 0; constructor() { this.constructor.made++; } } };
      })();
      add(); new Point(); add();
      globalThis.seen ??= [];
      seen.push([add, Point]);
      [add(), Point.made]`;
    for (let run = 0; run < RUNS; run++) expect((await executor.run(code)).output).toStrictEqual([3, 1]);
    const { output } = await executor.run('[new Set(seen.flat()).size, seen.map(([add, { made }]) => [add(), made])]');
    expect(output).toStrictEqual([2 * RUNS, Array.from({ length: RUNS }, () => [4, 1])]);
  }));

test('a repeated run sees changes by the host and by other programs', () =>
  withExecutor({}, {}, async (executor) => {
    const code = 'const twice = () => factor * 2; var last = twice(); kept = kept + last; kept';
    await executor.run('let kept = 0');
    let kept = 0;
    for (let run = 1; run <= RUNS; run++) {
      await executor.sendVariables({ factor: run });
      kept += 2 * run;
      expect((await executor.run(code)).output).toBe(kept);
    }
    await executor.run("kept = 'text'");
    await executor.sendVariables({ factor: 1n });
    const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
    expect(error.message).toBe(
      'Runtime exception: TypeError: Cannot mix BigInt and other types, use explicit conversions',
    );
    await executor.sendVariables({ factor: 1 });
    expect((await executor.run(code)).output).toBe('text2');
  }));

test('an error names the step that ran and the place in its source', () =>
  withExecutor({}, {}, async (executor) => {
    const code =
      'const inner = () => { if (isBroken) throw new TypeError("broken"); return new Error("x").stack; };\n\ninner()';
    await executor.sendVariables({ isBroken: false });
    for (let run = 1; run <= RUNS; run++) {
      const { output } = await executor.run(code);
      expect(output).toBe(`Error: x\n    at inner (step-${run}.js:1:75)\n    at step-${run}.js:3:1`);
    }
    await executor.sendVariables({ isBroken: true });
    const error = await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
    expect(error.details).toMatchObject({ line: 1, column: 43 });
    expect(error.details.stack).toBe(
      `TypeError: broken\n    at inner (step-${RUNS + 1}.js:1:43)\n    at step-${RUNS + 1}.js:3:1`,
    );
  }));

test('the limits apply in each repeated run, and an exceeding loop is named', () =>
  withExecutor({ maxOperations: 1_000 }, {}, async (executor) => {
    const code = 'let sum = 0;\nfor (let i = 0; i < rounds; i++) sum += i;\nsum';
    await executor.sendVariables({ rounds: 900 });
    for (let run = 0; run < RUNS; run++) {
      const { output, stats } = await executor.run(code);
      expect([output, stats.operations]).toStrictEqual([404_550, 900]);
    }
    await executor.sendVariables({ rounds: 1_001 });
    const error = await expectCode(executor.run(code), 'ERR_MAX_OPS_EXCEEDED');
    expect(error.details).toMatchObject({ line: 2, column: 1, maxOperations: 1_000 });
    await executor.sendVariables({ rounds: 1_000 });
    expect((await executor.run(code)).stats.operations).toBe(1_000);
  }));

test('a program that awaits can be repeated too', () => {
  let count = 0;
  return withExecutor({}, { next: async () => ++count }, async (executor) => {
    const code = 'const first = await next();\nconst second = await next();\n[first, second]';
    for (let run = 0; run < RUNS; run++)
      expect((await executor.run(code)).output).toStrictEqual([2 * run + 1, 2 * run + 2]);
  });
});

test('functions show their source text from the latest run', () =>
  withExecutor({}, {}, async (executor) => {
    const code = 'function f( a,b ) { /* kept */ return a+b }\nclass C { m( ) {} }\n[String(f), String(C)]';
    const other = code.replace('kept', 'else');
    for (let run = 0; run < RUNS; run++) {
      for (const text of [code, other]) {
        expect((await executor.run(text)).output).toStrictEqual(text.split('\n').slice(0, 2));
      }
    }
  }));

test.each([
  ['that keeps its state', { keepState: true }, ''],
  ['whose functions use the values that fill the memory', {}, 'const count = () => list.length; '],
])('a session %s continues with its programs after it exhausted the memory', (_, options, use) =>
  withExecutor({ memoryLimitMb: 32, ...options }, {}, async (executor) => {
    const code = `const list = []; ${use}while (list.length < length) list.push(new Array(1e4).fill(list.length)); list.length`;
    await executor.sendVariables({ length: 10 });
    for (let run = 0; run < RUNS; run++) expect((await executor.run(code)).output).toBe(10);
    await executor.sendVariables({ length: 1e6 });
    await expectCode(executor.run(code), 'ERR_MEMORY_LIMIT_EXCEEDED');
    await executor.sendVariables({ length: 10 });
    for (let run = 0; run < RUNS; run++) expect((await executor.run(code)).output).toBe(10);
  }),
);

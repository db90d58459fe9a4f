// Libraries from npm as modules of guests, from the files that their packages have.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { describe, expect, test } from 'vitest';

import { expectCode, withExecutor } from '../helpers.mjs';

const require = createRequire(import.meta.url);
const text = (file) => readFileSync(require.resolve(file), 'utf8');

const run = (name, source, code) =>
  withExecutor({ authorizedImports: [name], modules: { [name]: source } }, {}, async (executor) => {
    const { output, stats } = await executor.run(code);
    return { output, stats };
  });

test('lodash, which looks up the global by name, works', async () => {
  const { output } = await run(
    'lodash',
    `${text('lodash/lodash.js')}\nexport default self._;`,
    `const { default: _ } = await import('lodash');
     [_.chunk([1, 2, 3], 2), _.groupBy(['a', 'bb', 'cc'], 'length'), _.template.name, _.merge({ a: { b: 1 } }, { a: { c: 2 } })]`,
  );
  expect(output).toStrictEqual([[[1, 2], [3]], { 1: ['a'], 2: ['bb', 'cc'] }, 'template', { a: { b: 1, c: 2 } }]);
});

test('a library may define itself on the global under the name that the import declares', async () => {
  const source =
    'if (self.lib !== undefined) throw new Error("it is there"); self.lib = { v: 1 }; export default self.lib;';
  const code = "const { default: lib } = await import('lib'); lib.v";
  expect((await run('lib', source, code)).output).toBe(1);
  const { output } = await run(
    'lib',
    source,
    "try { const x = (await import('lib')).default; null.x; } catch {} lib.v",
  );
  expect(output).toBe(1);
});

test('underscore works', async () => {
  const { output } = await run(
    'underscore',
    text('underscore/underscore-esm.js'),
    `const { default: _ } = await import('underscore'); [_.range(3), _([3, 1, 2]).chain().sortBy().first().value()]`,
  );
  expect(output).toStrictEqual([[0, 1, 2], 1]);
});

test('a module may be larger than maxCodeBytes, up to 8 MiB', async () => {
  const module = (bytes) => `export const v = 1; // ${'x'.repeat(bytes - 23)}`;
  const code = "(await import('m')).v";
  expect((await run('m', module(8 * 2 ** 20), code)).output).toBe(1);
  const error = await run('m', module(8 * 2 ** 20 + 1), code).catch((thrown) => thrown);
  expect([error.code, error.details.message]).toStrictEqual([
    'ERR_RUNTIME_EXCEPTION',
    'Module \'m\' cannot be loaded: in module "m": the program has 8388609 bytes; at most 8388608 are accepted',
  ]);
});

describe('the count of operations', () => {
  const loops = (count) => `let n = 0; for (const x of Array(${count}).keys()) n += x;`;
  const withModule = (source, fn) =>
    withExecutor({ authorizedImports: ['m'], modules: { m: source }, maxOperations: 1_000 }, {}, fn);

  test('excludes the loading of a library', async () => {
    const source = `${loops(20_000)} let m = 0; while (m < 20_000) m++; export default n + m;`;
    await withModule(source, async (executor) => {
      const { output, stats } = await executor.run("for (let i = 0; i < 10; i++); (await import('m')).default");
      expect(output).toBe(199_990_000 + 20_000);
      expect(stats.operations).toBe(10);
    });
  });

  test('has a separate limit for the loading of a library', async () => {
    await withModule('for (;;);', async (executor) => {
      await expectCode(executor.run("await import('m')"), 'ERR_MAX_OPS_EXCEEDED');
      expect((await executor.run('for (let i = 0; i < 1_000; i++); 1')).output).toBe(1);
    });
  });

  test("includes the library's functions", async () => {
    await withModule(`export const f = () => { ${loops(1_001)} }`, async (executor) => {
      await expectCode(executor.run("(await import('m')).f()"), 'ERR_MAX_OPS_EXCEEDED');
    });
  });

  test('is limited again after a library has loaded, however that ended', async () => {
    const endings = [
      'throw new Error("m");',
      'for (let i = 0; i < 1e6; i++) { if (i === 500_000) throw new Error("m"); }',
    ];
    for (const ending of endings) {
      await withModule(`${loops(5_000)} ${ending}`, async (executor) => {
        const load = "try { await import('m') } catch (error) { if (error.message !== 'm') throw error }";
        expect((await executor.run(`${load} for (let i = 0; i < 900; i++); 1`)).stats.operations).toBe(900);
        await expectCode(executor.run(`${load} for (let i = 0; i < 1_001; i++);`), 'ERR_MAX_OPS_EXCEEDED');
      });
    }
  });

  test('excludes a library that is loaded inside a loop', async () => {
    await withModule(loops(5_000), async (executor) => {
      const { stats } = await executor.run("for (let i = 0; i < 600; i++) import('m'); for (let i = 0; i < 300; i++);");
      expect(stats.operations).toBe(900);
    });
  });

  test('ends with a final answer of a library that is loading', async () => {
    await withModule(`${loops(5_000)} final_answer(n);`, async (executor) => {
      const { output, stats } = await executor.run("for (let i = 0; i < 5; i++); await import('m')");
      expect([output, stats.operations]).toStrictEqual([12_497_500, 5]);
    });
  });
});

// The depth of a library was estimated from its brackets and operators, and 10,000 cases in a row were "nested too
// deeply".
test('a large library that is not deep loads', async () => {
  const cases = Array.from({ length: 20_000 }, (_, i) => `case ${i}:`).join('');
  const source = `export const f=x=>{switch(x){${cases}return 1}return/[/]}/.test('/}')?2:3}`;
  expect((await run('m', source, "const { f } = await import('m'); [f(7), f(-1)]")).output).toStrictEqual([1, 2]);
});

test('a deep library loads', async () => {
  const error = await run(
    'm',
    `export default ${'['.repeat(200_000)}${']'.repeat(200_000)}`,
    "await import('m')",
  ).catch((e) => e);
  // How far the parser comes depends on its stack.
  expect([error.code, error.details.message.replace(/column \d+/, 'column N')]).toStrictEqual([
    'ERR_RUNTIME_EXCEPTION',
    'Module \'m\' cannot be loaded: in module "m", line 1, column N: the program is nested too deeply (limit: 3000 levels)',
  ]);
});

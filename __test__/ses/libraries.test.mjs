// Libraries from npm as modules of guests, from the files that their packages have.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { expect, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

const require = createRequire(import.meta.url);
const text = (file) => readFileSync(require.resolve(file), 'utf8');

const run = (name, source, code) =>
  withExecutor({ authorizedImports: [name], modules: { [name]: source } }, {}, async (executor) => {
    const { output, stats } = await executor.run(code);
    return { output, stats };
  });

test('lodash, which looks for the global by name', async () => {
  const { output } = await run(
    'lodash',
    `${text('lodash/lodash.js')}\nexport default self._;`,
    `const { default: _ } = await import('lodash');
     [_.chunk([1, 2, 3], 2), _.groupBy(['a', 'bb', 'cc'], 'length'), _.template.name, _.merge({ a: { b: 1 } }, { a: { c: 2 } })]`,
  );
  expect(output).toEqual([[[1, 2], [3]], { 1: ['a'], 2: ['bb', 'cc'] }, 'template', { a: { b: 1, c: 2 } }]);
});

test('a library may put itself on the global under the name that the import declares', async () => {
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

test('underscore', async () => {
  const { output } = await run(
    'underscore',
    text('underscore/underscore-esm.js'),
    `const { default: _ } = await import('underscore'); [_.range(3), _([3, 1, 2]).chain().sortBy().first().value()]`,
  );
  expect(output).toEqual([[0, 1, 2], 1]);
});

test('a module may be larger than maxCodeBytes, up to 8 MiB', async () => {
  const module = (bytes) => `export const v = 1; // ${'x'.repeat(bytes - 23)}`;
  const code = "(await import('m')).v";
  expect((await run('m', module(8 * 2 ** 20), code)).output).toBe(1);
  const error = await run('m', module(8 * 2 ** 20 + 1), code).catch((thrown) => thrown);
  expect([error.code, error.details.message]).toEqual([
    'ERR_RUNTIME_EXCEPTION',
    'Module \'m\' cannot be loaded: in module "m": the program has 8388609 bytes; at most 8388608 are accepted',
  ]);
});

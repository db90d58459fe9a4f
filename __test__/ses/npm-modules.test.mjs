// `npmModules`: installed packages as modules of guest code.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { SESExecutor, npmModules } from '../../index.mjs';
import { ROOT, withFolder } from '../helpers.mjs';

/** Calls `fn` with a folder that has these packages, by name: the source text of each. */
const withPackages = (packages, fn) =>
  withFolder((folder) => {
    for (const [name, text] of Object.entries(packages)) {
      const of = join(folder, 'node_modules', name);
      mkdirSync(of, { recursive: true });
      writeFileSync(join(of, 'package.json'), JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
      writeFileSync(join(of, 'index.js'), text);
    }
    return fn(folder);
  });

describe('npmModules', () => {
  test('bundles packages with what they require, for the options of an executor', () =>
    withPackages(
      { twice: 'module.exports = (n) => 2 * n;', four: 'exports.four = (n) => require("twice")(require("twice")(n));' },
      async (from) => {
        const { reports, ...options } = await npmModules({ names: ['four'], from });
        expect(options.authorizedImports).toStrictEqual(['four']);
        expect(reports).toStrictEqual([
          {
            name: 'four',
            bytes: Buffer.byteLength(options.modules.four),
            lacks: [],
            imports: [],
            exports: ['default', 'four'],
          },
        ]);
        const executor = new SESExecutor({ ...options, autoInit: true });
        expect((await executor.run('(await import("four")).four(3)')).output).toBe(12);
        await executor.cleanup();
      },
    ));

  test('reports what packages need that guests do not have, and why one does not load', () =>
    withPackages(
      {
        timers: 'exports.later = (fn) => setTimeout(fn, 1); exports.read = () => require("node:fs").readFileSync;',
        broken: 'throw new Error("no window");',
      },
      async (from) => {
        const { reports, modules } = await npmModules({ names: ['timers', 'broken'], from });
        const [timers, broken] = reports;
        expect(timers.lacks.map(({ name }) => name)).toContain('setTimeout');
        expect(timers.imports).toStrictEqual(['node:fs']);
        expect(broken).toMatchObject({ name: 'broken', exports: [], error: expect.stringContaining('no window') });
        expect(Object.keys(modules)).toStrictEqual(['timers', 'broken']);
      },
    ));

  test('finds packages of this folder by default, and a real library works', async () => {
    const { authorizedImports, modules, reports } = await npmModules({ names: ['lodash'], from: ROOT });
    expect(reports[0].error).toBeUndefined();
    const executor = new SESExecutor({ autoInit: true, authorizedImports, modules });
    expect((await executor.run('(await import("lodash")).chunk([1, 2, 3], 2)')).output).toStrictEqual([[1, 2], [3]]);
    await executor.cleanup();
  });

  test('a package that is not installed is named', () =>
    withFolder(async (from) => {
      await expect(npmModules({ names: ['nowhere'], from })).rejects.toThrow(
        new Error(`nowhere of ${from} cannot be bundled: there is no such file and no such package`),
      );
    }));

  test.each([
    [{}, 'options.names must be an array of names of packages, got undefined'],
    [{ names: 'lodash' }, 'options.names must be an array of names of packages, got "lodash"'],
    [{ names: [], folder: '.' }, 'options.folder is not an option; the options are names, from'],
    [{ names: [], from: 1 }, 'options.from must be a folder, got 1'],
  ])('%j is refused', async (options, message) => {
    await expect(npmModules(options)).rejects.toThrow(new TypeError(message));
  });
});

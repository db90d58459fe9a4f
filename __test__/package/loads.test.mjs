// The package as its users load it.

import { describe, expect, test } from 'vitest';

import { runChild, testIf } from '../helpers.mjs';

describe('the package can be loaded', () => {
  test('as an ES module', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { ExecutorError, SESExecutor, prepareProgram, validateCode } from 'ses-executor';
      const executor = new SESExecutor();
      await executor.init();
      console.log((await executor.run('1 + 1')).output, typeof ExecutorError, validateCode('1'), prepareProgram('1').originalCode);
    `);
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '2 function [] 1\n', stderr: '' });
  });

  test('as a CommonJS module', async () => {
    const script = `
      const { ExecutorError, SESExecutor, prepareProgram, validateCode } = require('ses-executor');
      (async () => {
        const executor = new SESExecutor();
        await executor.init();
        console.log((await executor.run('1 + 1')).output, typeof ExecutorError, validateCode('1'), prepareProgram('1').originalCode);
      })();
    `;
    const { status, stdout, stderr } = await runChild(script, { format: 'commonjs' });
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '2 function [] 1\n', stderr: '' });
  });

  test('in both formats at the same time, with the same exports', async () => {
    const { status, stdout, stderr } = await runChild(`
      import { createRequire } from 'node:module';
      import * as esm from 'ses-executor';
      const cjs = createRequire(import.meta.url)('ses-executor');
      const isSame = Object.keys(esm).every((name) => esm[name] === cjs[name]);
      console.log(JSON.stringify({ esm: Object.keys(esm).sort(), cjs: Object.keys(cjs).sort(), isSame }));
    `);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    const { esm, cjs, isSame } = JSON.parse(stdout);
    expect(esm).toStrictEqual(
      expect.arrayContaining(['ExecutorError', 'SESExecutor', 'prepareProgram', 'validateCode']),
    );
    expect(esm).toStrictEqual(cjs);
    expect(isSame).toBe(true);
  });

  // Descriptions of file tools were made for the folder `.`, whose path is asked for then. Windows lets nobody remove
  // it.
  testIf(process.platform !== 'win32')('in a folder that was deleted, with all sub-paths', async () => {
    const script = `
      const { mkdtempSync, rmdirSync } = require('node:fs');
      const { exports: paths } = require('ses-executor/package.json');
      const { resolve } = require('node:path');
      const files = Object.keys(paths).map((path) => require.resolve('ses-executor' + path.slice(1)));
      const folder = mkdtempSync(resolve(require('node:os').tmpdir(), 'ses-executor-test-'));
      process.chdir(folder);
      rmdirSync(folder);
      for (const file of files) require(file);
      const executor = new (require(files[0]).SESExecutor)({ autoInit: true });
      executor.run('1 + 1').then(({ output }) => console.log(files.length > 10, output));
    `;
    const { status, stdout, stderr } = await runChild(script, { format: 'commonjs' });
    expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: 'true 2\n', stderr: '' });
  });
});

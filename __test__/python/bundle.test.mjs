// `ses-executor/python` in a bundle for browsers: there is no addon, so it reports what it uses instead: plain Pyodide.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import { expect, test } from 'vitest';

import { ROOT, runChild, withFolder } from '../helpers.mjs';

test('a bundle for browsers contains plain Pyodide and warns about that', { timeout: 120_000 }, () =>
  withFolder(async (folder) => {
    const outfile = join(folder, 'bundle.mjs');
    const { warnings } = await build({
      stdin: { contents: "export { PyodideExecutor, addPackages } from 'ses-executor/python';", resolveDir: ROOT },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      external: ['pyodide'],
      outfile,
      logLevel: 'silent',
    });
    expect(warnings).toStrictEqual([]);
    const { status, stdout, stderr } = await runChild(`
      import { loadPyodide } from 'pyodide';
      // As a page has it.
      globalThis.window = { loadPyodide: () => loadPyodide() };
      const { PyodideExecutor, addPackages } = await import(${JSON.stringify(pathToFileURL(outfile).href)});
      const said = (work) => Promise.resolve().then(work).catch(({ message }) => message);
      const executor = new PyodideExecutor(['math'], { engine: 'host', mount: false });
      await executor.sendTools({ double: (n) => n * 2 });
      const { output } = await executor.run('import math\\nprint("logged")\\ndouble(math.floor(20.5)) + 2');
      const failure = await executor.run('import os').catch((error) => error);
      console.log(JSON.stringify([output, failure.code, failure.details.name]));
      console.log(await said(() => new PyodideExecutor()));
      console.log(await said(() => addPackages('folder', [])));
      console.log(await said(() => new PyodideExecutor([], { engine: 'host', mountPoint: {} })));
      await executor.cleanup();
    `);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    const notHere =
      'a bundle for browsers has no isolates: the addon of this package is not there. Use engine: "host", which runs Python unprotected';
    expect(stdout.trim().split('\n')).toStrictEqual([
      JSON.stringify([42, 'ERR_IMPORT_NOT_ALLOWED', 'ImportError']),
      notHere,
      notHere,
      'options.mountPoint must be an absolute path, got an object',
    ]);
  }),
);

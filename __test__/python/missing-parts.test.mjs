// What code asks for and does not get: the failure names what is missing, and whose part it is.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { PyodideExecutor, addPackages } from '../../build/python/index.js';
import { FIRST_START_MS, failureOf } from './suite.mjs';
import { buildWheels } from './wheels.mjs';

const root = mkdtempSync(join(tmpdir(), 'missing-'));
/** @type {PyodideExecutor} */
let executor;
beforeAll(async () => {
  // The files where libraries for HTTP look for a browser.
  const body = `def get(url):\n    from js import console\ndef post(url):\n    import js\n    js.XMLHttpRequest\n`;
  const files = {
    'urllib3/__init__.py': '',
    'urllib3/contrib/__init__.py': '',
    'urllib3/contrib/emscripten/__init__.py': body,
    'requests.py': 'from urllib3.contrib.emscripten import get, post',
  };
  const packages = join(root, 'packages');
  await addPackages(packages, await buildWheels(root, [{ name: 'requests', version: '1.0', files }]));
  const imports = [
    'numpy',
    'pandas.*',
    'sklearn',
    'requests',
    'urllib',
    'math',
    'lonely',
    'cloud.storage',
    'asyncio',
    'concurrent',
  ];
  executor = new PyodideExecutor(imports, { packages, mount: false });
}, FIRST_START_MS);
afterAll(async () => {
  await executor.cleanup();
  rmSync(root, { recursive: true });
});

describe('a module that is allowed but missing', () => {
  test.each([
    ['import numpy', 'numpy', 'numpy'],
    ['import numpy as np', 'numpy', 'numpy'],
    ['from numpy import array', 'numpy', 'numpy'],
    ['import pandas as pd', 'pandas', 'pandas'],
    ['from sklearn.svm import SVC', 'sklearn', 'sklearn'],
    ['import lonely', 'lonely', 'lonely'],
    ['import cloud.storage.blob', 'cloud', 'cloud'],
  ])('is named in the failure with what the host has to add: %s', async (code, module, name) => {
    const { code: kind, details } = await failureOf(executor, code);
    expect([kind, details.message]).toStrictEqual([
      'ERR_RUNTIME_EXCEPTION',
      `No module named '${module}': the host has to add it to the executor's \`packages\` (ses-executor python add ${name})`,
    ]);
  });

  test('that no host can add keeps its message', async () => {
    const { details } = await failureOf(executor, 'import math.nothing');
    expect(details.message).toBe("No module named 'math.nothing'; 'math' is not a package");
  });
});

describe('a network request', () => {
  test.each([
    ['import asyncio\nawait asyncio.open_connection("example.com", 80)'],
    ['import asyncio\nawait asyncio.start_server(print, "127.0.0.1", 80)'],
    ['import requests\nrequests.get("https://example.com")'],
    ['import requests\nrequests.post("https://example.com")'],
    ['import urllib.request\nurllib.request.urlopen("http://example.com")'],
    [
      "class NewConnectionError(OSError): pass\nraise NewConnectionError(\"HTTPSConnectionPool(host='x'): Failed to resolve 'x'\")",
    ],
  ])('fails because there is no network: %s', async (code) => {
    const { details } = await failureOf(executor, code);
    expect(details.message).toMatch(/: there is no network here>?$|^there is no network here$/);
  });
});

describe('another process', () => {
  test.each([
    ['import asyncio\nawait asyncio.create_subprocess_exec("ls")', 'there are no other processes here'],
    ['import asyncio\nawait asyncio.create_subprocess_shell("ls")', 'there are no other processes here'],
    ['from concurrent.futures import ProcessPoolExecutor\nProcessPoolExecutor()', 'there are no other processes here: use ThreadPoolExecutor, or call the function directly'],
  ])('is missing: %s', async (code, message) => {
    expect((await failureOf(executor, code)).details.message).toBe(message);
  }); // prettier-ignore
});

describe('modules that C code imports internally', () => {
  test.each([
    ['large binomials', 'import math\nmath.comb(100_000, 50_000) % 1_000_007', 37_660],
    ['divisions of large integers', 'len(hex(10**20_000 // (10**9_000 + 1)))', 9_138],
    ['type parameters', 'class A[T]:\n    x: T\nA.__type_params__[0].__name__', 'T'],
    ['functions with type parameters', 'def f[T](x: T) -> T: return x\nf(1)', 1],
  ])('are available: %s', async (_title, code, expected) => {
    expect((await executor.run(code)).output).toBe(expected);
  });

  test('are not available to guest code', async () => {
    const { output } = await executor.run('__import__("os", globals(), globals(), [])');
    expect(output).toBe(null);
    const { code } = await failureOf(executor, '__import__("os")');
    expect(code).toBe('ERR_IMPORT_NOT_ALLOWED');
  });
});

// `scripts/runtimes.mjs` runs tests in several runtimes and says which: they really run there.

import { expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

const version = ({ bun, deno, node }) => (bun ? `bun ${bun}` : deno ? `deno ${deno}` : `node ${node}`);

test('the tests and their child programs run in the requested runtime', async () => {
  const expected = process.env.SES_EXECUTOR_RUNTIME ?? version(process.versions);
  expect(version(process.versions)).toBe(expected);
  const { stdout, stderr } = await runChild(`console.log((${version})(process.versions));`);
  expect({ stdout, stderr }).toStrictEqual({ stdout: `${expected}\n`, stderr: '' });
});

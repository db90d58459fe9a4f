// The languages of `Intl` are those of the build's ICU data, and not those of Node.js.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT, withExecutor } from '../helpers.mjs';

test('guest code has the languages that docs/reference/platforms.md lists', async () => {
  const page = readFileSync(join(ROOT, 'docs/reference/platforms.md'), 'utf8');
  const [, listed] = /- Languages: ([\s\S]*?)\. Others/.exec(page);
  const [, bare] = /([\w, ]*) are reported as supported/.exec(page);
  const codes = (text) => text.split(/,|\band\b/).map((code) => code.trim());
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const all = [...letters.flatMap((a) => letters.map((b) => a + b)), 'fil'].sort();
  const known = all.filter((code) => Intl.DateTimeFormat.supportedLocalesOf(code)[0] === code);
  await withExecutor({}, {}, async (executor) => {
    await executor.sendVariables({ known });
    const { output } = await executor.run(`
      const supported = known.filter((code) => Intl.DateTimeFormat.supportedLocalesOf(code)[0] === code);
      const long = { dateStyle: 'long', timeZone: 'UTC' };
      const hasPatterns = (code) => !new Date(0).toLocaleDateString(code, long).includes('M01');
      [supported.filter(hasPatterns), supported.filter((code) => !hasPatterns(code))]`);
    expect(output).toStrictEqual([codes(listed).sort(), codes(bare).sort()]);
  });
});

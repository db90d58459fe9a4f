// `npm run demo:browser`: it draws a chart, and prints where the picture is.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT, spawnNode } from '../helpers.mjs';

test('the demo prints the size and the path of a PNG', async () => {
  const demo = await spawnNode(['examples/browser.mjs']);
  expect(demo).toMatchObject({ status: 0, signal: null, stderr: '' });
  const [, bytes, path] = /^480 x 280, (\d+) bytes: (\S+\.png)$/m.exec(demo.stdout);
  expect(demo.stdout).toContain('6 months, 图表 📊\nbest month: 2026-05\n');
  const png = readFileSync(path);
  expect([png.toString('latin1', 1, 4), png.length]).toStrictEqual(['PNG', Number(bytes)]);
  expect(existsSync(`${path}.json`)).toBe(true);
  rmSync(dirname(path), { recursive: true });
});

test('`npm run demo:browser` runs the demo after the set-up', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts['demo:browser']).toBe('node scripts/setup.mjs && node examples/browser.mjs');
});

// `npm run demo`: what the program shows.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { ROOT, spawnNode } from '../helpers.mjs';

let demo;
beforeAll(async () => {
  demo = await spawnNode(['examples/demo.mjs']);
});

describe('the demo', () => {
  test('ends successfully', () => {
    expect(demo).toMatchObject({ status: 0, signal: null, stderr: '' });
  });

  test('is started by `npm run demo`, after the set-up', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(scripts.demo).toBe('node scripts/setup.mjs && node examples/demo.mjs');
  });

  test('has several steps, each with its code', () => {
    const steps = demo.stdout.match(/^Step \d+/gm);
    expect(steps.length).toBeGreaterThanOrEqual(5);
    expect(steps).toStrictEqual(steps.map((_, i) => `Step ${i + 1}`));
    expect(demo.stdout.match(/│/g).length).toBeGreaterThan(steps.length);
  });

  test('reads real files of the package, with synchronous and asynchronous tools', () => {
    expect(demo.stdout).toMatch(/\bfiles\.find\(/);
    expect(demo.stdout).toMatch(/await .*files\.read\(/s);
    expect(demo.stdout).toContain('lib/ses/executor.ts');
    const lines = readFileSync(join(ROOT, 'index.js'), 'utf8').split('\n').length - 1;
    expect(demo.stdout).toMatch(new RegExp(`name: 'index\\.js', lines: ${lines}\\b`));
  });

  test('shows a tool failure, and a step that recovers from it', () => {
    expect(demo.stdout).toMatch(/ERR_TOOL_PROXY_FAIL +Tool execution failed: .*no such file: src\/main\.js/);
    expect(demo.stdout).toMatch(/warn .*ENOENT: no such file: src\/main\.js/);
  });

  test('shows a stopped loop and its correction', () => {
    const stopped = demo.stdout.indexOf('ERR_MAX_OPS_EXCEEDED');
    expect(stopped).toBeGreaterThan(0);
    expect(demo.stdout.slice(stopped)).toContain('the tool agrees');
  });

  test('shows logs, output, final answer and times', () => {
    expect(demo.stdout).toMatch(/^ +log +/m);
    expect(demo.stdout).toMatch(/^ +output +/m);
    expect(demo.stdout.match(/\d+(\.\d+)? ms\b/g).length).toBeGreaterThanOrEqual(5);
    const answer = demo.stdout.slice(demo.stdout.indexOf('  final_answer '));
    expect(answer).toMatch(/files: \d+/);
    expect(answer).toMatch(/Map\(\d+\)/);
    expect(answer).toContain('DEAD');
  });
});

// What importing an entry point loads. Time depends on the machine; the number of files does not.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT, spawnNode } from '../helpers.mjs';

const { exports: paths } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** The packages of `lib/bundled/mcp.ts`. The published package has them in one file. */
const MCP = [
  '@hono/node-server',
  '@modelcontextprotocol/sdk',
  'ajv',
  'ajv-formats',
  'content-type',
  'fast-deep-equal',
  'fast-uri',
  'hono',
  'json-schema-traverse',
  're2js',
  'zod',
  'zod-to-json-schema',
];
/** For each entry point: at most how many files of `build/`, from which packages, and whether the addon is loaded. */
const LOADED = {
  '.': [90, [], true],
  './ai': [170, ['re2js']],
  './code-tool': [165, ['re2js']],
  './openai-agents': [175, ['re2js']],
  './langchain': [175, ['re2js']],
  './mastra': [175, ['re2js']],
  './anthropic': [170, ['re2js']],
  './opentelemetry': [35, []],
  './browser': [115, []],
  './mcp': [210, MCP],
  './codemode': [200, ['re2js']],
  './tanstack-ai': [150, ['re2js']],
  './prompts': [40, []],
  './smolagents': [135, []],
  './sandbox': [155, ['re2js']],
  './tools': [20, []],
  './durable': [130, []],
  './python': [45, []],
};

test('each entry point has its limits', () => {
  expect(Object.keys(LOADED)).toStrictEqual(Object.keys(paths).filter((path) => path !== './package.json'));
});

test.each(Object.entries(LOADED))('%s loads only what it needs', async (path, [most, packages, hasAddon = false]) => {
  const script = `
    require('ses-executor${path.slice(1)}');
    console.log(JSON.stringify(Object.keys(require.cache)));`;
  const { status, stdout, stderr } = await spawnNode(['--input-type=commonjs', '--eval', script], { cwd: ROOT });
  expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
  const files = JSON.parse(stdout).map((file) => file.replaceAll('\\', '/'));
  const named = files.map((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  expect([...new Set(named.filter((name) => name !== undefined))].sort()).toStrictEqual(packages);
  expect(files.some((file) => file.endsWith('.node'))).toBe(hasAddon);
  const own = files.filter((file) => /(?<!node_modules\/.*)\/build\//.test(file));
  expect(own.length).toBeGreaterThan(5);
  expect(own.length).toBeLessThanOrEqual(most);
});

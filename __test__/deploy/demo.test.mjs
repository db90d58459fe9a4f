// `npm run demo:fleet`: what it shows.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT, spawnNode } from '../helpers.mjs';

test('all agents finish although a worker is killed, and only calls of lost runs are made again', async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts['demo:fleet']).toBe('node scripts/setup.mjs && node examples/fleet.mjs');
  const { status, stdout, stderr } = await spawnNode(['examples/fleet.mjs']);
  expect([status, stderr]).toStrictEqual([0, '']);
  expect(stdout).toContain('a broker and 3 workers are ready\n');
  const killed = /^killed worker (north|south|west) while all agents were at work$/m.exec(stdout)[1];
  expect(stdout).toContain(`worker ${killed} was killed; its sessions were rebuilt elsewhere\n`);
  expect(stdout).toContain('30 of 30 agents finished\n');
  expect(stdout).toMatch(/^\d+ tool calls: \d+ of runs that were lost and undone, and 0 that were repeated$/m);
});

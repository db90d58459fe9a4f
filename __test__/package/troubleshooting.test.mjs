// The messages that docs/guide/troubleshooting.md explains are those of the code.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';

/** Messages of V8, of Python, of happy-dom and of the system's loader. */
const OF_OTHERS = [
  'setTimeout is not defined',
  'Cannot assign to read only property',
  '[Function: f]',
  'Promise {',
  "'NoneType' object is not callable",
  'GLIBC_',
  'Cross-Origin Request Blocked',
  'not found',
  'open',
  'undefined',
];
/** What stands for a part that differs from message to message. */
const VARIES = /…|\d+|\b(?:NEW|DEAD|DIRTY|RUNNING|NODEFS)\b/;

const sources = ['lib', 'crates', 'src', 'scripts']
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((name) => join(folder, name)))
  .filter((path) => /\.(?:[cm]?js|ts|rs|py)$/.test(path))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'));

const messages = readFileSync(join(ROOT, 'docs/guide/troubleshooting.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:Message|Observation|-)/.test(line))
  .map((line) => line.split('|')[1])
  .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message]) => message));

test('the page lists messages', () => {
  expect(messages.length).toBeGreaterThan(25);
});

test.each(messages)('the message exists: %s', (message) => {
  for (const part of message.split(VARIES).map((piece) => piece.trim())) {
    if (part.length < 4 || OF_OTHERS.some((known) => part.includes(known))) continue;
    expect(sources.some((text) => text.includes(part))).toBe(true);
  }
});

// Programs of one kind of work each.

import { programCase, readProgram } from './programs.mjs';

const KINDS = [
  { name: 'sieve', title: 'sieve', want: 216_816 },
  { name: 'nested-loops', title: 'nested loops of 3e7', want: -581_615_040 },
  { name: 'json', title: 'JSON', want: 4_685_151 },
  { name: 'strings', title: 'string building', want: 1_304_333_483 },
  { name: 'maps-and-objects', title: 'Maps and objects', want: 23_250_168_766 },
  { name: 'array-push', title: 'array push', want: 162_016_864 },
  { name: 'closures', title: 'closures', want: 1_255_084_480 },
  { name: 'fibonacci', title: 'recursive Fibonacci', want: 2_178_309 },
  { name: 'remainders', title: 'hashes and random numbers', want: '1572347 345511861 1734662208' },
  { name: 'regexp', title: 'regular expressions', want: '238195 1151719 4357' },
  { name: 'short-texts', title: 'many short texts', want: '531434 302544 20000 80000' },
];

export const PROGRAMS = KINDS.map(({ name, title, want }) => ({
  id: `cpu-${name}`,
  title: `CPU: ${title}`,
  text: readProgram(name),
  want,
}));

export default programCase({
  id: 'cpu',
  title: 'CPU programs',
  rounds: 31,
  seconds: 100,
  roundsOfSlow: 1,
  memoryLimitMb: 512,
  programs: PROGRAMS,
});

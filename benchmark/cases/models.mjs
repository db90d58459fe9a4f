// Small programs in the style in which models write them, none of them tuned, each at the top level and inside a
// function.

import { readFileSync } from 'node:fs';

import { BASELINE, OURS, VM_CONTEXT } from '../peers/index.mjs';
import { programCase, readProgram } from './programs.mjs';

const RESULTS = JSON.parse(readFileSync(new URL('../programs/models.json', import.meta.url), 'utf8'));

export const PROGRAMS = Object.entries(RESULTS).flatMap(([name, want]) => {
  const text = readProgram(`models/${name}`);
  const inFunction = `function main() {\n${text}\n}\nreturn main();`;
  return [
    { id: `models-${name}`, title: `models: ${name}`, text, want },
    { id: `models-${name}-in-function`, title: `models: ${name}, in a function`, text: inFunction, want },
  ];
});

export default programCase({
  id: 'models',
  title: 'programs as models write them',
  peers: [OURS, BASELINE, VM_CONTEXT],
  rounds: 15,
  // What V8's threads of the peer before still do behind its answer, such as to compile, is no burden of the next one.
  quietMs: 10,
  seconds: 240,
  programs: PROGRAMS,
});

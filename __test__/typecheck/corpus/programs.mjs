import { readFileSync, readdirSync } from 'node:fs';

const FOLDER = new URL('./', import.meta.url);
const BENCHMARK = new URL('../../../benchmark/programs/models/', import.meta.url);
const TITLE = /^\/\/ === (.*)\n/m;

/** Programs without mistakes: those of `correct/`, and those of the benchmark, which models have written. */
export function correctPrograms() {
  const measured = readdirSync(BENCHMARK).map((name) => ({
    title: `benchmark: ${name}`,
    language: 'js',
    code: readFileSync(new URL(name, BENCHMARK), 'utf8'),
  }));
  return [...programsIn('correct/'), ...measured];
}

/** Programs with one mistake each. `line` is the line of the mistake, which ends with `//!`. */
export function mistakes() {
  return programsIn('mistakes/').map((program) => ({
    ...program,
    line: program.code.split('\n').findIndex((text) => text.endsWith('//!')) + 1,
  }));
}

function programsIn(folder) {
  return readdirSync(new URL(folder, FOLDER)).flatMap((name) => {
    const [, ...parts] = readFileSync(new URL(folder + name, FOLDER), 'utf8').split(TITLE);
    const language = name.endsWith('.ts') ? 'ts' : 'js';
    return Array.from({ length: parts.length / 2 }, (_, i) => ({
      title: `${name}: ${parts[2 * i]}`,
      language,
      code: parts[2 * i + 1],
    }));
  });
}

import type { Executor } from '../../contract/executor-types';

const PART = /[\p{ID_Continue}$.]/u;
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const KEYWORDS =
  `async await break case catch class const continue default delete do else false finally for function if in instanceof
  interface let new null return switch this throw true try type typeof undefined void while yield`.split(/\s+/);

/**
 * Completes a line for `readline`: returns the candidates and the string that they complete.
 *
 * @param executor an executor that is ready
 */
export async function namesFor(line: string, executor: Executor): Promise<[string[], string]> {
  const path = pathAtEnd(line);
  if (path === undefined) return [[], ''];
  const dot = path.lastIndexOf('.');
  const start = path.slice(dot + 1);
  const names = dot === -1 ? await globalNames(executor) : await membersOf(path.slice(0, dot), executor);
  const candidates = names.filter((name) => name.startsWith(start)).sort();
  return [candidates.map((name) => path.slice(0, dot + 1) + name), path];
}

/**
 * The path at the end of a line: names joined by dots, of which the last may be incomplete.
 *
 * @returns undefined for members of an unnamed value
 */
export function pathAtEnd(line: string): string | undefined {
  let from = line.length;
  while (from > 0 && PART.test(line[from - 1])) from--;
  const names = line.slice(from).split('.');
  // The first part of `1.5` and `f().x` is not a name.
  const isPath = names.slice(0, -1).every((name) => NAME.test(name));
  return isPath ? line.slice(from) : undefined;
}

async function globalNames(executor: Executor) {
  const { output } = await executor.run('Object.getOwnPropertyNames(globalThis)');
  return [...new Set([...(output as string[]), ...KEYWORDS])].filter(isTypeable);
}

/** The names of the members of a value, including those of its prototypes. */
async function membersOf(path: string, executor: Executor) {
  const { output } = await executor.run(`((value) => {
    const names = new Set();
    for (let holder = Object(value); holder !== null; holder = Object.getPrototypeOf(holder)) {
      for (const name of Object.getOwnPropertyNames(holder)) names.add(name);
    }
    return [...names];
  })(${path})`);
  return (output as string[]).filter(isTypeable);
}

function isTypeable(name: string) {
  return NAME.test(name);
}

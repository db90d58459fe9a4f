import { KIT } from './bootstrap';
import { Program } from '../ses/program';
import { programText, withoutExports } from '../ses/program-text';
import { uncalledFunction } from '../ses/uncalled';
import { valuesOf } from '../ses/agent-program';
import type { Insertion } from '../ses/program';

/** A program of a `SandboxManager`. */
export interface StyledProgram {
  program: Program;
  style: 'sync' | 'async';
}

/** Line and column, both from 1, of a byte offset in a string. */
export function placeOf(text: string, offset: number) {
  const before = Buffer.from(text).subarray(0, offset).toString();
  const from = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - from + 1 };
}

/** @param given the text that the model wrote, with or without fences and `export` */
export async function programOf(
  given: string,
  kind: 'search' | 'execute' | 'mutate',
  style: 'auto' | 'sync' | 'async',
): Promise<StyledProgram> {
  const { code, note } = programText(given);
  const bare = withoutExports(code);
  const source = bare ?? code;
  // The values of all programs may be functions, which `apply` calls.
  const found = await valuesOf(source, KIT, style);
  const insertions = found.insertions.map((each) => insertionFor(each, kind, bare !== undefined));
  const program = new Program(given, withCall(source, insertions, kind), { source, note });
  return { program, style: found.style };
}

function insertionFor({ at, text }: Insertion, kind: string, isModule: boolean): Insertion {
  if (kind === 'search' && text.startsWith(`${KIT}.begin(`)) return { at, text: `${KIT}.begin("search");` };
  // The export of a module may be an object of functions.
  return { at, text: isModule ? text.replace(`${KIT}.apply((`, `${KIT}.applyExports((`) : text };
}

/** Calls the function that the program only declares. A mutation ends with one, whether it is called before or not. */
function withCall(source: string, insertions: Insertion[], kind: string): Insertion[] {
  if (insertions.length === 0 || kind === 'mutate') return insertions;
  const others = insertions.filter(({ text }) => !text.startsWith(`;${KIT}.apply(`));
  if (others.some(({ text }) => /\.apply(?:Exports)?\(\(+$/.test(text))) return others;
  const name = uncalledFunction(source, false);
  return name === undefined ? others : [...others, { at: source.length, text: `\n;${KIT}.apply(${name})` }];
}

// Members by which frameworks mark tools whose calls a person must approve.

import type { Foreign } from './foreign';

/** Advice for functions, which have no marks. */
export const NO_MARKS: string =
  'functions have no approval; pass an object with `execute` to a code tool, or use the option onToolCall';

const MARKS = ['needsApproval', 'requireApproval', 'requiresApproval'];

/**
 * Refuses marks that nothing reads. Otherwise the calls would be made without approval.
 *
 * @param name the tool, for messages
 * @param read marks that are read
 * @param advice what to do instead, if no mark is read
 * @throws {TypeError}
 */
export function refuseOtherMarks(name: string, tool: Foreign, read: readonly string[], advice: string = ''): void {
  for (const mark of MARKS) {
    const value = tool[mark];
    if (value === undefined || value === null || value === false || read.includes(mark)) continue;
    const instead = read.length === 0 ? advice : `mark it with ${read.join(' or ')} instead`;
    throw new TypeError(`${name} has ${mark}, which would be ignored: ${instead}`);
  }
}

/**
 * Whether a person must approve a call of a tool, according to its marks. They are booleans, or functions.
 *
 * @param read marks that are read
 * @param args returns the arguments of the functions
 */
export async function needsApproval(
  tool: Foreign,
  read: readonly string[],
  args: () => readonly unknown[],
): Promise<boolean> {
  for (const mark of read) {
    const value = tool[mark];
    if (typeof value === 'function' ? await value.apply(tool, args()) : value) return true;
  }
  return false;
}

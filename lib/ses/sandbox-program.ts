import type { NativeSandboxProgram, NativeSandboxRequest } from '../../native';

let addon: typeof import('../../native') | undefined;

/**
 * Adds the sandbox's parts to a program, and returns the program's source with them. Adds nothing to a program that
 * does not parse. Works on a separate thread.
 */
export async function sandboxProgram(request: NativeSandboxRequest): Promise<NativeSandboxProgram> {
  // Kept because `require` searches its cache each time.
  addon ??= require('../../native.cjs') as typeof import('../../native.cjs');
  return await addon.sandboxProgram(request);
}

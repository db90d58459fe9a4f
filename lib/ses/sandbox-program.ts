import type { NativeSandboxProgram, NativeSandboxRequest } from '../../native';

let addon: typeof import('../../native') | undefined;

/**
 * What a sandbox adds to a program, and how the program is written. None is added to one that does not parse. The work is done
 * on a separate thread.
 */
export async function sandboxProgram(request: NativeSandboxRequest): Promise<NativeSandboxProgram> {
  // Kept, since `require` looks for what it has loaded each time.
  addon ??= require('../../native.cjs') as typeof import('../../native.cjs');
  return await addon.sandboxProgram(request);
}

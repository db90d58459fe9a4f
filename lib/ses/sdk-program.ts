import type { NativeSdkProgram, NativeSdkProgramRequest } from '../../native';

let addon: typeof import('../../native') | undefined;

/**
 * The style of a program that calls the SDK, and the code to insert. Nothing is inserted into a program that does not
 * parse. Works on a separate thread.
 */
export async function sdkProgram(request: NativeSdkProgramRequest): Promise<NativeSdkProgram> {
  // Kept because `require` searches its cache each time.
  addon ??= require('../../native.cjs') as typeof import('../../native.cjs');
  return await addon.sdkProgram(request);
}

import { errorOf } from '../contract/errors';
import { publicDiagnostic } from '../ses/check';
import { codeFrame } from '../ses/code-frame';
import type { Diagnostic } from '../contract/diagnostic';
import type { NativePageHistory, NativePageProgram } from '../../native';

/**
 * Runs VALIDATE and TRANSFORM on a program for a page, on a separate thread.
 * @param options of the run
 * @param history of a page that runs several programs
 */
export async function preparePage(
  code: string,
  { language, timeoutMs }: { language: string; timeoutMs: number },
  { maxCodeBytes }: { maxCodeBytes: number },
  history?: NativePageHistory,
): Promise<NativePageProgram> {
  const program = await loadPreparation().preparePage({ code, language, timeoutMs, maxCodeBytes }, history);
  if (program.code !== '') return program;
  const diagnostics = program.diagnostics.map(publicDiagnostic);
  const { module } = program;
  if (module === null || module === undefined) throw refusal(code, diagnostics);
  throw errorOf('ERR_IMPORT_NOT_ALLOWED', { module }, { module, diagnostics, ...frameOf(code, diagnostics) });
}

/**
 * The error for invalid code.
 * @param code the original code
 */
export function refusal(code: string, diagnostics: Diagnostic[]) {
  return errorOf('ERR_VALIDATION_FAILED', {}, { diagnostics, ...frameOf(code, diagnostics) });
}

/** The lines around the first position in the diagnostics. */
function frameOf(code: string, diagnostics: Diagnostic[]) {
  const found = diagnostics.find(({ severity, location }) => severity === 'ERROR' && location !== undefined);
  if (found?.location === undefined) return {};
  const { location, message } = found;
  return { codeFrame: codeFrame(code, location.line, location.column, message) };
}

/** Loads the addon. Later calls return it immediately. */
export function loadPreparation() {
  return require('../../native.cjs') as typeof import('../../native.cjs');
}

import { describe } from '../contract/describe';
import { checkOptions } from '../contract/options';
import type { Diagnostic, ExecutorOptions, PreparedProgram } from '../../index';
import type { NativeDiagnostic } from '../../native';

/** Loaded lazily: code that only references these functions must not load the addon. */
const native = () => require('../../native.cjs') as typeof import('../../native.cjs');

/** VALIDATE alone (specification, section 6.1). Documented in `index.d.ts`. */
export function validateCode(code: string, options?: ExecutorOptions): Diagnostic[] {
  return native().validateCode(text(code), prepareOptions(options)).map(publicDiagnostic);
}

/** VALIDATE and TRANSFORM (specification, section 6.1). Documented in `index.d.ts`. */
export function prepareProgram(code: string, options?: ExecutorOptions): PreparedProgram {
  const { transformedCode, diagnostics } = native().prepareProgram(text(code), prepareOptions(options));
  return { originalCode: code, transformedCode, diagnostics: diagnostics.map(publicDiagnostic) };
}

/** What is found in the text of a module, without running it: as {@link validateCode}, for a module. */
export function checkModule(name: string, code: string, options?: ExecutorOptions): Diagnostic[] {
  return native().checkModule(text(code), name, prepareOptions(options)).map(publicDiagnostic);
}

/** Counters of the process. Documented in `index.d.ts`. */
export function engineStats() {
  return native().engineStats();
}

function text(code: unknown) {
  if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
  return code;
}

function prepareOptions(options: unknown) {
  const { language, maxOperations, timeoutMs, authorizedImports, maxLogBytes, maxCodeBytes } = checkOptions(options);
  return { language, maxOperations, timeoutMs, authorizedImports, maxLogBytes, maxCodeBytes };
}

export function publicDiagnostic({ rule, severity, message, line, column, fix }: NativeDiagnostic): Diagnostic {
  return {
    rule,
    severity,
    message,
    ...(line !== undefined && column !== undefined && { location: { line, column } }),
    ...(fix !== undefined && { fix }),
  };
}

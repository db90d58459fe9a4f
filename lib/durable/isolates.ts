import { checkOptions } from '../contract/options';
import { PyodideExecutor } from '../python/executor';
import { checkPythonOptions, offerWith } from '../python/options';
import { SESExecutor } from '../ses/executor';
import type { Offer } from '../contract/executor';
import type { Head } from './head';
import type { Recorder } from './recorder';

/**
 * Makes the executor of a session.
 *
 * @param options with those that the journal has
 */
export function makeExecutor(
  engine: Head['engine'],
  options: Record<string, unknown>,
  recorder: Recorder,
): SESExecutor | PyodideExecutor {
  if (engine === 'javascript') return new SESExecutor(options, undefined, recorder);
  const { workDir, readOnly } = options;
  if (workDir !== undefined && readOnly !== true) {
    process.emitWarning(
      `The files in ${String(workDir)} are not part of the journal: a session that is rebuilt finds them as they are then. ` +
        'Use readOnly: true, or tools for what has to be kept.',
      { code: 'SES_EXECUTOR_FILES' },
    );
  }
  return new PyodideExecutor(undefined, pythonOptions(options), recorder);
}

/** What code of a session can use besides tools and variables, while the session has no executor. */
export function offerWithout(engine: Head['engine'], options: Record<string, unknown>): Offer {
  if (engine === 'python') return offerWith(checkPythonOptions(undefined, pythonOptions(options)));
  const { authorizedImports, globals, network } = checkOptions(options);
  return { imports: authorizedImports, globals, network };
}

/** Nothing is mounted unless there is a folder. */
function pythonOptions(options: Record<string, unknown>) {
  const mount = options.workDir !== undefined && options.mount !== false;
  return { ...options, mount, autoInit: false };
}

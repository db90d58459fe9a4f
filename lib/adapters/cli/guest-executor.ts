import { HOSTS_NEED_FETCH } from './usage-error';
import { NO_LIMIT } from '../../contract/options';
import { BASE_BUILTIN_MODULES, PyodideExecutor } from '../../python';
import { SESExecutor } from '../../ses/executor';
import type { CommandOptions } from './main';
import type { ExecutorOptions } from '../../contract/executor-options';

/** What a command decides about its executor. */
interface OfCommand {
  isPython: boolean;
  /** Options that both executors have. */
  common: ExecutorOptions;
  ofJavaScript: ExecutorOptions;
  /** Loop iterations; for Python, lines. */
  maxOperations: number | undefined;
  /** The message about `--packages` without Python. */
  packagesText: string;
}

/**
 * The executor for the options of a command.
 *
 * @throws {TypeError} for options of the other language
 */
export function guestExecutor(
  { authorizedImports, modules, globals, network, packages, typecheck }: CommandOptions,
  { isPython, common, ofJavaScript, maxOperations, packagesText }: OfCommand,
) {
  if (!isPython) {
    if (packages !== undefined) throw new TypeError(packagesText);
    if (network !== undefined && !globals.includes('fetch')) throw new TypeError(HOSTS_NEED_FETCH);
    const ofGuests = { authorizedImports, modules, globals, network, typecheck };
    return new SESExecutor({ ...common, ...ofJavaScript, maxOperations, ...ofGuests });
  }
  if (globals.length > 0) throw new TypeError('--globals is for JavaScript');
  if ((typecheck ?? 'off') !== 'off') throw new TypeError('--typecheck is for JavaScript and TypeScript');
  const [module] = Object.keys(modules);
  if (module !== undefined) throw new TypeError(`the module ${module} cannot be given as source: the code is Python`);
  return new PyodideExecutor([...BASE_BUILTIN_MODULES, ...authorizedImports], {
    ...common,
    max_operations: maxOperations,
    max_while_iterations: NO_LIMIT,
    mount: false,
    packages,
    network,
  });
}

import { nativeModules } from './modules';
import { checkOptions } from '../contract/options';
import { ToolRegistry } from '../contract/tool-registry';

/**
 * Refuses the options that the constructor of `SESExecutor` would refuse, for callers that create their executors
 * later. Creates nothing and does not load the addon.
 *
 * @param others names of the caller's own options, for messages
 * @throws {TypeError | RangeError}
 */
export function refuseWrongOptions(options: unknown, others?: readonly string[]) {
  const { modules } = checkOptions(options, others);
  nativeModules(modules, new ToolRegistry());
}

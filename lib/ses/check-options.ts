import { nativeModules } from './modules';
import { checkOptions } from '../contract/options';
import { ToolRegistry } from '../contract/tool-registry';

/**
 * Refuses what the constructor of `SESExecutor` would refuse, for those who make their executors later. Nothing is made,
 * and the addon is not loaded.
 *
 * @param others names of the caller's own options, for messages
 * @throws {TypeError | RangeError}
 */
export function refuseWrongOptions(options: unknown, others?: readonly string[]) {
  const { modules } = checkOptions(options, others);
  nativeModules(modules, new ToolRegistry());
}

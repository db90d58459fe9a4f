import { CODE_TOOL_OPTIONS } from '../../contract/option-table';
import { describe } from '../../contract/describe';
import { OPTION_NAMES, optionsOf } from '../../contract/options';
import type { Foreign } from '../../contract/foreign';

/** Options of a code tool that are not options of the executor. */
const NUMBERS = CODE_TOOL_OPTIONS.map(({ name }) => name);
export const OWN_OPTIONS = ['tools', 'executor', 'name', 'description', ...NUMBERS, 'approve', 'enforcePlan'];

/**
 * Returns the options of a code tool of any framework as an object that can be destructured.
 *
 * @throws {TypeError}
 */
export function settingsOf(options: unknown) {
  return optionsOf(options, 'options', [...OWN_OPTIONS, ...OPTION_NAMES]);
}

/** @throws {TypeError} */
export function booleanOption(name: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw new TypeError(`options.${name} must be a boolean, got ${describe(value)}`);
}

/**
 * The option `executor` of an adapter, in the form that `createCodeTool` takes: a function receives the context that
 * the framework passes to tools.
 *
 * @param given the option as the caller passed it
 * @param contextOf returns the framework's context from the adapter's
 */
export function executorIn(given: unknown, contextOf: (context: Foreign) => unknown): Foreign {
  return typeof given === 'function' ? (context: unknown) => given(contextOf(context)) : given;
}

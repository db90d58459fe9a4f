import { OPTION_NAMES, optionsOf } from '../../contract/options';

/** Options of a code tool that are not options of the executor. */
export const OWN_OPTIONS = ['tools', 'executor', 'name', 'description', 'maxOutputChars', 'approve'];

/**
 * Returns the options of a code tool of any framework as an object that can be destructured.
 *
 * @throws {TypeError}
 */
export function settingsOf(options: unknown) {
  return optionsOf(options, 'options', [...OWN_OPTIONS, ...OPTION_NAMES]);
}

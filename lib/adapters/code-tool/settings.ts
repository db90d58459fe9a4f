import { OPTION_NAMES, optionsOf } from '../../contract/options';

/** Options of a code tool that are not the executor's. */
export const OWN_OPTIONS = ['tools', 'executor', 'name', 'description', 'maxOutputChars', 'approve'];

/**
 * Options of the code tools of all frameworks, as an object that they can be taken from.
 *
 * @throws {TypeError}
 */
export function settingsOf(options: unknown) {
  return optionsOf(options, 'options', [...OWN_OPTIONS, ...OPTION_NAMES]);
}

import { join } from 'node:path';

import { guestText as textIn } from '../catalog/guest-text';

/** @param name of a file that contains one function expression */
export function guestText(name: string) {
  return textIn(name, join(__dirname, 'guest'));
}

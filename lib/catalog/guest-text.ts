import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';

import type { Foreign } from '../contract/foreign';

/** @param name of a file that contains one function expression */
export function guestText(name: string, folder: string = join(__dirname, 'guest')) {
  return readFileSync(join(folder, `${name}.js`), 'utf8')
    .trim()
    .replace(/;$/, '');
}

/** The function of a file, for use on the host: guests and host find the same. */
export function guestFunction(name: string): (...args: Foreign[]) => Foreign {
  return runInThisContext(`(${guestText(name)})`, { filename: `${name}.js` });
}

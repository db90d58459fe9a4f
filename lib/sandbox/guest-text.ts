import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param name of a file that contains one function expression */
export function guestText(name: string) {
  return readFileSync(join(__dirname, 'guest', `${name}.js`), 'utf8')
    .trim()
    .replace(/;$/, '');
}

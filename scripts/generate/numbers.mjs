// What follows from the numbers of `lib/contract/boundary-numbers.ts`.

import numbers from '../../build/contract/boundary-numbers.js';
import { HEADER } from './text.mjs';

/** Where the Rust constants of each table go, and their type. */
const FILES = [
  {
    path: 'src/numbers.rs',
    doc: 'Numbers by which the facade and the addon name kinds of values, deliveries and endings.',
    type: 'u32',
    tables: ['VALUE_KIND', 'REPLY_KIND', 'DELIVERY', 'ENDING'],
  },
  {
    path: 'crates/transfer/src/slice_tags.rs',
    doc: 'Tags of a value that is written in slices.',
    type: 'u8',
    tables: ['SLICE_TAG'],
  },
];

export function numberParts() {
  return FILES.map(({ path, doc, type, tables }) => {
    const modules = tables.map((name) => {
      const constants = Object.entries(numbers[name]).map(
        ([key, value]) =>
          `    pub const ${key}: ${type} = ${type === 'u8' ? `0x${value.toString(16).toUpperCase()}` : value};\n`,
      );
      return `pub mod ${name.toLowerCase()} {\n${constants.join('')}}\n`;
    });
    return { path, text: `${HEADER('boundary-numbers.ts')}//! ${doc}\n\n${modules.join('\n')}` };
  });
}

// What follows from the texts of `lib/contract/lifecycle.ts`.

import lifecycle from '../../build/contract/lifecycle.js';
import { HEADER } from './text.mjs';

export function refusalParts() {
  const texts = Object.entries(lifecycle.REFUSALS).map(
    ([name, text]) => `pub const ${name}: &str = ${JSON.stringify(text)};\n`,
  );
  const text = `${HEADER('lifecycle.ts')}//! Why a call is refused, or ends: \`details.hint\` of \`ERR_INVALID_STATE\`.\n\n${texts.join('')}`;
  return [{ path: 'crates/protocol/src/refusals.rs', text }];
}

// The types of the addon, as `#[napi]` has written them down when it was built: a line of JSON for each item. (The
// converter of @napi-rs/cli is not used: its platform packages are not in every registry, and `npm ci` wants them all.)

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { typeDefinitions } from '../setup/addon.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

export function nativeParts() {
  const file = typeDefinitions(root);
  if (!existsSync(file)) throw new Error(`${file} is missing; run: npm run build`);
  const items = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const methods = new Map(items.filter(({ kind }) => kind === 'impl').map(({ name, def }) => [name, def]));
  const declarations = items
    .filter(({ kind }) => kind !== 'impl')
    .map((item) => `${item.js_doc}${declaration(item, methods)}\n`)
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const text = `// Generated from the items of the addon by scripts/generate.mjs. Do not edit: run \`npm run generate\`.
// What the addon gives to \`lib/\`; the public contract is index.d.ts.

${declarations.join('\n')}`;
  return [{ path: 'native.d.ts', text }];
}

function declaration({ kind, name, def }, methods) {
  switch (kind) {
    case 'interface':
      return `export interface ${name} {\n${def}\n}`;
    case 'struct':
      return `export declare class ${name} {\n${methods.get(name) ?? ''}\n}`;
    case 'fn':
      return `export declare ${def}`;
  }
  throw new Error(`an item of the kind ${kind} has no form in TypeScript here`);
}

function nameOf(declared) {
  return /^export (?:interface|declare class|declare function) (\w+)/m.exec(declared)[1];
}

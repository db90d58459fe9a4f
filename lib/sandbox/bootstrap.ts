import { randomBytes } from 'node:crypto';

import { guestText as catalogText } from '../catalog/guest-text';
import { guestText } from './guest-text';

/**
 * The global through which code that the host adds to a program reaches the isolate. It is random so that no program
 * uses the same name by chance. Nothing depends on the name being secret.
 */
export const KIT = `__sdk_${randomBytes(6).toString('hex')}`;
export const HOST = '__sdk_host';
export const TEXTS = '__sdk_texts';

/**
 * The program that prepares an isolate. It defines one global, `KIT`:
 *
 * - `begin(style)`: defines `spec` and `tools`, and except for `"search"` also `sdk` and `utils`. Called once.
 * - `done(value)`: checks and returns the program's result, see `output.js`.
 * - `apply(value)`: calls a function with the state, and keeps any other value as it is. The value of a search is
 *   returned unchecked; other values are passed to `done`.
 * - `task`, `promised`, `later`, `take`: for compiled functions, see `sdk.js`.
 * - `rehearse()`: executes typical operations of programs once, so that V8 has compiled them.
 */
export const bootstrap = `(() => {
const { defineProperty } = Object;
const finder = (${catalogText('find')})(${TEXTS}, (${catalogText('words')})(), ${catalogText('rank')});
const { spec, registry, search } = (${guestText('spec')})(${TEXTS}, finder);
const kitOf = ${guestText('sdk')};
const kit = kitOf(${HOST}, ${TEXTS}.sources);
const plain = (${guestText('utils')})();
const resample = (${guestText('resample')})();
const utilsOf = (style) => harden({ ...plain, resample, parallel: kit.parallelOf(style) });
const byStyle = { sync: utilsOf('sync'), async: utilsOf('async') };
const define = (name, value) => defineProperty(globalThis, name, { value, enumerable: true });
const done = (${guestText('output')})(${HOST}.refuse);
let isSearch = false;
let hasBegun = false;
const begin = (style) => {
  if (hasBegun) return;
  hasBegun = true;
  define('spec', spec);
  isSearch = style === 'search';
  const describe = (...names) => ${HOST}.describe(names.flat(), style === 'async');
  define('tools', harden({ search, describe }));
  if (isSearch) return;
  define('sdk', kit.sdkOf(style, registry));
  define('utils', byStyle[style]);
};
// Functions of the host are frozen, and classes cannot be called.
const isProgram = (value) => typeof value === 'function' && !Object.isFrozen(value) && !/^class\\b/.test((() => {}).toString.call(value));
const apply = (value, depth = 0) => {
  if (depth < 8 && isProgram(value)) return apply(value(globalThis.state), depth + 1);
  if (value instanceof Promise) return value.then((given) => apply(given, depth));
  return isSearch ? value : done(value);
};
// The export of a module: a function, or an object with the function that is the program.
const applyExports = (value) => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return apply(value);
  const keys = Object.keys(value).filter((key) => isProgram(value[key]));
  const main = ['default', 'main', 'run', 'handler', 'execute'].find((name) => keys.includes(name));
  const key = main ?? (keys.length === 1 ? keys[0] : undefined);
  return apply(key === undefined ? value : value[key]);
};
const { task, promised, later, take } = kit;
// Code that V8 compiles when it is first called: the code here, and the parts of the realm that most programs use.
// Calling it in advance saves executions the wait.
const word = ${TEXTS}.index.slice(0, ${TEXTS}.index.indexOf(' '));
const rehearse = async () => {
  const stage = kitOf(${HOST}, [{ name: 'a' }]);
  const methodOf = (style) => stage.sdkOf(style, { namesOf: () => ['b'], isMethod: () => true }).a.b;
  await Promise.all(Array.from({ length: 2 }, (_, i) => methodOf('async')({ i })));
  methodOf('sync')({});
  for (const style of ['sync', 'async']) stage.parallelOf(style)(() => {});
  apply(() => {});
  for (const { method } of spec.find(word)) spec.method(method);
  [3, 1].map((it) => it).filter((it) => it).sort((a, b) => a - b).reduce((sum, it) => sum + it, 0);
};
delete globalThis.${TEXTS};
defineProperty(globalThis, '${KIT}', { value: harden({ begin, apply, applyExports, done, task, promised, later, take, rehearse }) });
})()`;

/** Runs in the background, before an execution needs the isolate. The host answers its calls with arbitrary values. */
export const rehearsal = `${KIT}.rehearse()`;

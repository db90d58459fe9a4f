// Walks everything that guest code can reach, as guest code. `node __test__/hostile/audit.mjs --update` writes what was
// found to allow-list.json; look at the difference before it is committed.

import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

import { SESExecutor } from '../../index.mjs';

const FILE = new URL('allow-list.json', import.meta.url);

/** JavaScript source that creates values by syntax. The walk that makes the snapshot uses the same source. */
const REALM_MAKERS = realmMakers();

/** Groups of the option `globals`. */
export const GROUPS = ['timers', 'crypto', 'performance', 'abort', 'fetch'];

/**
 * What guests may reach: the path by which each object is found first, its type, and how its properties are. `optional` has
 * what each group of the option `globals` adds.
 *
 * @type {{ reachable: string[], optional: Record<string, string[]> }}
 */
export const ALLOW_LIST = readAllowList();

// From the global, through own properties, accessors and prototypes, and from what syntax makes.
const WALK = `
  const { getOwnPropertyDescriptor, getPrototypeOf, isFrozen, isExtensible } = Object;
  const { ownKeys } = Reflect;
  const keyName = (key) => (typeof key === 'symbol' ? '[' + String(key.description) + ']' : key);
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const makers = {
    __proto__: null,
    ...${REALM_MAKERS},
    toolPromise: () => later(1),
    overflow: () => { const sink = () => sink() + 1; try { sink(); } catch (error) { return error; } },
    toolError: () => { try { fail(); } catch (error) { return error; } },
    bridgeError: () => { try { echo(() => {}); } catch (error) { return error; } },
    evalError: () => { try { (0, eval)('1'); } catch (error) { return error; } },
    iteratorConcat: () => Iterator.concat([1]),
    result: () => echo({ date: new Date(0), map: new Map(), set: new Set(), error: new Error(), buffer: new ArrayBuffer(1) }),
  };
  // By constructor, so that what belongs to another realm is told by its prototype chain.
  const roots = new Set([Object.prototype, null]);
  const isOfRealm = (object) => {
    let at = object;
    for (let depth = 0; depth < 20; depth++) {
      if (roots.has(at)) return typeof object !== 'function' || object === Function.prototype || object instanceof Function;
      at = getPrototypeOf(at);
    }
    return false;
  };
  const seen = new Set([globalThis]);
  const queue = [];
  const enqueue = (value, path, isFresh) => {
    if (!isObject(value) || seen.has(value)) return;
    seen.add(value);
    queue.push([value, path, isFresh]);
  };
  const hidden = new Set(HIDDEN);
  const unfrozen = [];
  const strangers = [];
  const reachable = [];
  const kindOf = ({ value, get, set, writable, configurable }) =>
    (get || set ? (get ? 'get' : '') + (set ? 'set' : '') : isObject(value) ? typeof value : typeof value) +
    (writable ? ' writable' : '') + (configurable ? ' configurable' : '');
  const globals = [];
  for (const key of ownKeys(globalThis)) {
    if (hidden.has(key)) continue;
    const descriptor = getOwnPropertyDescriptor(globalThis, key);
    globals.push('globalThis.' + keyName(key) + ': ' + kindOf(descriptor));
    enqueue(descriptor.value, keyName(key));
    enqueue(descriptor.get, 'get ' + keyName(key));
    enqueue(descriptor.set, 'set ' + keyName(key));
  }
  enqueue(getPrototypeOf(globalThis), 'globalThis.__proto__');
  for (const name of ownKeys(makers)) {
    const made = makers[name]();
    // What syntax has just made is the guest's own; its prototypes and what it shares with a second one are not.
    const twin = makers[name]();
    let path = '<' + name + '>.__proto__';
    let [at, other] = [getPrototypeOf(made), getPrototypeOf(twin)];
    for (; at !== other; path += '.__proto__') [at, other] = [getPrototypeOf(at), getPrototypeOf(other)];
    enqueue(at, path);
    for (const key of ownKeys(made)) {
      const one = getOwnPropertyDescriptor(made, key);
      const two = getOwnPropertyDescriptor(twin, key);
      for (const field of ['value', 'get', 'set']) {
        if (isObject(one[field]) && two && one[field] === two[field]) enqueue(one[field], '<' + name + '>.' + keyName(key));
        else if (isObject(one[field])) enqueue(getPrototypeOf(one[field]), '<' + name + '>.' + keyName(key) + '.__proto__');
      }
    }
  }
  for (let at = 0; at < queue.length; at++) {
    const [object, path] = queue[at];
    if (!isFrozen(object)) unfrozen.push(path);
    if (!isOfRealm(object)) strangers.push(path);
    const keys = ownKeys(object);
    const shape = keys.map((key) => keyName(key) + ': ' + kindOf(getOwnPropertyDescriptor(object, key))).sort();
    reachable.push(path + ' = ' + typeof object + ' { ' + shape.join(', ') + ' }');
    enqueue(getPrototypeOf(object), path + '.__proto__');
    for (const key of keys) {
      const { value, get, set } = getOwnPropertyDescriptor(object, key);
      const inner = path + '.' + keyName(key);
      enqueue(value, inner);
      enqueue(get, 'get ' + inner);
      enqueue(set, 'set ' + inner);
    }
  }
  return { unfrozen, strangers, count: queue.length, reachable: [...globals.sort(), ...reachable.sort()] };
`;

/**
 * @param {string[]} [globals] the option
 * @returns {Promise<{ unfrozen: string[], strangers: string[], count: number, reachable: string[] }>} paths of objects
 * that guests could change, of objects whose prototypes are not those of the guest's realm, and the list of all
 */
export async function auditRealm(globals = []) {
  const options = { maxOperations: 1e7, timeoutMs: 20_000, autoInit: true, globals: /** @type {any} */ (globals) };
  const executor = new SESExecutor(options);
  try {
    const fail = () => {
      throw new TypeError('x');
    };
    await executor.sendTools({ echo: (/** @type {unknown} */ value) => value, later: async () => 1, fail });
    // The top-level names of the program itself are accessors on the global: a function has none.
    const { output } = await executor.run(`return (() => {${WALK.replace('HIDDEN', '[]')}})();`);
    return /** @type {any} */ (output);
  } finally {
    await executor.cleanup();
  }
}

function realmMakers() {
  const walk = readFileSync(new URL('../../crates/engine/js/walk_realm.js', import.meta.url), 'utf8');
  const [, makers] = /^ {2}const makers = (\{$[^]*?^ {2}\});$/m.exec(walk) ?? [];
  if (makers === undefined) throw new Error('walk_realm.js has no makers');
  return makers;
}

/** What each group adds to what guests reach without the option, and what is wrong with it. */
export async function auditGroups() {
  const base = await auditRealm();
  const optional = Object.fromEntries(
    await Promise.all(
      GROUPS.map(async (group) => {
        const { unfrozen, strangers, reachable } = await auditRealm([group]);
        const added = reachable.filter((line) => !base.reachable.includes(line));
        const gone = base.reachable.filter((line) => !reachable.includes(line));
        return [group, { unfrozen, strangers, gone, added }];
      }),
    ),
  );
  return { base, optional };
}

function readAllowList() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return { reachable: [], optional: {} };
  }
}

/**
 * @param {string[]} reachable
 * @param {string[]} allowed
 */
function compare(reachable, allowed) {
  const added = reachable.filter((line) => !allowed.includes(line));
  const removed = allowed.filter((line) => !reachable.includes(line));
  for (const line of added) console.log(`+ ${line}`);
  for (const line of removed) console.log(`- ${line}`);
  return added.length + removed.length;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { base, optional } = await auditGroups();
  const { unfrozen, strangers, count, reachable } = base;
  let wrong = compare(reachable, ALLOW_LIST.reachable) + unfrozen.length + strangers.length;
  console.log(`${count} objects, ${unfrozen.length} unfrozen, ${strangers.length} of other realms`);
  for (const group of GROUPS) {
    const found = optional[group];
    wrong += compare(found.added, ALLOW_LIST.optional?.[group] ?? []);
    wrong += found.unfrozen.length + found.strangers.length + found.gone.length;
    const objects = found.added.filter((line) => !line.startsWith('globalThis.')).length;
    console.log(`${group}: ${objects} more, ${found.unfrozen.length} unfrozen, ${found.strangers.length} of other realms`);
  }
  if (argv.includes('--update')) {
    const generator = 'Generated by `node __test__/hostile/audit.mjs --update`';
    const added = Object.fromEntries(GROUPS.map((group) => [group, optional[group].added]));
    writeFileSync(FILE, `${JSON.stringify({ generator, reachable, optional: added }, null, 2)}\n`);
  } else if (wrong > 0) {
    process.exitCode = 1;
  }
}

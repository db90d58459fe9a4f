// Finds cycles between the modules of a crate, which Cargo allows. A module and its parent are not a cycle: modules may
// use functions that their parent declares for them.

import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * @param {string} folder the crate's `src/`
 * @returns {string[][]} modules by their paths in the crate: each names the next one of its list, the last the first
 */
export function circlesIn(folder) {
  return shortestCircles(arrowsIn(folder));
}

/**
 * Modules in the order of a crate that name one above their own. Tests count, too.
 *
 * @param {string} folder the crate's `src/`
 * @param {(string | string[])[]} order its folders, and the files that they use, the lowest first. A list: none of them
 *   uses another one
 * @returns {string[]} a sentence each
 */
export function upwardIn(folder, order) {
  const levelOf = (module) => order.findIndex((names) => [names].flat().includes(module.split('::')[0]));
  const findings = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'tests' && levelOf(entry.name) === -1)
    .filter(({ name }) => sourcesIn(join(folder, name)).length > 0)
    .map(({ name }) => `the folder ${name} has no place in the order`);
  for (const [module, targets] of arrowsIn(folder, { withTests: true })) {
    const [own] = module.split('::');
    const level = levelOf(module);
    for (const target of level === -1 ? [] : targets) {
      const [first] = target.split('::');
      // Files without a place see all modules, and none with a place sees them. Only tests can name `tests/`.
      if (first === own || first === 'tests' || target === '') continue;
      const other = levelOf(target);
      if (other === -1 || other > level) findings.push(`${module} names ${target}, which is above it`);
      else if (other === level) findings.push(`${module} names ${target}, which is beside it`);
    }
  }
  return findings;
}

/** The modules that each module names. */
function arrowsIn(folder, { withTests = false } = {}) {
  const sources = sourcesIn(folder).map((file) => [moduleOf(relative(folder, file)), read(file, withTests)]);
  const modules = new Map(sources);
  if (!withTests) {
    for (const [name, { testModules }] of modules) {
      for (const test of testModules) modules.delete(inside(name, test));
    }
  }
  return new Map([...modules.keys()].map((name) => [name, arrowsFrom(modules, name)]));
}

function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return entry.name.endsWith('.rs') ? [path] : [];
  });
}

/** `a/mod.rs` and `a.rs` are `a`, `lib.rs` is the root. */
function moduleOf(path) {
  const names = path.replace(/\.rs$/, '').split(sep);
  if (['mod', 'lib', 'main'].includes(names.at(-1))) names.pop();
  return names.join('::');
}

const inside = (module, name) => (module === '' ? name : `${module}::${name}`);
const parentOf = (module) => module.split('::').slice(0, -1).join('::');
const isWithin = (module, other) => other === '' || module === other || module.startsWith(`${other}::`);

/** The paths that a file names, its named imports, and its re-exports. */
function read(file, withTests) {
  const code = readFileSync(file, 'utf8').replace(/\/\/.*$/gm, '');
  const text = withTests ? code : code.replace(/^\s*#\[cfg\((?:all\()?test\b[^\]]*\]\s*mod \w+ \{[^]*/m, '');
  const testModules = [...text.matchAll(/#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:pub(?:\([a-z]+\))? )?mod (\w+);/g)].map(
    ([, name]) => name,
  );
  const exported = new Map();
  const withoutExports = text.replace(/\bpub(?:\([a-z ]+\))? use ([^;]+);/g, (_, tree) => {
    for (const [name, path] of pathsOf(tree)) exported.set(name, path);
    return '';
  });
  const used = [...withoutExports.matchAll(/\buse (\w+::[^;]+);/g)].flatMap(([, tree]) => pathsOf(tree));
  // Those that begin with the name of a module that is declared here, too; others lead nowhere.
  const named = [...withoutExports.matchAll(/(?<![\w:])[a-z_]\w*(?:::\w+)+/g)].map(([path]) => path.split('::'));
  return { testModules, exported, used: new Map(used), paths: [...used.map(([, path]) => path), ...named] };
}

/** The paths of a tree like `a::{b::C, self}`, each behind the name that it brings in. */
function pathsOf(tree) {
  const text = tree.trim();
  const open = text.indexOf('{');
  if (open === -1) {
    const [path, alias] = text.split(/ as /);
    const names = path.split('::').map((name) => name.trim());
    return [[alias?.trim() ?? names.at(-1), names]];
  }
  const before = text
    .slice(0, open)
    .split('::')
    .map((name) => name.trim())
    .filter(Boolean);
  const parts = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}') depth--;
    if ((text[at] === ',' && depth === 1) || depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
    if (depth === 0) break;
  }
  return parts
    .filter((part) => part.trim() !== '')
    .flatMap((part) => pathsOf(part))
    .map(([name, path]) =>
      path[0] === 'self' ? [name === 'self' ? before.at(-1) : name, before] : [name, [...before, ...path]],
    );
}

/**
 * The modules that define the names used by `module`, except its ancestors and descendants: those count as one place.
 */
function arrowsFrom(modules, module) {
  const targets = new Set();
  for (const path of modules.get(module).paths) {
    const target = homeOf(modules, module, path);
    if (target !== undefined && !isWithin(module, target) && !isWithin(target, module)) targets.add(target);
  }
  return [...targets];
}

/** Follows a path from `module` to the module that has what it leads to, through what others pass on. */
function homeOf(modules, module, given, seen = new Set()) {
  const path = broughtIn(modules.get(module)?.used, given);
  let [at, rest] = path[0] === 'crate' ? ['', path.slice(1)] : [module, path];
  while (rest[0] === 'self' || rest[0] === 'super') {
    at = rest[0] === 'super' ? parentOf(at) : at;
    rest = rest.slice(1);
  }
  while (rest.length > 0 && modules.has(inside(at, rest[0]))) {
    at = inside(at, rest[0]);
    rest = rest.slice(1);
  }
  const onward = rest.length > 0 ? modules.get(at)?.exported.get(rest[0]) : undefined;
  const key = `${at} ${rest[0]}`;
  if (onward === undefined || seen.has(key)) return modules.has(at) ? at : undefined;
  return homeOf(modules, at, [...onward, ...rest.slice(1)], seen.add(key));
}

/** A path from where the `use` of its first name leads. */
function broughtIn(used = new Map(), path, seen = new Set()) {
  const [first, ...rest] = path;
  const from = used.get(first);
  return from === undefined || seen.has(first) ? path : broughtIn(used, [...from, ...rest], seen.add(first));
}

/** For each module that is in a circle the shortest one, each circle once. */
function shortestCircles(arrows) {
  const found = new Map();
  for (const start of arrows.keys()) {
    const circle = wayBack(arrows, start);
    if (circle === undefined) continue;
    const first = circle.indexOf([...circle].sort()[0]);
    const turned = [...circle.slice(first), ...circle.slice(0, first)];
    found.set(turned.join(' '), turned);
  }
  return [...found.values()].sort((a, b) => (a.join() < b.join() ? -1 : 1));
}

function wayBack(arrows, start) {
  const from = new Map();
  const queue = [start];
  for (const at of queue) {
    for (const next of arrows.get(at)) {
      if (next === start) {
        const way = [];
        for (let step = at; step !== start; step = from.get(step)) way.unshift(step);
        return [start, ...way];
      }
      if (!from.has(next)) {
        from.set(next, at);
        queue.push(next);
      }
    }
  }
  return undefined;
}

import { readFileSync, readdirSync } from 'node:fs';

const ROOT = new URL('./', import.meta.url);
/** What all folders may use, and what adapters may. */
const FOR_ALL = ['contract'];
const FOR_ADAPTERS = ['ses', 'json-schema', 'catalog'];

/** Folders of `lib/` that form separate parts. */
const PARTS = foldersOf('lib/').flatMap((name) =>
  name === 'adapters' ? foldersOf('lib/adapters/').map((adapter) => `adapters/${adapter}`) : [name],
);

/** What the modules of each part may use in addition to their own: the table in internals/README.md. */
const MAY_USE = new Map(
  readFileSync(new URL('internals/README.md', ROOT), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `lib/'))
    .map((line) => line.split('|').slice(1).map(quoted))
    .flatMap(([names, , used]) => partsOf(names).map((part) => [part, used])),
);
for (const part of PARTS) if (!MAY_USE.has(part)) throw new Error(`internals/README.md has no row for lib/${part}/`);

const ARROWS = PARTS.map((part) => {
  const given = [...FOR_ALL, ...(part.startsWith('adapters/') ? FOR_ADAPTERS : []), ...(MAY_USE.get(part) ?? [])];
  const folders = [part, ...given].filter((name) => PARTS.includes(name)).map((name) => `lib/${name}/`);
  const allowed = given.includes('native.cjs') ? [...folders, 'native\\.cjs$'] : folders;
  return {
    name: `arrow-out-of-${part}`,
    comment: `lib/${part}/ must not use it: see the table in internals/README.md.`,
    severity: 'error',
    from: { path: `^lib/${part}/` },
    to: { path: '^(lib/|bin/|index\\.m?js$|native\\.cjs$)', pathNot: `^(${allowed.join('|')})` },
  };
});

/** @param {string} path */
function foldersOf(path) {
  const entries = readdirSync(new URL(path, ROOT), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** @param {string} cell */
function quoted(cell) {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, text]) => text);
}

/**
 * The parts that a row is about: the first name is a path, others are those of folders beside it.
 *
 * @param {string[]} names
 */
function partsOf([first, ...beside]) {
  const own = first.slice('lib/'.length);
  const parent = own.slice(0, own.slice(0, -1).lastIndexOf('/') + 1);
  return [own, ...beside.map((name) => parent + name)]
    .filter((name) => name.endsWith('/'))
    .map((name) => name.slice(0, -1));
}

export default {
  forbidden: [
    ...ARROWS,
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^native\\.cjs$', '^build/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'import', 'node', 'default'] },
    // Types are checked by tsc.
    exclude: { path: '\\.d\\.ts$' },
    moduleSystems: ['cjs', 'es6'],
    tsConfig: { fileName: 'tsconfig.json' },
  },
};

// A page of the API for each entry point of the package, from its types.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, posix, resolve } from 'node:path';

import { Application, ReflectionKind } from 'typedoc';

import { anchorOf } from './anchor.mjs';

/**
 * The entry points of the package: what callers import, and the file with its types. package.json is the only list of
 * them.
 *
 * @param {string} root
 * @returns {{ name: string, types: string }[]}
 */
export function entryPoints(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries(manifest.exports)
    .map(([path, target]) => ({ name: posix.join(manifest.name, path), types: target.types ?? target.require?.types }))
    .filter(({ types }) => types !== undefined)
    .map(({ name, types }) => ({ name, types: join(root, types) }));
}

/**
 * @param {string} root
 * @param {string} folder For the pages.
 */
export async function writeApi(root, folder) {
  const points = entryPoints(root);
  const app = await Application.bootstrapWithPlugins({
    entryPoints: points.map(({ types }) => types),
    tsconfig: join(root, 'scripts', 'docs', 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    // `npm run check:types` checks them.
    skipErrorChecking: true,
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    logLevel: 'Error',
    // Options of typedoc-plugin-markdown.
    outputs: [{ name: 'markdown', path: folder }],
    router: 'module',
    entryFileName: 'index',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'list',
    useCodeBlocks: true,
    sanitizeComments: true,
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc cannot read the types of the package');
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    const source = project.getSymbolIdFromReflection(module)?.fileName;
    const point = points.find(({ types }) => source !== undefined && resolve(types) === resolve(source));
    if (point !== undefined) module.name = point.name;
  }
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error('TypeDoc cannot write the pages of the API');
  correctFragments(folder);
}

/**
 * typedoc-plugin-markdown numbers some fragments (`#executorstate-1`) although their heading is the only one of that
 * name on its page.
 *
 * @param {string} folder
 */
function correctFragments(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'));
  const texts = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const anchors = new Map([...texts].map(([name, text]) => [name, anchorsOf(text)]));
  for (const [name, text] of texts) {
    const corrected = text.replace(/(?<=\]\()([^()\s#]*)#([^()\s]+)-\d+(?=\))/g, (link, path, fragment) => {
      const known = anchors.get(path === '' ? name : normalize(join(dirname(name), path)));
      if (known === undefined || known.has(link.slice(path.length + 1))) return link;
      return `${path}#${fragment}`;
    });
    writeFileSync(join(folder, name), corrected);
  }
}

/** The fragments of the headings of a page; those that are there several times are numbered. */
function anchorsOf(text) {
  const counts = new Map();
  return new Set(
    Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) => {
      const anchor = anchorOf(heading.replaceAll('\\', ''));
      const count = counts.get(anchor) ?? 0;
      counts.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

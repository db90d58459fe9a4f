// Compiles `lib/` to `build/`: TypeScript becomes CommonJS with source maps; everything else is copied. Modules that
// the public types reach also become declarations. Files that are newer than their source are skipped. `npm run
// check:types` checks the types; this script takes each file by itself. Hence exports of a module with a declaration
// must have explicit types.

import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Changes to these files make everything stale. */
const SETTINGS = [
  'scripts/compile.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'node_modules/typescript/package.json',
];

/**
 * @param {string} [root]
 * @returns {Promise<number>} how many files were written
 */
export async function compile(root = ROOT) {
  const settings = Math.max(...SETTINGS.map((path) => statSync(join(root, path)).mtimeMs));
  const sources = filesIn(join(root, 'lib'));
  const targets = new Map(sources.map((source) => [targetOf(root, source), source]));
  for (const path of existsSync(join(root, 'build')) ? filesIn(join(root, 'build')) : []) {
    const isKnown = targets.has(path) || targets.has(scriptOf(path));
    if (!isKnown && !/\.\d+$/.test(path)) rmSync(path, { force: true });
  }
  const stale = [...targets].filter(([target, source]) => isStale(target, source, settings));
  const scripts = stale.filter(([, source]) => isScript(source));
  if (scripts.length > 0) await emit(root, scripts);
  for (const [target, source] of stale) if (!isScript(source)) write(target, readFileSync(source));
  return stale.length + (await declare(root, targets, settings));
}

/** @param {number} settings time of the last change of a file that makes everything stale */
function isStale(target, source, settings) {
  const made = statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return made < Math.max(statSync(source).mtimeMs, settings);
}

/**
 * @param {string} root
 * @param {[target: string, source: string][]} files
 */
async function emit(root, files) {
  const { default: ts } = await import('typescript');
  const program = ts.createProgram(
    files.map(([, source]) => source),
    optionsOf(ts, root),
  );
  const { diagnostics } = program.emit(undefined, (path, text) => write(join(path), text));
  const errors = [...program.getSyntacticDiagnostics(), ...diagnostics];
  // The next call compiles these files again.
  if (errors.length > 0) for (const [target] of files) rmSync(target, { force: true });
  await refuse(root, errors);
}

/**
 * Writes the declarations of the modules that the types of the package reach, and removes all others.
 *
 * @param {string} root
 * @param {Map<string, string>} targets sources by the files that they become
 * @param {number} settings as for {@link isStale}
 * @returns {Promise<number>} how many files were written
 */
async function declare(root, targets, settings) {
  const reached = new Set(typesOf(root));
  const errors = [];
  let written = 0;
  // Declarations that are added to the set meanwhile are visited, too.
  for (const path of reached) {
    const source = targets.get(scriptOf(path));
    let text;
    if (source !== undefined && isStale(path, source, settings)) {
      const { outputText, diagnostics = [] } = await declarationOf(root, source);
      errors.push(...diagnostics);
      if (diagnostics.length === 0) write(path, outputText);
      text = outputText;
      written++;
    }
    for (const imported of importsOf(path, text ?? readFileSync(path, 'utf8'), targets)) reached.add(imported);
  }
  await refuse(root, errors);
  for (const path of filesIn(join(root, 'build'))) {
    if (path.endsWith('.d.ts') && !reached.has(path) && !targets.has(path)) rmSync(path, { force: true });
  }
  return written;
}

/**
 * The files with the types of the package. package.json is the only list of them.
 *
 * @param {string} root
 */
function typesOf(root) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values(exports)
    .flatMap(({ types, import: imported, require: required }) => [types, imported?.types, required?.types])
    .filter((types) => types !== undefined)
    .map((types) => join(root, types));
}

/**
 * The declarations of this package that a declaration imports.
 *
 * @param {string} path
 * @param {string} text of the declaration
 * @param {Map<string, string>} targets
 */
function importsOf(path, text, targets) {
  const imports = text.matchAll(/(?:\bfrom |\bimport\(|\brequire\()["'](\.[^"']*)["']/g);
  return Array.from(imports, ([, name]) => {
    const module = join(dirname(path), name.replace(/\.js$/, ''));
    const candidates = [`${module}.d.ts`, join(module, 'index.d.ts')];
    const found = candidates.find((candidate) => existsSync(candidate) || targets.has(scriptOf(candidate)));
    if (found === undefined) throw new Error(`${path} imports ${name}, which has no types`);
    return found;
  });
}

/**
 * @param {string} root
 * @param {string} source
 */
async function declarationOf(root, source) {
  const { default: ts } = await import('typescript');
  return ts.transpileDeclaration(readFileSync(source, 'utf8'), {
    fileName: source,
    reportDiagnostics: true,
    compilerOptions: { ...optionsOf(ts, root), removeComments: false, stripInternal: true },
  });
}

function optionsOf(ts, root) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}

/** @throws {Error} if there are errors */
async function refuse(root, errors) {
  if (errors.length === 0) return;
  const { default: ts } = await import('typescript');
  const host = { getCanonicalFileName: (path) => path, getCurrentDirectory: () => root, getNewLine: () => '\n' };
  throw new Error(`lib/ does not compile:\n${ts.formatDiagnostics(errors, host)}`);
}

/**
 * Writes a file whole, so that a process that reads it at the same time never sees half of it.
 *
 * @param {string} path
 * @param {string | Buffer} content
 */
function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  const old = existsSync(path) ? readFileSync(path) : undefined;
  if (old?.equals(Buffer.from(content))) {
    const now = new Date();
    utimesSync(path, now, now);
    return;
  }
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, content);
  renameSync(partial, path);
}

/**
 * @param {string} root
 * @param {string} source
 */
function targetOf(root, source) {
  const path = relative(join(root, 'lib'), source);
  return join(root, 'build', isScript(source) ? path.replace(/\.ts$/, '.js') : path);
}

/** The script that a source map or a declaration in `build/` belongs to. */
function scriptOf(path) {
  return path.replace(/\.map$|\.d\.ts$/, (end) => (end === '.map' ? '' : '.js'));
}

/** @param {string} path */
function isScript(path) {
  return path.endsWith('.ts') && !path.endsWith('.d.ts');
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md') && !entry.name.endsWith('.pyc'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await compile();

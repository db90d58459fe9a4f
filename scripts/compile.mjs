// Compiles `lib/` to `build/`: TypeScript becomes CommonJS with source maps; everything else is copied. Files that are newer than
// their source are skipped. `npm run check:types` checks the types; this script only strips them.

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
    if (!targets.has(path.replace(/\.map$/, '')) && !/\.\d+$/.test(path)) rmSync(path, { force: true });
  }
  const stale = [...targets].filter(([target, source]) => {
    const made = statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return made < Math.max(statSync(source).mtimeMs, settings);
  });
  if (stale.length === 0) return 0;
  const scripts = stale.filter(([, source]) => isScript(source));
  if (scripts.length > 0) await emit(root, scripts);
  for (const [target, source] of stale) if (!isScript(source)) write(target, readFileSync(source));
  return stale.length;
}

/**
 * @param {string} root
 * @param {[target: string, source: string][]} files
 */
async function emit(root, files) {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    files.map(([, source]) => source),
    options,
  );
  const { diagnostics } = program.emit(undefined, (path, text) => write(join(path), text));
  const errors = [...program.getSyntacticDiagnostics(), ...diagnostics];
  if (errors.length === 0) return;
  // The next call compiles these files again.
  for (const [target] of files) rmSync(target, { force: true });
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

// @ts-check
'use strict';

const { existsSync, statSync } = require('node:fs');
const { builtinModules, createRequire } = require('node:module');
const { join, resolve } = require('node:path');

const { readText } = require('./input');
const { requirePeer } = require('../../contract/peer-dependency');
const { checkModule } = require('../../ses/check');
const { SESExecutor } = require('../../ses/executor');

/** What messages of findings name; before it there may be the name of the module. */
const GLOBAL = /(?:^|: )(\w+) is not available/;
const IMPORTED = /import of "(.*?)" is not allowed/;

/** What loading a library may take: it is the host's, which will not load what takes longer. */
const LOADING_MS = 20_000;

/**
 * A library as a module of guest code.
 *
 * @typedef {object} Library
 * @property {string} name
 * @property {string} text of an ES module
 *
 * @typedef {object} LibraryReport
 * @property {string} name
 * @property {number} bytes of its text, UTF-8
 * @property {{ name: string, fix?: string }[]} lacks globals that it names and guest code does not have, by name; it may
 * do without them
 * @property {string[]} imports modules that it imports itself, and that the host has to provide as well
 * @property {string[]} exports names, if it loads
 * @property {string} [error] why it does not load
 */

/**
 * The library of a file, or of a package in the `node_modules` of a folder: its text with all that it requires, by esbuild.
 *
 * @param {string} name of a file or a package
 * @param {string} [folder]
 * @returns {Promise<Library>} rejects if there is none, or esbuild is not installed
 */
async function loadLibrary(name, folder = process.cwd()) {
  const file = resolve(folder, name);
  const isFile = existsSync(file) && statSync(file).isFile();
  if (isFile && /\.mjs$/.test(file)) return { name, text: readText(file) };
  const require = createRequire(join(folder, 'library.js'));
  if (!existsSync(file) && !isInstalled(name, require)) throw new Error('there is no such file and no such package');
  const { build } = /** @type {typeof import('esbuild')} */ (
    requirePeer('what is no file that ends in .mjs', 'esbuild', () => esbuild(require))
  );
  const { outputFiles } = await build({
    entryPoints: [isFile ? file : name],
    absWorkingDir: folder,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    mainFields: ['module', 'browser', 'main'],
    target: 'esnext',
    minifyWhitespace: true,
    external: ['node:*'],
    plugins: [modulesOfNode],
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'silent',
  });
  return { name, text: outputFiles[0].text };
}

/**
 * Leaves out modules of Node.js, but for those that a package of that name or the `browser` field of the one that asks stands for.
 *
 * @type {import('esbuild').Plugin}
 */
const modulesOfNode = {
  name: 'modules-of-node',
  setup(build) {
    const filter = new RegExp(`^(?:${builtinModules.join('|')})$`);
    build.onResolve({ filter }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === modulesOfNode) return undefined;
      const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: modulesOfNode });
      return found.errors.length === 0 ? undefined : { path, external: true };
    });
  },
};

/**
 * Whether there is the package that `name` is of, or the folder that it is relative to.
 *
 * @param {string} name
 * @param {NodeJS.Require} require of the folder
 */
function isInstalled(name, require) {
  const [packageName] = /** @type {RegExpExecArray} */ (/^(@[^/]+\/)?[^/]*/.exec(name));
  // Without the slash some are modules of Node.js.
  const folders = require.resolve.paths(`${packageName}/`) ?? [];
  return folders.some((folder) => existsSync(join(folder, packageName)));
}

/** @param {NodeJS.Require} ofLibrary `require` of its folder, which may have an esbuild of its own */
function esbuild(ofLibrary) {
  try {
    return ofLibrary('esbuild');
  } catch {
    return require('esbuild');
  }
}

/**
 * What a library will lack as a module of guest code, and whether it loads.
 *
 * @param {Library} library
 * @param {{ authorizedImports?: string[], modules?: Record<string, string> }} [others] modules that it may import
 * @returns {Promise<LibraryReport>}
 */
async function inspectLibrary({ name, text }, { authorizedImports = [], modules = {} } = {}) {
  const bytes = Buffer.byteLength(text);
  const found = checkModule(name, text, { authorizedImports, maxCodeBytes: 1 << 30 });
  const lacks = new Map();
  for (const { rule, message, fix } of found) {
    if (rule === 'forbidden_global_access') lacks.set(named(message, GLOBAL), fix);
  }
  const imports = found.filter(({ rule }) => rule === 'import_allowed').map(({ message }) => named(message, IMPORTED));
  return {
    name,
    bytes,
    lacks: [...lacks].sort().map(([global, fix]) => ({ name: global, fix })),
    imports: [...new Set(imports)].sort(),
    ...(await load(name, text, authorizedImports, modules)),
  };
}

/**
 * @param {string} message
 * @param {RegExp} pattern
 */
function named(message, pattern) {
  return pattern.exec(message)?.[1] ?? '';
}

/**
 * Loads the text of a module, with others that it may import.
 *
 * @param {string} name
 * @param {string} text
 * @param {string[]} authorizedImports
 * @param {Record<string, string>} modules
 * @returns {Promise<{ exports: string[], error?: string }>}
 */
async function load(name, text, authorizedImports, modules) {
  const executor = new SESExecutor({
    authorizedImports: [...authorizedImports, name],
    modules: { ...modules, [name]: text },
    timeoutMs: LOADING_MS,
    memoryLimitMb: 512,
    warmPool: 0,
    onLog: () => {},
  });
  await executor.init();
  try {
    const { output } = await executor.run(`Object.keys(await import(${JSON.stringify(name)}))`);
    return { exports: /** @type {string[]} */ (output) };
  } catch (error) {
    return { exports: [], error: /** @type {Error} */ (error).message.replace(/^Runtime exception: /, '') };
  } finally {
    await executor.cleanup();
  }
}

module.exports = { inspectLibrary, load, loadLibrary };

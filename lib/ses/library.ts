import { existsSync, readFileSync, statSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { join, resolve } from 'node:path';

import { checkModule } from './check';
import { SESExecutor } from './executor';
import { requirePeer } from '../contract/peer-dependency';
import type { Plugin } from 'esbuild';
import type { LibraryReport } from './npm-modules';

/** Matches the name in messages of findings. The name of the module may precede it. */
const GLOBAL = /(?:^|: )(\w+) is not available/;
const IMPORTED = /import of "(.*?)" is not allowed/;

/** Time limit for loading a library. The library belongs to the host, which will not load slower ones. */
const LOADING_MS = 20_000;

/** A library as a module of guest code. */
export interface Library {
  name: string;
  /** Source text of an ES module. */
  text: string;
  /** Modules that it imports or requires and that are not part of the text. */
  externals?: string[];
}

/**
 * Loads the library of a file, or of a package in the `node_modules` of a folder. esbuild bundles its source with
 * everything that it requires.
 *
 * @param name name of a file or of a package
 * @param names of members of the default export that the module exports, too
 * @returns a promise that rejects if the library does not exist or if esbuild is not installed
 */
export async function loadLibrary(
  name: string,
  folder: string = process.cwd(),
  names: readonly string[] = [],
): Promise<Library> {
  const file = resolve(folder, name);
  const isFile = existsSync(file) && statSync(file).isFile();
  if (isFile && /\.mjs$/.test(file)) return { name, text: readFileSync(file, 'utf8') };
  const require = createRequire(join(folder, 'library.js'));
  if (!existsSync(file) && !isInstalled(name, require)) throw new Error('there is no such file and no such package');
  const { build } = requirePeer('a module that is not an .mjs file', 'esbuild', () =>
    esbuild(require),
  ) as typeof import('esbuild');
  const entry = isFile ? file : name;
  const contents = `import all from ${JSON.stringify(entry)};\nexport default all;\nexport const { ${names.join(', ')} } = all;`;
  const { outputFiles, metafile } = await build({
    ...(names.length === 0 ? { entryPoints: [entry] } : { stdin: { contents, resolveDir: folder } }),
    absWorkingDir: folder,
    bundle: true,
    write: false,
    metafile: true,
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
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const externals = imports.filter(({ external }) => external).map(({ path }) => path);
  return { name, text: outputFiles[0].text, externals: [...new Set(externals)] };
}

/**
 * Excludes modules of Node.js, except those that a package of the same name or the importer's `browser` field replaces.
 */
const modulesOfNode: Plugin = {
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
 * Whether the package of `name`, or the folder that `name` is relative to, exists.
 *
 * @param require the folder's `require`
 */
function isInstalled(name: string, require: NodeJS.Require) {
  const [packageName] = /^(@[^/]+\/)?[^/]*/.exec(name) as RegExpExecArray;
  // Without the slash, some names refer to modules of Node.js.
  const folders = require.resolve.paths(`${packageName}/`) ?? [];
  return folders.some((folder) => existsSync(join(folder, packageName)));
}

/** @param ofLibrary `require` of the library's folder, which may have its own esbuild */
function esbuild(ofLibrary: NodeJS.Require) {
  try {
    return ofLibrary('esbuild');
  } catch {
    // Bundlers of programs that never call this must not look for it.
    return createRequire(__filename)('esbuild');
  }
}

/**
 * Checks which globals a library lacks as a module of guest code, and whether it loads. `members` are names of members
 * of its default export.
 *
 * @param others modules that the library may import
 */
export async function inspectLibrary(
  { name, text }: Library,
  { authorizedImports = [], modules = {} }: { authorizedImports?: string[]; modules?: Record<string, string> } = {},
): Promise<LibraryReport & { members: string[] }> {
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

function named(message: string, pattern: RegExp) {
  return pattern.exec(message)?.[1] ?? '';
}

/** Loads the source text of a module together with other modules that it may import. */
export async function load(
  name: string,
  text: string,
  authorizedImports: string[],
  modules: Record<string, string>,
): Promise<{ exports: string[]; members: string[]; error?: string }> {
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
    const { output } = await executor.run(`
      const library = await import(${JSON.stringify(name)});
      const all = library.default;
      const isHolder = (typeof all === 'object' && all !== null) || typeof all === 'function';
      [Object.keys(library), isHolder ? Object.keys(all) : []]`);
    const [exports, members] = output as string[][];
    return { exports, members };
  } catch (error) {
    return { exports: [], members: [], error: (error as Error).message.replace(/^Runtime exception: /, '') };
  } finally {
    await executor.cleanup();
  }
}

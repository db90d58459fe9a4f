import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { shownUrl } from '../../contract/shown-url';
import { pyodideFolder } from '../pyodide-folder';
import type { Foreign } from '../../contract/foreign';

/** A package that was built for the installed Pyodide. */
export interface ReleasePackage {
  name: string;
  version: string;
  /** The name of its wheel. */
  file: string;
  /** Hexadecimal digest of the wheel. */
  sha256: string;
  /** Names of packages. */
  dependencies: string[];
}

/** A package with the names of its modules. */
type Found = ReleasePackage & { modules?: readonly string[] };

/** Longest wait for one file. The largest wheel has 30 MB. */
const DOWNLOAD_MS = 10 * 60_000;
/** Names of packages are compared in this form. */
const normalized = (name: string) => name.replace(/[-_.]+/g, '-').toLowerCase();

/** The packages that were built for the installed Pyodide, by their normalized names. */
export async function readRelease(): Promise<Map<string, Found>> {
  const { packages } = await readJson('pyodide-lock.json');
  const found = new Map<string, Found>();
  for (const { name, version, file_name: file, sha256, depends, imports } of Object.values(packages) as Foreign[]) {
    if (!file.endsWith('.whl')) continue;
    const dependencies = depends.map(normalized).sort();
    found.set(normalized(name), { name: normalized(name), version, file, sha256, dependencies, modules: imports });
  }
  return found;
}

/** All packages of the release that can be added, by name. As the function of the entry point says. */
export async function listReleasePackages(): Promise<ReleasePackage[]> {
  const release = await readRelease();
  return [...release.values()]
    .map(({ name, version, file, sha256, dependencies }) => ({ name, version, file, sha256, dependencies }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The address that the files of the installed Pyodide have. */
export async function releaseAddress(): Promise<string> {
  const { version } = await readJson('package.json');
  return `https://cdn.jsdelivr.net/pyodide/v${version}/full/`;
}

async function readJson(file: string) {
  return JSON.parse(await readFile(join(pyodideFolder(), file), 'utf8'));
}

/**
 * The package of the release that a requirement such as `numpy` or `numpy==2.4.6` asks for; undefined if it asks for
 * something else. The name may be that of a module, such as `sklearn`: errors of `import` name modules.
 */
export function packageFor(requirement: string, release: Map<string, Found>): ReleasePackage | undefined {
  const [, name, version] = /^([\w.-]+)(?:==([^,;\s]+))?$/.exec(requirement.replaceAll(' ', '')) ?? [];
  const found = name === undefined ? undefined : (release.get(normalized(name)) ?? packageOf(name, release));
  return version === undefined || version === found?.version ? found : undefined;
}

/** The only package that has a module of this name. */
function packageOf(module: string, release: Map<string, Found>): ReleasePackage | undefined {
  const having = [...release.values()].filter(({ modules }) => modules?.includes(module));
  return having.length === 1 ? having[0] : undefined;
}

/** Packages with everything that they need, each once, dependencies first. */
export function withDependencies(wanted: ReleasePackage[], release: Map<string, ReleasePackage>): ReleasePackage[] {
  const found = new Set<ReleasePackage>();
  const waiting = new Set<ReleasePackage>();
  const add = (one: ReleasePackage) => {
    if (found.has(one) || waiting.has(one)) return;
    waiting.add(one);
    for (const name of one.dependencies) {
      const dependency = release.get(name);
      // Libraries that are linked into the interpreter are not wheels.
      if (dependency !== undefined) add(dependency);
    }
    found.add(one);
  };
  wanted.forEach(add);
  return [...found];
}

/** Whether a wheel has code for this interpreter, so that it is on no general index, or only in other versions. */
export function isBinary({ file }: ReleasePackage): boolean {
  return !file.endsWith('-none-any.whl');
}

/**
 * Puts the wheels of packages into a folder. Each has the digest that the release says.
 *
 * @param from a folder or an address that has the files; by default the address of the release
 * @returns paths of the wheels
 * @throws {Error} that names all files that could not be had, and their digests
 */
export async function fetchWheels(packages: ReleasePackage[], folder: string, from?: string): Promise<string[]> {
  const source = from ?? (await releaseAddress());
  const paths: string[] = [];
  const missing: { one: ReleasePackage; reason: string }[] = [];
  for (const one of packages) {
    const content = await read(source, one.file).catch(
      (error: Error) => void missing.push({ one, reason: reasonOf(error) }),
    );
    if (content === undefined) continue;
    const digest = createHash('sha256').update(content).digest('hex');
    if (digest !== one.sha256) {
      throw new Error(
        `${one.file} from ${shown(source)} has the SHA-256 ${digest}, but pyodide-lock.json says ${one.sha256}`,
      );
    }
    const path = join(folder, one.file);
    await writeFile(path, content);
    paths.push(path);
  }
  if (missing.length > 0) throw notFound(missing, source);
  return paths;
}

/** A folder, or an address without its login and its query. */
function shown(source: string) {
  return /^https?:/.test(source) ? shownUrl(source) : source;
}

async function read(source: string, file: string) {
  if (!/^https?:/.test(source)) {
    return await readFile(join(source.startsWith('file:') ? fileURLToPath(source) : resolve(source), file));
  }
  const address = new URL(source);
  const login = [address.username, address.password].map(decodeURIComponent).join(':');
  address.username = address.password = address.hash = '';
  address.pathname = `${address.pathname.replace(/\/$/, '')}/${file}`;
  const headers = new Headers();
  if (login !== ':') headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`);
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(DOWNLOAD_MS) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  return Buffer.from(await response.arrayBuffer());
}

function reasonOf(error: Foreign): string {
  return error.code === 'ENOENT' ? 'no such file' : String(error.cause?.code ?? error.cause?.message ?? error.message);
}

function notFound(missing: { one: ReleasePackage; reason: string }[], source: string) {
  const lines = missing.map(({ one, reason }) => `  ${one.file} (${reason})\n    sha256 ${one.sha256}`);
  return new Error(
    `${missing.length === 1 ? 'a wheel' : `${missing.length} wheels`} could not be read from ${shown(source)}:\n${lines.join('\n')}\n` +
      'Download these files on a machine with a network, put them into one folder, and pass that folder with --from.',
  );
}

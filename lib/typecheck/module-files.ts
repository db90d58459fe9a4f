import { isPlainObject } from '../contract/describe';
import { isBindable, isIdentifier } from '../contract/identifiers';
import { isNamespace } from '../contract/tool-registry';
import { typeOfValue } from './value-types';
import type { Language, Modules } from '../contract/executor-options';

/** How modules are declared to the checker. */
interface ModuleFiles {
  /** Modules whose types follow from their sources. */
  files: [name: string, text: string][];
  paths: Record<string, string[]>;
  /** Names of modules by the names of their files without extensions. */
  names: Map<string, string>;
  /** Declarations of the others. */
  ambient: string;
}

/** A longer source is not read: its exports may be anything. */
const MAX_SOURCE_CHARS = 64 << 10;

export function moduleFiles(modules: Modules, imports: readonly string[], language: Language): ModuleFiles {
  const found: ModuleFiles = { files: [], paths: {}, names: new Map(), ambient: '' };
  for (const name of imports) {
    const module = Object.hasOwn(modules, name) ? modules[name] : undefined;
    // A star is a pattern.
    if (name.includes('*')) continue;
    if (typeof module === 'string' && module.length <= MAX_SOURCE_CHARS) {
      const file = `m${found.files.length}`;
      found.paths[name] = [`./${file}`];
      found.names.set(file, name);
      found.files.push([`${file}.${language === 'typescript' ? 'ts' : 'js'}`, module]);
    } else {
      found.ambient += `declare module ${JSON.stringify(name)}${exportsOf(module)}\n`;
    }
  }
  return found;
}

/** The body of a module, or nothing for one whose exports may be anything. */
function exportsOf(module: unknown) {
  if (!isPlainObject(module)) return ';';
  const members = Object.entries(module as object);
  if (!members.every(([name]) => isIdentifier(name) && isBindable(name))) return ';';
  const declared = members.map(([name, value]) => {
    const isTool = typeof value === 'function' || isNamespace(value);
    return `export const ${name}: ${isTool ? 'any' : typeOfValue(value)};`;
  });
  return ` { ${declared.join(' ')} }`;
}

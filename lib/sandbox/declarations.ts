import { Catalog } from '../catalog/catalog';
import { typeDeclarations } from '../catalog/type-declarations';
import type { DeclaredFunction } from '../catalog/type-declarations';
import type { Registry } from './registry';

/** The object that programs call methods of. */
const SDK = 'sdk.';

/** Declarations of the methods of a registry as TypeScript. */
export class MethodDeclarations {
  #registry;
  #maxChars;
  #catalogs: Map<boolean, Catalog<DeclaredFunction>> = new Map();

  /** @param maxChars length of declarations in prompts */
  constructor(registry: Registry, maxChars: number) {
    this.#registry = registry;
    this.#maxChars = maxChars;
  }

  /** The declarations of all methods, or undefined if they are too long for a prompt. */
  all(isAsync: boolean): string | undefined {
    // Declarations are at least as long as names and descriptions.
    if (this.#registry.texts.heads.length > this.#maxChars) return undefined;
    const { text, isCut } = typeDeclarations(this.#methods(isAsync), this.#maxChars);
    return isCut ? undefined : text;
  }

  /**
   * @param names of methods, with or without `sdk.`, or of one source
   * @throws {Error} for unknown names
   */
  describe(names: unknown, isAsync: boolean): string {
    let catalog = this.#catalogs.get(isAsync);
    if (catalog === undefined) {
      catalog = new Catalog(this.#methods(isAsync), (some, most) => typeDeclarations(some, most).text, 'tools');
      this.#catalogs.set(isAsync, catalog);
    }
    return catalog.describe(...(Array.isArray(names) ? names : []).map(withSdk));
  }

  #methods(isAsync: boolean): DeclaredFunction[] {
    return this.#registry.methods().map(({ source, name, description, line }) => {
      const detail = () => this.#registry.detail(line);
      return {
        name: `${SDK}${source}.${name}`,
        description,
        isAsync,
        get input() {
          return detail().params;
        },
        get output() {
          return detail().result;
        },
        get examples() {
          return detail().examples;
        },
      };
    });
  }
}

function withSdk(name: unknown) {
  return typeof name === 'string' && !name.startsWith(SDK) ? `${SDK}${name}` : name;
}

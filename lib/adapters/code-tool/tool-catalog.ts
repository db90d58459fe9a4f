import { Catalog, lookupTools } from '../../catalog/catalog';
import { isShownInShort } from '../../catalog/lossless';
import type { DeclaredFunction } from '../../catalog/type-declarations';
import type { Tools } from '../../contract/tool-types';
import type { LanguageText } from './language';

/** Names of the object that has `search` and `describe`: the first one that means nothing else. */
const HOLDERS = ['tools', 'toolbox', 'toolbox_'];
/** Of the length that declarations may have: how much of it an index gets. The rest is for the text around it. */
const INDEX_SHARE = 0.75;
const MIN_INDEX_CHARS = 1_000;
/** Declarations that are longer by this factor are not written again with shared types. */
const MAX_SAVING = 4;

/** A function that code can call. */
export interface Declarable {
  name: string;
  /** @param description another description */
  declared: (description?: string) => DeclaredFunction;
}

/**
 * The functions of a prompt: their declarations, or, if those are too long, an index. With an index, code has functions
 * that find and declare the others.
 */
export class ToolCatalog {
  #functions;
  #language;
  #maxChars;
  #form: 'short' | 'full' | 'index';
  #holder = '';
  #catalog: Catalog<DeclaredFunction> | undefined;

  /**
   * @param options.maxChars length of the declarations
   * @param options.taken names that code uses for something else
   */
  constructor(
    functions: readonly Declarable[],
    { language, maxChars, taken = [] }: { language: LanguageText; maxChars: number; taken?: readonly string[] },
  ) {
    this.#functions = functions;
    this.#language = language;
    this.#maxChars = maxChars;
    const declared = this.#declared({});
    this.#form = this.#formOf(declared);
    if (this.#form !== 'index') return;
    const names = new Set([...taken, ...functions.map(({ name }) => name.split('.')[0])]);
    this.#holder = HOLDERS.find((name) => !names.has(name)) ?? HOLDERS[0];
    this.#catalog = this.#catalogOf(declared);
  }

  /** What code needs in addition to the functions: nothing, or `search` and `describe`. */
  get tools(): Tools {
    return this.#catalog === undefined ? {} : lookupTools(this.#catalog, this.#holder);
  }

  /** @param descriptions descriptions that replace those of the functions, by name */
  text(descriptions: Record<string, string | undefined> = {}): string {
    const declared = this.#declared(descriptions);
    if (this.#form === 'short') return this.#inShort(declared);
    if (this.#form === 'full') return this.#fully(declared, Infinity).text;
    const index = this.#catalogOf(declared).index(Math.max(MIN_INDEX_CHARS, this.#maxChars * INDEX_SHARE));
    return `${this.#language.lookupText(this.#holder, declared.length)}\n\n${index}`;
  }

  #declared(descriptions: Record<string, string | undefined>) {
    return this.#functions.map((it) => it.declared(descriptions[it.name]));
  }

  #formOf(declared: DeclaredFunction[]) {
    const length = this.#lengthInShort(declared);
    if (length <= this.#maxChars) return 'short';
    if (length > this.#maxChars * MAX_SAVING) return 'index';
    return this.#fully(declared, this.#maxChars).isCut ? 'index' : 'full';
  }

  /**
   * Length of the declarations in short. It is not counted further than needed: more functions make them longer, and
   * there may be thousands of third parties.
   */
  #lengthInShort(declared: DeclaredFunction[]) {
    for (let count = 8; ; count *= 2) {
      const { length } = this.#inShort(declared.slice(0, count));
      if (count >= declared.length || length > this.#maxChars * MAX_SAVING) return length;
    }
  }

  /** Only functions whose schemas need it are declared fully. */
  #inShort(declared: DeclaredFunction[]) {
    const texts = [];
    const others = [];
    for (const each of declared) {
      if (isShownInShort(each.input) && isShownInShort(each.output)) texts.push(this.#language.declare(each).trim());
      else others.push(each);
    }
    if (others.length > 0) texts.push(this.#fully(others, Infinity).text);
    return texts.join('\n\n');
  }

  #fully(functions: DeclaredFunction[], maxChars: number) {
    return this.#language.declareFully(functions, maxChars);
  }

  #catalogOf(declared: DeclaredFunction[]) {
    return new Catalog(declared, (some, maxChars) => this.#fully(some, maxChars).text, this.#holder);
  }
}

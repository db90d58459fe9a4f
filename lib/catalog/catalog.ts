import { indexText, summaryOf } from './index-text';
import { isSchema, resolve } from './schema-types';
import { WorkBudget, atOnce, inSlices } from '../contract/budget';
import { isPlainObject } from '../contract/describe';
import { closest } from '../contract/options';
import { withTraits } from '../contract/tool-traits';
import type { Finder } from './finder';
import type { Searched } from './search-terms';
import type { Tools } from '../contract/tool-types';

/** A function of a catalog. */
export interface CatalogFunction {
  /** The name by which code calls it, with its namespaces. */
  name: string;
  description: string;
  /** JSON Schema of the object that it takes, whose properties are searched. */
  input: unknown;
}

/** A function as a search returns it. */
type Found = Pick<CatalogFunction, 'name' | 'description'>;

/** The code's side of a catalog. */
export interface Lookups {
  /** Functions that fit a search, the best first. */
  search: (query: unknown, limit?: unknown) => Found[] | Promise<Found[]>;
  /** Declarations of functions, or the index of a namespace. */
  describe: (...names: unknown[]) => string;
}

/** Functions that a search returns by default, and at most. */
const LIMIT = 20;
const MAX_LIMIT = 1_000;
/**
 * Characters of a description and of the descriptions of parameters that are searched, and the number of parameters.
 */
const MAX_SEARCHED = 1_000;
const MAX_PARAM_TEXT = 80;
const MAX_PARAMS = 40;
/** Characters of the answer of `describe`. */
const MAX_CHARS = 20_000;
/** Characters of all functions whose finder is made in one step. */
const MAX_AT_ONCE = 64 << 10;
/** Functions that one call of `describe` declares. */
const MAX_NAMES = 20;
/** Characters of a name that is compared with one that does not exist. */
const MAX_NAME = 80;

type PathFinder = Finder<Searched & { path: string }>;

/**
 * Functions that are too many to be declared in a prompt. Code finds them by words and reads the declarations of some.
 */
export class Catalog<T extends CatalogFunction> implements Lookups {
  #functions: Map<string, T>;
  #declare;
  #holder;
  /** Made by the first search. A promise while it is made. */
  #finder: PathFinder | Promise<PathFinder> | undefined;

  /**
   * @param declare returns the declarations of functions, of at most `maxChars` characters
   * @param holder the object that has `search` and `describe`, for messages
   */
  constructor(functions: readonly T[], declare: (functions: T[], maxChars: number) => string, holder: string) {
    this.#functions = new Map(functions.map((each) => [each.name, each]));
    this.#declare = declare;
    this.#holder = holder;
  }

  /** An index by namespace, for prompts. */
  index(maxChars: number) {
    return indexText(this.#listed(), maxChars);
  }

  search(query: unknown, limit: unknown = LIMIT) {
    const { query: text, limit: most } = isPlainObject(query)
      ? { limit, ...query, query: query.query ?? query.q }
      : { query, limit: isPlainObject(limit) ? (limit.limit ?? LIMIT) : limit };
    if (typeof text !== 'string') {
      throw new TypeError(`${this.#holder}.search takes the words to search for, a string`);
    }
    if (!Number.isInteger(most) || (most as number) < 1) {
      throw new RangeError(`the limit of ${this.#holder}.search must be an integer >= 1`);
    }
    const shown = (names: string[]) =>
      names.slice(0, Math.min(most as number, MAX_LIMIT)).map((name) => {
        return { name, description: summaryOf(this.#functions.get(name)?.description ?? '') };
      });
    if (text.trim() === '') return shown([...this.#functions.keys()]);
    const finder = this.#finderOfAll();
    const inFinder = (it: PathFinder) => shown(it.find(text).map(({ path }) => path));
    return finder instanceof Promise ? finder.then(inFinder) : inFinder(finder);
  }

  describe(...names: unknown[]) {
    const wanted = names.flat().map((name) => (isPlainObject(name) ? name.name : name));
    if (wanted.length === 0 || wanted.length > MAX_NAMES || !wanted.every((name) => typeof name === 'string')) {
      throw new TypeError(`${this.#holder}.describe takes 1 to ${MAX_NAMES} names of functions, strings`);
    }
    const inNamespace = this.#listed().filter(({ namespace }) => wanted.length === 1 && namespace === wanted[0]);
    if (inNamespace.length > 0) return indexText(inNamespace, MAX_CHARS);
    return this.#declare(
      [...new Set(wanted as string[])].map((name) => this.#named(name)),
      MAX_CHARS,
    );
  }

  /** @throws {Error} */
  #named(name: string): T {
    const found = this.#functions.get(name) ?? this.#functions.get(name.replace(`${this.#holder}.`, ''));
    if (found !== undefined) return found;
    const names = [...this.#functions.keys()].filter(({ length }) => length <= MAX_NAME);
    const close = closest(name, names);
    const hint = close === undefined ? `search with ${this.#holder}.search('words')` : `did you mean ${close}?`;
    throw new Error(`there is no function ${JSON.stringify(name.slice(0, 100))}; ${hint}`);
  }

  #finderOfAll() {
    if (this.#finder !== undefined) return this.#finder;
    // Loaded lazily: it reads files, and code that only declares functions must not need them.
    const { Finder } = require('./finder') as typeof import('./finder');
    const functions = [...this.#functions.values()];
    const first = firstSearched(functions);
    const budget = new WorkBudget();
    const making = makingFinder(Finder, first, functions.slice(first.length), budget);
    if (first.length === functions.length) return (this.#finder = atOnce(making));
    this.#finder = inSlices(making, budget).then((finder) => (this.#finder = finder));
    return this.#finder;
  }

  #listed() {
    return [...this.#functions.values()].map(({ name, description }) => ({ ...parted(name), description }));
  }
}

/** The functions by which code reaches a catalog. They need no approval. */
export function lookupTools(lookups: Lookups, holder: string): Tools {
  const search = (query: unknown, limit: unknown) => lookups.search(query, limit);
  const describe = (...names: unknown[]) => lookups.describe(...names);
  // Code may leave out `await`.
  const traits = { isHelper: true, isLookup: true, isBlocking: true, inDoubt: 'repeat' } as const;
  return { [holder]: { search: withTraits(search, traits), describe: withTraits(describe, traits) } };
}

function* makingFinder(
  { making }: typeof Finder,
  searched: ReturnType<typeof searchedOf>[],
  rest: readonly CatalogFunction[],
  budget: WorkBudget,
): Generator<void, PathFinder> {
  for (const each of rest) {
    searched.push(searchedOf(each));
    if (budget.isSliceOver()) yield;
  }
  return yield* making(searched, budget);
}

/** The searched texts of the first functions: as many as a finder that is made in one step may have. */
function firstSearched(functions: readonly CatalogFunction[]) {
  const searched = [];
  let left = MAX_AT_ONCE;
  for (const each of functions) {
    const texts = searchedOf(each);
    left -= texts.description.length + texts.params.length;
    if (left < 0) break;
    searched.push(texts);
  }
  return searched;
}

function searchedOf({ name: path, description, input }: CatalogFunction) {
  const { namespace: source, name } = parted(path);
  return { path, source, name, description: description.slice(0, MAX_SEARCHED), params: paramsText(input) };
}

/** The last name of a path, and the namespace before it. */
function parted(path: string) {
  const dot = path.lastIndexOf('.');
  return { namespace: path.slice(0, Math.max(0, dot)), name: path.slice(dot + 1) };
}

/** The parameters that are searched, as JSON Schema. */
function paramsText(input: unknown) {
  const resolved = resolve(input, input);
  const properties = isSchema(resolved) && isSchema(resolved.properties) ? resolved.properties : {};
  const searched = Object.entries(properties).slice(0, MAX_PARAMS);
  return JSON.stringify({
    properties: Object.fromEntries(
      searched.map(([name, schema]) => {
        const { description } = isSchema(schema) ? schema : {};
        return [
          name.slice(0, MAX_PARAM_TEXT),
          { description: typeof description === 'string' ? description.slice(0, MAX_PARAM_TEXT) : '' },
        ];
      }),
    ),
  });
}

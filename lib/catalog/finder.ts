import { guestFunction } from './guest-text';
import { words } from './search-terms';
import { searchTextsIn } from './search-texts';
import type { WorkBudget } from '../contract/budget';
import type { Searched } from './search-terms';

/** Characters of a search. The rest adds nothing that a model would write. */
const MAX_QUERY = 300;

const finderOf = guestFunction('find');
const rankerOf = guestFunction('rank');

/** Finds functions by words on the host, in the same way as `spec.find` of a `SandboxManager` does in the guest. */
export class Finder<T extends Searched> {
  #functions;
  #linesFor;

  /** Work that makes a finder. There may be thousands of functions, with texts of third parties. */
  static *making<T extends Searched>(functions: readonly T[], budget: WorkBudget): Generator<void, Finder<T>> {
    const bySource: Map<string, T[]> = new Map();
    for (const each of functions) {
      const known = bySource.get(each.source);
      if (known === undefined) bySource.set(each.source, [each]);
      else known.push(each);
    }
    let first = 0;
    const sources = [...bySource].map(([name, { length: count }]) => {
      const source = { name, description: '', first, count };
      first += count;
      return source;
    });
    const sorted = [...bySource.values()].flat();
    const texts = yield* searchTextsIn(sources, sorted, budget);
    return new Finder(sorted, finderOf(texts, words, rankerOf).linesFor);
  }

  private constructor(functions: T[], linesFor: (text: string) => number[]) {
    this.#functions = functions;
    this.#linesFor = linesFor;
  }

  /** @returns the functions that fit best, the best first. There may be many. */
  find(query: string): T[] {
    return this.#linesFor(query.slice(0, MAX_QUERY)).map((line) => this.#functions[line]);
  }
}

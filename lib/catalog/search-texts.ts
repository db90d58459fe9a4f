import { searchTermsIn } from './search-terms';
import { offsetsOf } from './part-offsets';
import type { WorkBudget } from '../contract/budget';
import type { SearchTerms, Searched } from './search-terms';

/**
 * Methods as searches read them: strings and tables. The strings hold only Latin-1 characters, so that an isolate can
 * store them outside its heap.
 */
export interface SearchTexts {
  /** `first`: the number of its first method among those of all sources */
  sources: { name: string; description: string; first: number; count: number }[];
  /** `[name, description]` of each method, as JSON, each followed by a comma */
  heads: string;
  /** one line for each method: name and description in lower case */
  index: string;
  /** start of each line of the index */
  lines: Uint32Array;
  grams: Grams;
  terms: SearchTerms;
  /** start of each head, and the end of the last one */
  headAt: Uint32Array;
}

/**
 * Records which blocks of lines may contain a string, so that a search can skip the others. For each hash of three
 * consecutive characters, it has one bit per block that contains them.
 */
export interface Grams {
  /** lines per block */
  lines: number;
  /** number of hashes, a power of two */
  hashes: number;
  /** `hashes` groups of words, all of the same size. The first block is the lowest bit of a group's first word. */
  bits: Uint32Array;
}

/** With this size, a search for one name reads one or two blocks among thousands of methods. */
const LINES_PER_BLOCK = 16;
const HASHES = 4096;

/** @param methods of all sources, in their order. A source without a name adds nothing to the names of its methods. */
export function* searchTextsIn(
  sources: SearchTexts['sources'],
  methods: Searched[],
  budget: WorkBudget,
): Generator<void, SearchTexts> {
  const terms = yield* searchTermsIn(methods, budget);
  const [heads, index]: [string[], string[]] = [[], []];
  for (const { source, name, description } of methods) {
    heads.push(`${latin1(JSON.stringify([name, description]))},`);
    index.push(`${source === '' ? '' : `${source}.`}${name} ${description}`.toLowerCase().replace(/\s+/g, ' '));
    if (budget.isSliceOver()) yield;
  }
  return {
    sources,
    heads: heads.join(''),
    index: index.join('\n'),
    lines: offsetsOf(index, 1),
    grams: yield* gramsOf(index, budget),
    terms,
    headAt: offsetsOf(heads, 0),
  };
}

/** JSON that escapes all characters outside Latin-1. */
export function latin1(json: string) {
  return json.replace(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @param index lines */
function* gramsOf(index: string[], budget: WorkBudget): Generator<void, Grams> {
  const words = Math.ceil(index.length / LINES_PER_BLOCK / 32);
  const bits = new Uint32Array(HASHES * words);
  for (const [number, line] of index.entries()) {
    const block = Math.floor(number / LINES_PER_BLOCK);
    const word = block >> 5;
    const bit = 1 << (block & 31);
    for (let i = 2; i < line.length; i++) {
      // Must match guest/find.js.
      const hash = (line.charCodeAt(i - 2) * 961 + line.charCodeAt(i - 1) * 31 + line.charCodeAt(i)) & (HASHES - 1);
      bits[hash * words + word] |= bit;
    }
    if (budget.isSliceOver()) yield;
  }
  return { lines: LINES_PER_BLOCK, hashes: HASHES, bits };
}

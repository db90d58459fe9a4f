import { isPlainObject } from '../contract/describe';
import { guestFunction } from './guest-text';
import { offsetsOf } from './part-offsets';
import type { WorkBudget } from '../contract/budget';

/**
 * Where the terms of a registry occur, for searches by words. A term is the stem of a word, or the method of HTTP in
 * upper case.
 */
export interface SearchTerms {
  /** sorted, without separators */
  text: string;
  /** start of each term, and the end of the last one */
  at: Uint32Array;
  /** start of the postings of each term, and the end of the last ones */
  postingAt: Uint32Array;
  /** `method << 8 | fields`: number of a method, and bits of `FIELDS` */
  postings: Uint32Array;
  /** total weight of the terms in each method's name, and in its summary */
  names: Float32Array;
  summaries: Float32Array;
}

/** The text of a method that is searched. */
export interface Searched {
  source: string;
  name: string;
  description: string;
  /** JSON */
  params: string;
}

/** Of `guest/words.js`. */
export interface Words {
  runsOf(text: string): string[];
  stemOf(word: string): string;
  isStopWord(word: string): boolean;
  isPreposition(word: string): boolean;
  spaced(name: string): string;
  summaryOf(description: string): string;
  weightOf(all: number, some: number): number;
  FIELDS: Record<'name' | 'summary' | 'nameTail' | 'summaryTail' | 'source' | 'path' | 'param' | 'rest', number>;
  TAIL: number;
}

/** Parameters of a method that are searched, and characters of the description of each. */
const MAX_PARAMS = 40;
const MAX_PARAM_TEXT = 80;
/** Different terms of a registry. Methods with further ones are found by the text of their name and description. */
const MAX_TERMS = 1 << 16;
/** Terms that are sorted in one step. */
const SORTED_AT_ONCE = 4_096;
const REQUEST = /\((?:deprecated, )?([A-Z]+) (\/[^()]*)\)$/;

/** The same text as that of the guest, so that both have the same terms. */
export const words: Words = guestFunction('words')();
const { FIELDS, runsOf, spaced } = words;

/** @param methods of all sources, in the order of their numbers */
export function* searchTermsIn(methods: Searched[], budget: WorkBudget): Generator<void, SearchTerms> {
  const postings = new Map<string, number[]>();
  const stems = new Stems();
  const fieldsOf: Map<string, number>[] = [];
  let count = 0;
  for (const [number, method] of methods.entries()) {
    const fields = termsOf(method, stems);
    fieldsOf.push(fields);
    for (const [term, bits] of fields) {
      const list = postings.get(term);
      const posting = number * 256 + bits;
      if (list !== undefined) list.push(posting);
      else if (postings.size < MAX_TERMS) postings.set(term, [posting]);
      else fields.delete(term);
    }
    count += fields.size;
    if (budget.isSliceOver()) yield;
  }
  const names = new Float32Array(methods.length);
  const summaries = new Float32Array(methods.length);
  for (const [number, fields] of fieldsOf.entries()) {
    for (const [term, bits] of fields) {
      const weight = words.weightOf(methods.length, postings.get(term)?.length ?? 0);
      names[number] += shareIn(bits, FIELDS.name, FIELDS.nameTail) * weight;
      summaries[number] += shareIn(bits, FIELDS.summary, FIELDS.summaryTail) * weight;
    }
    if (budget.isSliceOver()) yield;
  }
  const terms = yield* sorted([...postings.keys()], budget);
  const postingAt = new Uint32Array(terms.length + 1);
  const inOrder = new Uint32Array(count);
  let at = 0;
  for (const [number, term] of terms.entries()) {
    const list = postings.get(term) ?? [];
    inOrder.set(list, at);
    at += list.length;
    postingAt[number + 1] = at;
    if (number % SORTED_AT_ONCE === 0 && budget.isSliceOver()) yield;
  }
  return { text: terms.join(''), at: offsetsOf(terms, 0), postingAt, postings: inOrder, names, summaries };
}

/** Sorts parts of a list, and then merges them two by two. */
function* sorted(texts: string[], budget: WorkBudget): Generator<void, string[]> {
  let parts: string[][] = [];
  for (let at = 0; at < texts.length; at += SORTED_AT_ONCE) {
    parts.push(texts.slice(at, at + SORTED_AT_ONCE).sort());
    if (budget.isSliceOver()) yield;
  }
  while (parts.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < parts.length; at += 2) {
      merged.push(yield* mergedOf(parts[at], parts[at + 1] ?? [], budget));
    }
    parts = merged;
  }
  return parts[0] ?? [];
}

function* mergedOf(left: string[], right: string[], budget: WorkBudget): Generator<void, string[]> {
  const merged: string[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    merged.push(left[i] < right[j] ? left[i++] : right[j++]);
    if (merged.length % SORTED_AT_ONCE === 0 && budget.isSliceOver()) yield;
  }
  while (i < left.length) merged.push(left[i++]);
  while (j < right.length) merged.push(right[j++]);
  return merged;
}

function shareIn(bits: number, head: number, tail: number) {
  return (bits & head) !== 0 ? 1 : (bits & tail) !== 0 ? words.TAIL : 0;
}

/** The terms of a method, each with the fields that it occurs in. */
function termsOf({ source, name, description, params }: Searched, stems: Stems): Map<string, number> {
  const found = new Map<string, number>();
  const add = (term: string, bits: number) => found.set(term, (found.get(term) ?? 0) | bits);
  const addPhrase = (text: string, head: number, tail: number) => {
    let bits = head;
    let isFirst = true;
    for (const run of runsOf(text.toLowerCase())) {
      if (words.isPreposition(run)) {
        if (!isFirst) bits = tail;
      } else if (!words.isStopWord(run)) {
        add(stems.get(run), bits);
        isFirst = false;
      }
    }
  };
  const addWords = (text: string, bits: number) => addPhrase(text, bits, bits);
  const [request, method, path] = REQUEST.exec(description) ?? [''];
  const text = description.slice(0, description.length - request.length);
  const summary = words.summaryOf(text);
  addWords(spaced(source), FIELDS.source);
  addPhrase(spaced(name), FIELDS.name, FIELDS.nameTail);
  addPhrase(summary, FIELDS.summary, FIELDS.summaryTail);
  addWords(text.slice(summary.length), FIELDS.rest);
  if (method !== undefined) add(method, FIELDS.path);
  if (path !== undefined) addWords(spaced(path.replace(/\{[^{}]*\}/g, ' ')), FIELDS.path);
  for (const [param, text] of paramsIn(params)) {
    addWords(spaced(param), FIELDS.param);
    addWords(text, FIELDS.rest);
  }
  return found;
}

/** Names of parameters, each with the beginning of what it is said to be. */
function paramsIn(params: string): [string, string][] {
  const { properties } = JSON.parse(params);
  if (!isPlainObject(properties)) return [];
  return Object.entries(properties)
    .slice(0, MAX_PARAMS)
    .map(([name, schema]) => {
      const text = isPlainObject(schema) ? schema.description : undefined;
      return [name, typeof text === 'string' ? text.slice(0, MAX_PARAM_TEXT) : ''];
    });
}

/** Stems of words. Most words occur many times. */
class Stems {
  #known = new Map<string, string>();

  get(word: string) {
    let stem = this.#known.get(word);
    if (stem === undefined) {
      stem = words.stemOf(word);
      this.#known.set(word, stem);
    }
    return stem;
  }
}

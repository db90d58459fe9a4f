// @ts-check
'use strict';

/**
 * The data in objects of the browser: the text, list or object that represents one. Undefined for all other objects.
 * Guests can rename an object, but native methods only accept objects of their kind.
 *
 * @param {import('./language').Language} language
 * @returns {(object: any, name: string) => any}
 */
function makeDataOf(language) {
  const { attempt, empty, getter, put, unbound } = language;
  const G = /** @type {any} */ (globalThis);
  /** Class name -> function that reads the data. @type {Record<string, (object: any) => any>} */
  const readers = empty();

  const lists = {
    NodeList: ['RadioNodeList'],
    HTMLCollection: ['HTMLFormControlsCollection', 'HTMLOptionsCollection'],
    DOMTokenList: [],
    DOMRectList: [],
    FileList: [],
  };
  for (const [base, derived] of Object.entries(lists)) {
    const { prototype } = G[base];
    const item = unbound(prototype.item);
    const lengthOf = getter(prototype, 'length');
    for (const name of [base, ...derived]) {
      readers[name] = (list) => {
        const length = lengthOf(list);
        /** @type {any[]} */
        const items = [];
        for (let at = 0; at < length; at++) put(items, at, item(list, at));
        return items;
      };
    }
  }
  for (const name of ['Headers', 'FormData', 'URLSearchParams']) {
    const forEach = unbound(G[name].prototype.forEach);
    readers[name] = (pairs) => {
      /** @type {any[]} */
      const items = [];
      forEach(pairs, (/** @type {any} */ value, /** @type {any} */ key) => put(items, items.length, [key, value]));
      return items;
    };
  }
  for (const name of [
    'DOMMatrix',
    'DOMMatrixReadOnly',
    'DOMPoint',
    'DOMPointReadOnly',
    'DOMQuad',
    'DOMRect',
    'DOMRectReadOnly',
    'PerformanceMark',
    'PerformanceMeasure',
    'PerformanceNavigationTiming',
    'PerformanceResourceTiming',
  ]) {
    readers[name] = unbound(G[name].prototype.toJSON);
  }
  readers.URL = getter(G.URL.prototype, 'href');
  readers.Location = getter(G.location, 'href');

  return (object, name) => (readers[name] === undefined ? undefined : attempt(readers[name], object));
}

module.exports = { makeDataOf };

/** Modules that guest code may import by default (section 10). */
export const BASE_BUILTIN_MODULES: readonly string[] = Object.freeze([
  'collections',
  'datetime',
  'itertools',
  'json',
  'math',
  'queue',
  'random',
  're',
  'stat',
  'statistics',
  'time',
  'unicodedata',
]);

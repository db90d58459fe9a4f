// @ts-check
'use strict';

/**
 * `repos/list-for-user` in camel case: an identifier.
 *
 * @param {string} text
 */
function camel(text) {
  const words = text.split(/[^A-Za-z0-9$]+/).filter((word) => word !== '');
  const name = words
    .map((word, at) => (at === 0 ? word[0].toLowerCase() : word[0].toUpperCase()) + word.slice(1))
    .join('');
  return name === '' || /^[0-9]/.test(name) ? `_${name}` : name;
}

/**
 * A name that nothing has yet.
 *
 * @param {Set<string>} taken
 * @param {string} wanted
 */
function unique(taken, wanted) {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}

module.exports = { camel, unique };

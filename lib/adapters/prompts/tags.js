// @ts-check
'use strict';

const { describe } = require('../../contract/describe');

/** The tags of smolagents. */
const DEFAULT_TAGS = /** @type {const} */ (['<code>', '</code>']);

/**
 * @param {unknown} tags
 * @param {string} path
 * @returns {[string, string]}
 * @throws {TypeError}
 */
function checkTags(tags, path) {
  if (!Array.isArray(tags) || tags.length !== 2) {
    throw new TypeError(`${path} must be an array of the opening and the closing tag, got ${describe(tags)}`);
  }
  for (const tag of tags) {
    if (typeof tag === 'string' && tag.trim() !== '') continue;
    throw new TypeError(`${path} must hold two strings that are not blank, got ${describe(tag)}`);
  }
  return /** @type {[string, string]} */ (tags);
}

module.exports = { DEFAULT_TAGS, checkTags };

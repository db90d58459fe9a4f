// @ts-check
'use strict';

const { makeCodeTool } = require('./code-tool');

/**
 * Makes the tool by which a model calls other tools from code. Documented in `index.d.ts`.
 *
 * @param {import('./index').CodeToolOptions} options
 * @returns {import('./index').CodeTool}
 */
function createCodeTool(options) {
  return makeCodeTool(options).tool;
}

module.exports = { createCodeTool };

// @ts-check
'use strict';

const { Toolset } = require('./toolset');
const { createFileTools } = require('../../files/index.js');

/**
 * What programs can call that a person types or a client of the server sends, and which of it reaches files.
 *
 * @param {object} given
 * @param {string} [given.root] folder that the file tools are confined to; without it there are none
 * @param {boolean} [given.readOnly] whether the file tools that change something are left out
 * @param {Record<string, any>} [given.tools] functions, namespaces and tools with schemas
 * @param {import('./servers').ConnectedServer[]} [given.servers] others, whose tools code can call
 * @throws {TypeError} if two have one name
 */
function toolsetOf({ root, readOnly = false, tools = {}, servers = [] }) {
  const fileTools = root === undefined ? {} : createFileTools({ root, readOnly });
  const toolset = new Toolset();
  toolset.addFunctions('the file tools', fileTools);
  toolset.addExported('the tools', tools);
  for (const { name, definitions } of servers) toolset.addNamespace(`the server ${name}`, name, definitions);
  return { toolset, files: Object.keys(fileTools) };
}

module.exports = { toolsetOf };

// @ts-check
'use strict';

const { makeArtifacts } = require('./artifacts');
const { HELPERS, makeBindings } = require('./bindings');
const { makeConsole } = require('./console');
const { makeDecode } = require('./decode');
const { endDialogs } = require('./dialogs');
const { makeEncode } = require('./encode');
const { makeLookUp } = require('./hints');
const { captureLanguage } = require('./language');
const { startPage } = require('./page');
const { makeDataOf } = require('./platform');
const { makeTools } = require('./tools');

/** The parts of a page, whose texts the page gets. Each function is complete in itself. */
const parts = {
  captureLanguage,
  makeEncode,
  makeDataOf,
  makeDecode,
  makeConsole,
  makeTools,
  makeArtifacts,
  makeBindings,
  endDialogs,
  makeLookUp,
};
const fields = Object.entries(parts).map(([name, part]) => `${name}: ${part}`);
/** The source without comments and indentation, which are half of it. Each page parses it anew. */
const source = `(${startPage})({${fields.join(',')}},`
  .replace(/\/\*\*.*?\*\//gs, '')
  .replace(/^\s+(?:\/\/.*\n)?/gm, '');

/**
 * The script that a page runs first.
 *
 * @param {import('./page').PageConfig} config
 */
const pageSource = (config) => `${source}${JSON.stringify(config)})`;

/** The script that every document runs first. Documents in frames have no dialogs. */
const documentSource = `if(self!==top)(${endDialogs})()`;

/**
 * A program in the form that `eval` takes. It returns a function that takes the helpers and runs the program. The
 * program is strict, and no other name comes between it and the global.
 *
 * @param {string} code a function without parameters
 * @param {string} name
 */
const programSource = (code, name) => `"use strict";((${HELPERS})=>(\n${code}\n)())\n//# sourceURL=${name}\n`;

module.exports = { documentSource, pageSource, programSource };

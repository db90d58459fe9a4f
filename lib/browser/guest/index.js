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

/** The parts of a page as texts; each function is complete in itself. */
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
/** Without comments and indents, which are half of it: each page parses it anew. */
const source = `(${startPage})({${fields.join(',')}},`
  .replace(/\/\*\*.*?\*\//gs, '')
  .replace(/^\s+(?:\/\/.*\n)?/gm, '');

/**
 * What a page runs first.
 *
 * @param {import('./page').PageConfig} config
 */
const pageSource = (config) => `${source}${JSON.stringify(config)})`;

/** What every document runs first: those of frames have no dialogs. */
const documentSource = `if(self!==top)(${endDialogs})()`;

/**
 * A program as `eval` takes it: what runs it, with the helpers. It is strict, and no name gets between it and the global.
 *
 * @param {string} code a function without parameters
 * @param {string} name
 */
const programSource = (code, name) => `"use strict";((${HELPERS})=>(\n${code}\n)())\n//# sourceURL=${name}\n`;

module.exports = { documentSource, pageSource, programSource };

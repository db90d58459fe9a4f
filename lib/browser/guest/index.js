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

/**
 * What every document runs first: those of frames have no dialogs. The page gets what compiles programs, since of errors of scripts that
 * the DevTools protocol has compiled nobody is told. It is strict, as programs are, and so no name in it gets between them and the global.
 *
 * @param {string} compiler its name, on the global
 */
const documentSource = (compiler) =>
  `"use strict";if(self!==top)(${endDialogs})();else self.${compiler}=(__smol_source)=>eval(__smol_source)`;

/**
 * A program as the compiler takes it: what runs it, with the helpers.
 *
 * @param {string} code a function without parameters
 * @param {string} name
 */
const programSource = (code, name) => `((${HELPERS})=>(\n${code}\n)())\n//# sourceURL=${name}\n`;

module.exports = { documentSource, pageSource, programSource };

// @ts-check
'use strict';

const { parseArguments } = require('./arguments');
const { FILE_TOOLS, fileToolDefinitions } = require('./definitions');
const { checkFileToolOptions } = require('./options');
const { currentScope } = require('../contract/run-scope');

/**
 * @typedef {import('../../native').NativeFileTools} NativeFileTools
 * @typedef {import('../../native').NativeFileStop} NativeFileStop
 * @typedef {import('../contract/run-scope').RunScope} RunScope
 */

/** Tools that change files. */
const MUTATING = new Set(['write', 'edit']);

/**
 * How each tool is called on the native side.
 *
 * @type {Record<string, (native: NativeFileTools, args: Record<string, any>, stop: NativeFileStop) => Promise<any>>}
 */
const CALLS = {
  read: (native, { path, offset, limit }, stop) => native.read(path, offset, limit, stop),
  write: (native, { path, content }, stop) => native.write(path, content, stop),
  edit: (native, { path, oldText, newText }, stop) => native.edit(path, oldText, newText, stop),
  grep: (native, args, stop) => native.grep(/** @type {any} */ (args), stop),
  find: (native, { pattern, path, limit }, stop) => native.find(pattern, path, limit, stop),
  ls: (native, { path, limit }, stop) => native.ls(path, limit, stop),
};

/**
 * File tools for agents, confined to one folder. Documented in `index.d.ts`.
 *
 * @param {import('./index').FileToolOptions} options
 */
function createFileTools(options) {
  const { root, readOnly, limits } = checkFileToolOptions(options);
  // Here and not above: the definitions need no addon.
  const { NativeFileStop, NativeFileTools } = require('../../native.cjs');
  const native = new NativeFileTools(root, limits);
  /** @type {WeakMap<RunScope, NativeFileStop>} */
  const stops = new WeakMap();
  const stopOfRun = () => {
    const scope = currentScope();
    const known = scope && stops.get(scope);
    if (known !== undefined) return known;
    const stop = new NativeFileStop();
    if (scope !== undefined) {
      stops.set(scope, stop);
      scope.atEnd(() => stop.stop());
    }
    return stop;
  };
  const inOrder = sequence();
  const tools = FILE_TOOLS.filter(({ name }) => !readOnly || !MUTATING.has(name)).map((definition) => {
    const { name, inputs } = definition;
    const call = async (/** @type {unknown[]} */ ...args) => {
      const checked = parseArguments(definition, args);
      const stop = stopOfRun();
      const work = () => CALLS[name](native, checked, stop);
      return result(await (MUTATING.has(name) ? inOrder(work) : work()));
    };
    const required = Object.values(inputs).filter(({ nullable }) => nullable !== true).length;
    Object.defineProperties(call, { name: { value: name }, length: { value: required } });
    return [name, call];
  });
  return Object.fromEntries(tools);
}

/**
 * Runs what it is given one after the other, in the order of the calls: an edit reads what the one before has written.
 *
 * @returns {<T>(work: () => Promise<T>) => Promise<T>}
 */
function sequence() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

/**
 * @param {import('../../native').NativeFileOutcome} outcome
 * @throws {Error} with the code and the message of an outcome that is none
 */
function result({ code, message, ...output }) {
  if (code !== undefined) throw Object.assign(new Error(message), { code });
  return output;
}

module.exports = { createFileTools, fileToolDefinitions };

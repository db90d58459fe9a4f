// @ts-check
'use strict';

const { parseArguments } = require('./arguments');
const { FILE_TOOLS, fileToolDefinitions } = require('./definitions');
const { checkFileToolOptions } = require('./options');

/** Tools that change files. */
const MUTATING = new Set(['write', 'edit']);

/**
 * How each tool is called on the native side.
 *
 * @type {Record<string, (native: import('../../native').NativeFileTools, args: Record<string, any>) => Promise<any>>}
 */
const CALLS = {
  read: (native, { path, offset, limit }) => native.read(path, offset, limit),
  write: (native, { path, content }) => native.write(path, content),
  edit: (native, { path, oldText, newText }) => native.edit(path, oldText, newText),
  grep: (native, args) => native.grep(/** @type {any} */ (args)),
  find: (native, { pattern, path, limit }) => native.find(pattern, path, limit),
  ls: (native, { path, limit }) => native.ls(path, limit),
};

/**
 * File tools for agents, confined to one folder. Documented in `index.d.ts`.
 *
 * @param {import('./index').FileToolOptions} options
 */
function createFileTools(options) {
  const { root, readOnly, limits } = checkFileToolOptions(options);
  // Here and not above: the definitions need no addon.
  const { NativeFileTools } = require('../../native.cjs');
  const native = new NativeFileTools(root, limits);
  const inOrder = sequence();
  const tools = FILE_TOOLS.filter(({ name }) => !readOnly || !MUTATING.has(name)).map((definition) => {
    const { name, inputs } = definition;
    const call = async (/** @type {unknown[]} */ ...args) => {
      const checked = parseArguments(definition, args);
      const work = () => CALLS[name](native, checked);
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

// @ts-check
'use strict';

const { parseArguments } = require('./arguments');
const { setImmediate } = require('../contract/clock');
const { FILE_TOOLS, MUTATING, describeFileTools, fileToolDefinitions } = require('./definitions');
const { checkFileToolOptions } = require('./options');
const { currentScope } = require('../contract/run-scope');
const { defined } = require('../contract/tool-registry');

/**
 * @typedef {import('../../native').NativeFileTools} NativeFileTools
 * @typedef {import('../../native').NativeFileStop} NativeFileStop
 * @typedef {import('../contract/run-scope').RunScope} RunScope
 */

/** Bytes of what is taken apart on the host's thread: 4 MiB. */
const MAX_SMALL_BYTES = 4 << 20;

/**
 * How each tool is called on the native side.
 *
 * @type {Record<string, (native: NativeFileTools, args: Record<string, any>, stop: NativeFileStop) => Promise<any>>}
 */
const CALLS = {
  read: (native, { path, offset, limit }, stop) => native.read(path, offset, limit, stop),
  readText: (native, { path }, stop) => native.readText(path, stop),
  readJson: (native, { path }, stop) =>
    native.readParts(path, true, MAX_SMALL_BYTES, 'Use JSON.parse(await readText(path)).', stop),
  readLines: (native, { path }, stop) =>
    native.readParts(path, false, MAX_SMALL_BYTES, 'Use (await readText(path)).split("\\n").', stop),
  readBytes: (native, { path }, stop) => native.readBytes(path, stop),
  stat: (native, { path }, stop) => native.stat(path, stop),
  write: (native, { path, content }, stop) => native.write(path, content, stop),
  edit: (native, { path, oldText, newText }, stop) => native.edit(path, oldText, newText, stop),
  move: (native, { from, to, overwrite = false }, stop) => native.move(from, to, overwrite, stop),
  remove: (native, { path, recursive = false }, stop) => native.remove(path, recursive, stop),
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
  const { root, limits } = checkFileToolOptions(options);
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
  const tools = describeFileTools(options).map(({ name, description, inputs, output_schema: outputSchema }) => {
    const tool = /** @type {import('./definitions').FileTool} */ (FILE_TOOLS.find((it) => it.name === name));
    const call = async (/** @type {unknown[]} */ ...args) => {
      const checked = parseArguments(tool, args);
      const stop = stopOfRun();
      const work = () => CALLS[name](native, checked, stop);
      return result(tool, checked, await taken(MUTATING.has(name) ? inOrder(work) : work()));
    };
    const required = Object.keys(inputs).filter((key) => inputs[key].nullable !== true);
    Object.defineProperties(call, { name: { value: name }, length: { value: required.length } });
    const inputSchema = { type: 'object', properties: inputs, required };
    return [name, defined(call, { description, inputSchema, outputSchema: { ...outputSchema } })];
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

/** The turn of the event loop in which the last large outcome is taken. */
let lastTurn = Promise.resolve();

/**
 * An outcome; a large one in a turn of the event loop of its own: whoever takes it copies it, and Node.js frees none before a turn is
 * over.
 *
 * @param {Promise<import('../../native').NativeFileOutcome>} pending
 */
async function taken(pending) {
  const outcome = await pending;
  if (outcome.receipt !== undefined) {
    lastTurn = lastTurn.then(() => new Promise((resolve) => void setImmediate(resolve)));
    await lastTurn;
    outcome.receipt.sign();
  }
  return outcome;
}

/**
 * What a tool gives: content for a model, or a value for code.
 *
 * @param {{ name: string }} tool
 * @param {Record<string, any>} args
 * @param {import('../../native').NativeFileOutcome} outcome
 * @throws {Error} with the code and the message of an outcome that is none
 */
function result({ name }, { path }, { code, message, text, bytes, stat, receipt: _, ...output }) {
  if (code !== undefined) throw fileError(code, message);
  if (stat !== undefined) {
    const { type, size, modifiedMs } = stat;
    return { type, size, modified: isoTime(modifiedMs) };
  }
  if (bytes !== undefined) return bytes;
  if (text === undefined) return output;
  if (name === 'readJson') return parsed(text, path);
  return name === 'readLines' ? linesOf(text) : text;
}

/**
 * ISO 8601; null for no time, and for one that no `Date` has.
 *
 * @param {number | undefined} ms since the Unix epoch
 */
function isoTime(ms = NaN) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/**
 * @param {string} code
 * @param {string | undefined} message
 */
function fileError(code, message) {
  return Object.assign(new Error(message), { code });
}

/**
 * @param {string} text
 * @param {string} path
 */
function parsed(text, path) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fileError('ERR_INVALID_JSON', `Not JSON: ${path}: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * Lines without their ends; a line end at the end of the text begins no line.
 *
 * @param {string} text
 */
function linesOf(text) {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

module.exports = { createFileTools, describeFileTools, fileToolDefinitions };

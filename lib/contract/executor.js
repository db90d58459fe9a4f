// @ts-check
'use strict';

const { memberPath } = require('./describe');
const { queueOf } = require('./executor-queue');
const { closest } = require('./options');

/** The methods that callers of an executor use. */
const METHODS = ['init', 'sendVariables', 'sendTools', 'run', 'cleanup'];

/**
 * Whether a value keeps the contract of executors, as far as can be seen.
 *
 * @param {any} value
 * @returns {value is import('../../index').Executor}
 */
function isExecutor(value) {
  if (typeof value !== 'object' || value === null || typeof value.state !== 'string') return false;
  return METHODS.every((name) => typeof value[name] === 'function');
}

/**
 * What guests of an executor find, as far as it is known.
 *
 * @typedef {object} Offer
 * @property {readonly string[]} [imports] modules that they may import; undefined: nothing is known of where they are
 * @property {string} [folder] that they see, in Python
 * @property {readonly string[]} [variables] names of those that were sent
 * @property {import('./tool-registry').Tool[]} [tools] those that were sent, and not by one session for itself
 */

/** Property of executors that say it. */
const OFFER = Symbol('offer');

/**
 * @param {any} executor
 * @returns {Offer} empty for an executor that is none of these
 */
function offerOf(executor) {
  /** @type {Offer} */
  const { tools, ...others } = executor[OFFER] ?? {};
  return { ...others, ...(tools && { tools: tools.filter(({ path }) => !queueOf(executor).hasSent(path[0])) }) };
}

/**
 * Refuses options beside an executor, which has its own; those that are undefined are absent.
 *
 * @param {object} others
 * @param {readonly string[]} own names of options that may stand beside it, for messages
 * @throws {TypeError}
 */
function refuseBeside(others, own) {
  const [name] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  const close = closest(name, own);
  const reason =
    close === undefined
      ? 'belongs to the executor that options.executor is'
      : `is not an option; did you mean ${memberPath('options', close)}?`;
  throw new TypeError(`${memberPath('options', name)} ${reason}`);
}

module.exports = { OFFER, isExecutor, offerOf, refuseBeside };

// @ts-check
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

/**
 * Work that further calls to its owner wait for.
 *
 * @typedef {object} Work
 * @property {object} owner
 * @property {boolean} isOver
 * @property {Work | undefined} outer that it is done within
 */

/** @type {AsyncLocalStorage<Work>} */
const current = new AsyncLocalStorage();

/**
 * @template T
 * @param {object} owner
 * @param {(work: Work) => T} fn whatever it begins is within the work until this `isOver`
 * @returns {T}
 */
function runNested(owner, fn) {
  const work = { owner, isOver: false, outer: current.getStore() };
  return current.run(work, fn, work);
}

/**
 * Whether the caller is a part of work of the owner that has not ended: to wait for its end would be to wait for itself.
 *
 * @param {object} owner
 */
function isNestedIn(owner) {
  for (let work = current.getStore(); work !== undefined; work = work.outer) {
    if (work.owner === owner && !work.isOver) return true;
  }
  return false;
}

module.exports = { runNested, isNestedIn };

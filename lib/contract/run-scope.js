// @ts-check
'use strict';

// Tools that can end their work early, such as searches, learn here that the run that called them is over. No argument and no
// `this` says it: those belong to the tool's own contract.

/** What has to end with a run. */
class RunScope {
  /** @type {(() => void)[]} */
  #atEnd = [];
  #isOver = false;

  /** @param {() => void} callback called once, at the end of the run; must not throw */
  atEnd(callback) {
    if (this.#isOver) callback();
    else this.#atEnd.push(callback);
  }

  end() {
    this.#isOver = true;
    const callbacks = this.#atEnd;
    this.#atEnd = [];
    for (const callback of callbacks) callback();
  }
}

/** @type {RunScope | undefined} */
let current;

/**
 * Calls a tool for a run.
 *
 * @template T
 * @param {RunScope} scope
 * @param {() => T} call
 * @returns {T}
 */
function within(scope, call) {
  const outer = current;
  current = scope;
  try {
    return call();
  } finally {
    current = outer;
  }
}

/** The scope of the run that calls a tool, as long as the tool has not awaited anything; undefined outside of calls. */
function currentScope() {
  return current;
}

module.exports = { RunScope, currentScope, within };

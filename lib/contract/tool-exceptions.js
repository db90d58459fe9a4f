// @ts-check
'use strict';

/** So many values of one run are kept: as many calls as are under way at once by default. */
const MAX_KEPT = 64;

/** What tools of one run threw, by call: the run's error may name one as its cause. Of many the last ones. */
class ToolExceptions {
  /** @type {Map<number, unknown> | undefined} */
  #byCall;

  /**
   * @param {number} call
   * @param {unknown} thrown
   */
  keep(call, thrown) {
    this.#byCall ??= new Map();
    this.#byCall.set(call, thrown);
    if (this.#byCall.size > MAX_KEPT) this.#byCall.delete(/** @type {number} */ (this.#byCall.keys().next().value));
  }

  /**
   * @param {number} call
   * @returns {{ cause: unknown } | undefined} undefined if it threw nothing, or that is no longer known
   */
  causeOf(call) {
    return this.#byCall?.has(call) ? { cause: this.#byCall.get(call) } : undefined;
  }
}

module.exports = { ToolExceptions };

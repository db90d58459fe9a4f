// @ts-check
'use strict';

/** What makes an executor ready, shared by the calls that find it under way. */
class SharedStartup {
  /** @type {Promise<void> | undefined} */
  #underWay;

  get isUnderWay() {
    return this.#underWay !== undefined;
  }

  /**
   * @param {() => Promise<void>} begin called if there is none under way
   * @returns {Promise<void>} of the one that is
   */
  join(begin) {
    if (this.#underWay !== undefined) return this.#underWay;
    const start = begin().finally(() => {
      if (this.#underWay === start) this.#underWay = undefined;
    });
    return (this.#underWay = start);
  }

  /** Calls of now on begin another one. */
  forget() {
    this.#underWay = undefined;
  }
}

module.exports = { SharedStartup };

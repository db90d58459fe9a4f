/** What makes an executor ready, shared by the calls that find it under way. */
export class SharedStartup {
  #underWay: Promise<void> | undefined;

  get isUnderWay() {
    return this.#underWay !== undefined;
  }

  /**
   * @param begin called if there is none under way
   * @returns of the one that is
   */
  join(begin: () => Promise<void>): Promise<void> {
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

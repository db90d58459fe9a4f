/** The start of an executor, shared by all calls that arrive while it is under way. */
export class SharedStartup {
  #underWay: Promise<void> | undefined;

  get isUnderWay() {
    return this.#underWay !== undefined;
  }

  /**
   * @param begin called if no start is under way
   * @returns the promise of the start under way
   */
  join(begin: () => Promise<void>): Promise<void> {
    if (this.#underWay !== undefined) return this.#underWay;
    const start = begin().finally(() => {
      if (this.#underWay === start) this.#underWay = undefined;
    });
    return (this.#underWay = start);
  }

  /** Later calls begin another start. */
  forget() {
    this.#underWay = undefined;
  }
}

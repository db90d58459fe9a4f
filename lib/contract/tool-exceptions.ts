/** So many values of one run are kept: as many calls as are under way at once by default. */
const MAX_KEPT = 64;

/** What tools of one run threw, by call: the run's error may name one as its cause. Of many the last ones. */
export class ToolExceptions {
  #byCall: Map<number, unknown> | undefined;

  keep(call: number, thrown: unknown) {
    this.#byCall ??= new Map();
    this.#byCall.set(call, thrown);
    if (this.#byCall.size > MAX_KEPT) this.#byCall.delete(this.#byCall.keys().next().value as number);
  }

  /** @returns undefined if it threw nothing, or that is no longer known */
  causeOf(call: number): { cause: unknown } | undefined {
    return this.#byCall?.has(call) ? { cause: this.#byCall.get(call) } : undefined;
  }
}

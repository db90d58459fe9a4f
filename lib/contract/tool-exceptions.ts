/** The number of values kept for one run: the default limit of concurrent calls. */
const MAX_KEPT = 64;

/**
 * The values that tools of one run threw, by call: the run's error may name one as its cause. Only the last ones are
 * kept.
 */
export class ToolExceptions {
  #byCall: Map<number, unknown> | undefined;

  keep(call: number, thrown: unknown) {
    this.#byCall ??= new Map();
    this.#byCall.set(call, thrown);
    if (this.#byCall.size > MAX_KEPT) this.#byCall.delete(this.#byCall.keys().next().value as number);
  }

  /** @returns undefined if it threw nothing, or if the value is no longer kept */
  causeOf(call: number): { cause: unknown } | undefined {
    return this.#byCall?.has(call) ? { cause: this.#byCall.get(call) } : undefined;
  }
}

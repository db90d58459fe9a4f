import type { Tool } from './tool-registry';

/**
 * Time limits of the tool calls of one run. It decides how long a call may take, and whether the run's deadline counts
 * while the run waits.
 */
export class ToolTimes {
  #runMs: number | undefined;
  #limited = 0;
  #unlimited = 0;

  /** @param limits `toolTimeoutMs` of the run, then of its executor: the first one that is present applies */
  constructor(...limits: (number | null | undefined)[]) {
    this.#runMs = limits.find((limit) => limit !== null && limit !== undefined) ?? undefined;
  }

  /** Whether each call of the run has a limit, whatever its tool is. */
  get limitAll() {
    return this.#runMs !== undefined;
  }

  /** Milliseconds in which a call must be answered; undefined if they are not limited. */
  limitOf(tool: Tool | undefined) {
    return tool?.isService ? undefined : (tool?.timeoutMs ?? this.#runMs);
  }

  /** A call begins, or waits until it can. */
  begin(tool: Tool | undefined) {
    if (this.limitOf(tool) === undefined) this.#unlimited++;
    else this.#limited++;
  }

  /** A call was answered. */
  end(tool: Tool | undefined) {
    if (this.limitOf(tool) === undefined) this.#unlimited--;
    else this.#limited--;
  }

  /**
   * Whether the run's deadline does not count while the run only waits: there are unanswered calls, and each has a
   * limit. `crates/session/src/run_clock.rs` has the same rule for isolates, whose guests report that they wait.
   */
  get mayStopClock() {
    return this.#limited > 0 && this.#unlimited === 0;
  }
}

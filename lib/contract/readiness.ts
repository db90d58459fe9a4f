import { needsInit } from './lifecycle';
import { SharedStartup } from './shared-startup';
import type { ExecutorState } from './executor-types';

/** How an executor makes isolates. */
export interface Steps {
  state: () => ExecutorState;
  /** whether the isolate is lost and a new one must replace it */
  isLost: () => boolean;
  /** makes an isolate; calls during the first one join it */
  init: () => Promise<unknown>;
  /** makes an isolate that replaces a lost one */
  renew: () => Promise<void>;
}

/** Makes an executor ready for its next call, as far as `autoInit` and `recover` allow it. */
export class Readiness {
  #options;
  #steps;
  #renewal = new SharedStartup();
  /** Whether the isolate has replaced a lost one, and no run has reported that. */
  #isRenewed = false;

  constructor(options: { autoInit: boolean; recover: boolean }, steps: Steps) {
    this.#options = options;
    this.#steps = steps;
  }

  /** Makes an isolate if there is no usable one. Returns undefined if the call need not wait. */
  makeReady(): Promise<unknown> | undefined {
    const { autoInit, recover } = this.#options;
    if (!autoInit) return undefined;
    const { state, isLost, init, renew } = this.#steps;
    if (this.#renewal.isUnderWay || (recover && isLost())) {
      this.#isRenewed = true;
      return this.#renewal.join(renew);
    }
    return needsInit(state()) ? init() : undefined;
  }

  /**
   * Called when a run begins. Returns whether it has to report that the isolate has replaced a lost one: see
   * `recovered`.
   */
  beginRun() {
    const isFirst = this.#isRenewed;
    this.#isRenewed = false;
    return isFirst;
  }

  /** Called when the executor is cleaned up. */
  forget() {
    this.#renewal.forget();
    this.#isRenewed = false;
  }
}

/** Adds to a run's output, or to `details` of its error, that its isolate has replaced a lost one. */
export function recovered<T extends object>(given: T) {
  return Object.assign(given, { recovered: true as const });
}

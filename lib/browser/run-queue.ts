import { setImmediate } from '../contract/clock';
import type { Foreign } from '../contract/foreign';

/** A job that waits in the queue: a run, or an update of variables or tools. */
export interface Job {
  /** name in messages */
  operation: string;
  /** for variables and tools */
  apply?: () => void;
  resolve: (value?: Foreign) => void;
  /** ends the job from outside, at any point */
  interrupt: (error: unknown) => void;
}

/** Executes runs in order, and the updates sent between them. */
export class RunQueue {
  #running: Job | undefined;
  #queue: Job[] = [];
  #begin;

  /** @param begin starts a run */
  constructor(begin: (job: Foreign) => void) {
    this.#begin = begin;
  }

  get waiting() {
    return this.#queue.length;
  }

  start(job: Job) {
    this.#running = job;
    this.#begin(job);
  }

  add(job: Job) {
    this.#queue.push(job);
  }

  abort(job: Job, error: unknown) {
    const at = this.#queue.indexOf(job);
    if (at !== -1) this.#queue.splice(at, 1);
    job.interrupt(error);
  }

  /** The current run is over. Executes the waiting jobs up to and including the next run. */
  next() {
    this.#running = undefined;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.apply === undefined) return this.start(next);
      next.apply();
      // The next run begins after the outcome of the previous run, which passes through several `await`s.
      setImmediate(next.resolve);
    }
  }

  refuseAll(errorFor: (operation: string) => Error) {
    const jobs = [...(this.#running === undefined ? [] : [this.#running]), ...this.#queue];
    this.#running = undefined;
    this.#queue = [];
    for (const job of jobs) job.interrupt(errorFor(job.operation));
  }
}

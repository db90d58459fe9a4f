// @ts-check
'use strict';

const { setImmediate } = require('../contract/clock');

/**
 * Something that waits for its turn: a run, or variables and tools to be taken.
 *
 * @typedef {object} Job
 * @property {string} operation what messages call it
 * @property {() => void} [apply] of variables and tools
 * @property {(value?: any) => void} resolve
 * @property {(error: unknown) => void} interrupt ends it from outside, at whatever point it is
 */

/** Runs in turn, and what is sent between them. */
class RunQueue {
  /** @type {Job | undefined} */
  #running;
  /** @type {Job[]} */
  #queue = [];
  #begin;

  /** @param {(job: any) => void} begin starts a run */
  constructor(begin) {
    this.#begin = begin;
  }

  get waiting() {
    return this.#queue.length;
  }

  /** @param {Job} job */
  start(job) {
    this.#running = job;
    this.#begin(job);
  }

  /** @param {Job} job */
  add(job) {
    this.#queue.push(job);
  }

  /**
   * @param {Job} job
   * @param {unknown} error
   */
  abort(job, error) {
    const at = this.#queue.indexOf(job);
    if (at !== -1) this.#queue.splice(at, 1);
    job.interrupt(error);
  }

  /** The run under way is over: does what waits for its turn, up to the next run. */
  next() {
    this.#running = undefined;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.apply === undefined) return this.start(next);
      next.apply();
      // Behind the outcome of the run before it, which several `await`s pass on.
      setImmediate(next.resolve);
    }
  }

  /** @param {(operation: string) => Error} errorFor */
  refuseAll(errorFor) {
    const jobs = [...(this.#running === undefined ? [] : [this.#running]), ...this.#queue];
    this.#running = undefined;
    this.#queue = [];
    for (const job of jobs) job.interrupt(errorFor(job.operation));
  }
}

module.exports = { RunQueue };

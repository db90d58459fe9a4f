import { setImmediate } from '../contract/clock';

/** Something that waits for its turn: a run, or variables and tools to be taken. */
export interface Job {
  /** what messages call it */
  operation: string;
  /** of variables and tools */
  apply?: () => void;
  resolve: (value?: any) => void;
  /** ends it from outside, at whatever point it is */
  interrupt: (error: unknown) => void;
}

/** Runs in turn, and what is sent between them. */
export class RunQueue {
  #running: Job | undefined;
  #queue: Job[] = [];
  #begin;

  /** @param begin starts a run */
  constructor(begin: (job: any) => void) {
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

  refuseAll(errorFor: (operation: string) => Error) {
    const jobs = [...(this.#running === undefined ? [] : [this.#running]), ...this.#queue];
    this.#running = undefined;
    this.#queue = [];
    for (const job of jobs) job.interrupt(errorFor(job.operation));
  }
}

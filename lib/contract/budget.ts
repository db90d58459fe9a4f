import { performance, setImmediate } from './clock';

// The budget of all work that decodes, checks, converts, prints or compiles data of a guest or a third party. Such work
// is a generator: it counts what it visits, creates and spends, and yields when `shouldPause` is true. `inSlices` runs
// it. All work of the process shares the time of one turn of the event loop, so that a thousand checks at the same time
// cannot stop the loop either.

/** How long all sliced work together may take in one turn of the event loop. */
const TURN_MS = 10;
/** How long one piece of work may take in a turn before the next one gets its share. */
const SLICE_MS = 5;
/** Units of work between two looks at the clock: some microseconds. */
const STEPS_PER_LOOK = 64;

const DEFAULTS = {
  /** Values visited or created; a value counts each time it occurs. As JSON, this many take at least 32 MB. */
  parts: 16_000_000,
  /** Memory of the values created. */
  bytes: 128 * 1_048_576,
  /** Units of work; each takes at most a few microseconds. */
  steps: Infinity,
  /** Time on the event loop, in all slices. */
  ms: 20_000,
  /** The number of errors collected. */
  errors: 5,
};

export type Limit = keyof typeof DEFAULTS;

/** Some work has used up its budget. */
export class BudgetError extends RangeError {
  limit;
  max;

  /** @param limit the limit that was exceeded */
  constructor(limit: Limit, max: number) {
    super(`it exceeds the budget of ${max} ${limit}`);
    this.name = 'BudgetError';
    this.limit = limit;
    this.max = max;
  }
}

/**
 * The limits of one piece of work: parts, memory, steps, time and errors. Every method throws a `BudgetError` beyond a
 * limit.
 */
export class WorkBudget<E = unknown> {
  #limits;
  #partsLeft;
  #bytesLeft;
  #stepsLeft;
  #msLeft;
  #sliceEnd = Infinity;
  #stepsToLook = STEPS_PER_LOOK;
  /** Whether the slice is over: the work should yield. */
  shouldPause = false;
  /** The first errors, at most as many as the budget allows. */
  errors: E[] = [];

  constructor(limits: Partial<typeof DEFAULTS> = {}) {
    this.#limits = { ...DEFAULTS, ...limits };
    this.#partsLeft = this.#limits.parts;
    this.#bytesLeft = this.#limits.bytes;
    this.#stepsLeft = this.#limits.steps;
    this.#msLeft = this.#limits.ms;
  }

  /** Values visited or created so far. */
  get parts() {
    return this.#limits.parts - this.#partsLeft;
  }

  /**
   * Counts a value that is visited or created. It counts as a step, too.
   *
   * @param bytes memory that it takes
   */
  addPart(bytes: number = 0) {
    if (--this.#partsLeft < 0) throw this.#exceeded('parts');
    if (bytes > 0) this.addBytes(bytes);
    this.spend(1);
  }

  /** @param parts that will be added; throws if they are too many, before memory is allocated for them */
  expectParts(parts: number) {
    if (parts > this.#partsLeft) throw this.#exceeded('parts');
  }

  /** @param bytes of allocated memory */
  addBytes(bytes: number) {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw this.#exceeded('bytes');
  }

  /** @param steps allowed from now on */
  limitSteps(steps: number) {
    this.#limits.steps = steps;
    this.#stepsLeft = steps;
  }

  /** @param steps units of work done */
  spend(steps: number) {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw this.#exceeded('steps');
    this.#stepsToLook -= steps;
    if (this.#stepsToLook > 0) return;
    this.#stepsToLook = STEPS_PER_LOOK;
    this.isSliceOver();
  }

  /** Whether the slice is over, for work whose last step may have taken long, such as listing the keys of an object. */
  isSliceOver() {
    if (performance.now() >= this.#sliceEnd) this.shouldPause = true;
    return this.shouldPause;
  }

  /** @returns whether the work should end because there is no room for more errors */
  addError(error: E): boolean {
    if (this.errors.length < this.#limits.errors) this.errors.push(error);
    return this.isFullOfErrors;
  }

  get isFullOfErrors() {
    return this.errors.length >= this.#limits.errors;
  }

  /** One slice of the work. */
  slice<T>(work: Generator<void, T, void>, ms: number): IteratorResult<void, T> {
    const start = performance.now();
    this.#sliceEnd = start + ms;
    this.shouldPause = false;
    const result = work.next();
    this.#msLeft -= performance.now() - start;
    if (result.done !== true && this.#msLeft < 0) throw this.#exceeded('ms');
    return result;
  }

  #exceeded(limit: Limit) {
    return new BudgetError(limit, this.#limits[limit]);
  }
}

/** Slices that wait for a turn of the event loop. */
let waiting: (() => void)[] = [];
/** Time that sliced work has used in this turn. */
let spentMs = 0;
let isTurnAsked = false;

/**
 * Runs work in slices, with turns of the event loop in between. Work that fits into this turn's share runs without a
 * pause.
 *
 * @param work yields when the budget's `shouldPause` is true
 * @returns rejects with the error that the work throws, a `BudgetError`, or the signal's reason
 */
export function inSlices<T>(work: Generator<void, T, void>, budget: WorkBudget, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const goOn = () => {
      const start = performance.now();
      try {
        signal?.throwIfAborted();
        const result = budget.slice(work, Math.min(SLICE_MS, TURN_MS - spentMs));
        if (result.done) resolve(result.value);
        else waiting.push(goOn);
      } catch (error) {
        work.return(undefined as never);
        reject(error);
      } finally {
        spentMs += performance.now() - start;
        askForTurn();
      }
    };
    if (spentMs < TURN_MS && waiting.length === 0) goOn();
    else waiting.push(goOn);
  });
}

/**
 * Divides asynchronous work among turns of the event loop, in the same queue as all other sliced work. A turn in which
 * such work goes on begins no further slice.
 *
 * @returns a function to call after each step. It returns a promise to wait for if the slice is over.
 */
export function asyncSlices(): () => Promise<void> | undefined {
  let start = performance.now();
  const goOn = (resolve: () => void) => {
    start = performance.now();
    // The step runs when this turn's other slices have run, so its time cannot be added afterwards.
    spentMs = TURN_MS;
    askForTurn();
    resolve();
  };
  return () => {
    if (performance.now() - start < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      waiting.push(() => goOn(resolve));
      askForTurn();
    });
  };
}

/**
 * Runs work to its end, for callers that cannot wait. It must take only a few milliseconds.
 *
 * @param work of a budget that has no slices, so that it never pauses
 */
export function atOnce<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const result = work.next();
    if (result.done) return result.value;
  }
}

function askForTurn() {
  if (isTurnAsked) return;
  isTurnAsked = true;
  setImmediate(beginTurn);
}

function beginTurn() {
  isTurnAsked = false;
  spentMs = 0;
  const ready = waiting;
  waiting = [];
  let next = 0;
  while (next < ready.length && spentMs < TURN_MS) ready[next++]();
  waiting = next === ready.length ? waiting : [...ready.slice(next), ...waiting];
  if (waiting.length > 0) askForTurn();
}

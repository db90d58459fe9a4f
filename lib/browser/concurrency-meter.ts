import { performance } from '../contract/clock';

/** The highest number of recent concurrent runs: within the current time span or the one before it. */
export class ConcurrencyMeter {
  #spanMs;
  #now;
  #underWay = 0;
  #most = 0;
  #mostBefore = 0;
  #since;

  /** @param now current time in milliseconds */
  constructor(spanMs: number, now: () => number = () => performance.now()) {
    this.#spanMs = spanMs;
    this.#now = now;
    this.#since = now();
  }

  begin() {
    this.#endSpan();
    this.#most = Math.max(this.#most, ++this.#underWay);
  }

  end() {
    this.#endSpan();
    this.#underWay--;
  }

  get most() {
    this.#endSpan();
    return Math.max(this.#most, this.#mostBefore);
  }

  /** Begins another span when the current one is over. */
  #endSpan() {
    const elapsed = this.#now() - this.#since;
    if (elapsed < this.#spanMs) return;
    // No run began or ended since the last look.
    this.#mostBefore = elapsed < 2 * this.#spanMs ? this.#most : this.#underWay;
    this.#most = this.#underWay;
    this.#since += elapsed - (elapsed % this.#spanMs);
  }
}

/**
 * Delivers a page's messages in order. Reading a large value takes several turns of the event loop. Messages that
 * arrive in the meantime wait.
 */
export class Deliveries {
  #isBusy = false;
  #isOver = false;
  #waiting: { deliver: () => void | Promise<void>; chars: number }[] = [];
  /** UTF-16 units of the waiting messages. */
  chars = 0;

  /**
   * @param deliver called immediately if no delivery is in progress; must not throw or reject
   * @param chars UTF-16 units that it keeps in memory
   */
  add(deliver: () => void | Promise<void>, chars: number = 0) {
    if (this.#isOver) return;
    if (!this.#isBusy) return this.#begin(deliver);
    this.#waiting.push({ deliver, chars });
    this.chars += chars;
  }

  /** Drops the waiting messages. */
  end() {
    this.#isOver = true;
    this.#waiting = [];
    this.chars = 0;
  }

  #begin(deliver: () => void | Promise<void>) {
    const delivering = deliver();
    if (delivering === undefined) return;
    this.#isBusy = true;
    void delivering.then(() => this.#goOn());
  }

  async #goOn() {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.chars -= next.chars;
      const delivering = next.deliver();
      if (delivering !== undefined) await delivering;
    }
    this.#isBusy = false;
  }
}

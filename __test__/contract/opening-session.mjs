// A DurableSession with a journal in memory for the contract's tests. It opens itself where a test asks for `autoInit`.

import { createRequire } from 'node:module';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { DurableSession } = require('../../build/durable/session.js');
const { memoryStore } = require('../../build/durable/memory-store.js');

export class OpeningSession extends DurableSession {
  #isAutomatic;

  constructor({ autoInit = false, ...executor } = {}, engine = undefined) {
    super('s', { store: memoryStore(), engine, executor });
    this.#isAutomatic = autoInit;
  }

  run(...args) {
    return this.#opened(() => super.run(...args));
  }

  sendTools(...args) {
    return this.#opened(() => super.sendTools(...args));
  }

  sendVariables(...args) {
    return this.#opened(() => super.sendVariables(...args));
  }

  #opened(call) {
    const isClosed = this.state === 'NEW' || this.state === 'DEAD';
    return this.#isAutomatic && isClosed ? this.init().then(call) : call();
  }
}

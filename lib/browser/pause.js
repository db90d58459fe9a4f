// @ts-check
'use strict';

// How the host's thread waits for pages that call again as soon as they are answered.

/** Runs that are under way in browsers. */
let running = 0;
/** @type {import('../../native').NativePause | undefined} */
let pause;

/**
 * @template T
 * @param {Promise<T>} run
 */
async function whileRunning(run) {
  running++;
  try {
    return await run;
  } finally {
    running--;
  }
}

/** A page was answered, which may call again soon. */
function expectCall() {
  pause ??= new (require('../../native.cjs').NativePause)();
  pause.expect(running);
}

/** A page has called. */
function noteCall() {
  pause?.met();
}

module.exports = { expectCall, noteCall, whileRunning };

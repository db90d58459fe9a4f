// @ts-check
'use strict';

const { clearInterval, setInterval } = require('../contract/clock');

/** Turns of the event loop that a wait takes at least. */
const TURNS = 5;

/**
 * Calls back once when a time has passed in which the host has had its turns: what it was told while it was busy has been heard then.
 *
 * @param {number} ms
 * @param {() => void} onLate
 * @returns {() => void} ends the wait
 */
function startResponsiveTimer(ms, onLate) {
  let turns = 0;
  const timer = setInterval(() => {
    if (++turns < TURNS) return;
    clearInterval(timer);
    onLate();
  }, ms / TURNS);
  timer.unref();
  return () => clearInterval(timer);
}

module.exports = { startResponsiveTimer };

import { clearInterval, setInterval } from '../contract/clock';

/** Turns of the event loop that a wait takes at least. */
const TURNS = 5;

/**
 * Calls back once when a time has passed in which the host has had its turns: what it was told while it was busy has been heard then.
 *
 * @returns ends the wait
 */
export function startResponsiveTimer(ms: number, onLate: () => void): () => void {
  let turns = 0;
  const timer = setInterval(() => {
    if (++turns < TURNS) return;
    clearInterval(timer);
    onLate();
  }, ms / TURNS);
  timer.unref();
  return () => clearInterval(timer);
}

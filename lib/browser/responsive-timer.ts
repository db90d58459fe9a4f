import { clearInterval, setInterval } from '../contract/clock';

/** Minimum number of event loop turns of a wait. */
const TURNS = 5;

/**
 * Calls back once after a time in which the event loop also had its turns. Messages that arrived while the host was
 * busy have been handled by then.
 *
 * @returns a function that cancels the wait
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

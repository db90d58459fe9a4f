import { performance, setImmediate } from '../contract/clock';

/** Time that work on the entries of a journal may take in one turn of the event loop. */
const SLICE_MS = 5;

/**
 * Divides work among turns of the event loop, which has other work to do.
 *
 * @returns a function to call after each step. It returns a promise to wait for if the time of this turn is used up.
 */
export function inSlices(): () => Promise<void> | undefined {
  let end = performance.now() + SLICE_MS;
  const turn = () =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        end = performance.now() + SLICE_MS;
        resolve();
      });
    });
  return () => (performance.now() < end ? undefined : turn());
}

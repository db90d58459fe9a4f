// Random numbers that a seed repeats.

/**
 * `random(n)` is an integer below n; mulberry32.
 *
 * @param {number} seed
 * @returns {(n: number) => number}
 */
export function generator(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

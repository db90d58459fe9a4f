// Figures of samples.

/** @returns NaN for none */
export function median(values) {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function geometricMean(values) {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/**
 * The ratio of two series that were measured in turns: the median of the ratios round by round, since a round's noise
 * is the noise of both. NaN if there is no common round.
 */
export function pairedRatio(numerators, denominators) {
  const rounds = Math.min(numerators.length, denominators.length);
  return median(Array.from({ length: rounds }, (_, i) => numerators[i] / denominators[i]));
}

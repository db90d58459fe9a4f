/**
 * Values whose names differ in code. If several values have the same name in code, the value whose own name it is
 * stays, otherwise the first one.
 *
 * @param entries values by their own names, as pairs whose second part contains the name in code
 * @param onLeftOut called with the own names of a value that is omitted and of the value that stays
 */
export function withoutSameNames<T extends { name: string }>(
  entries: [own: string, value: T][],
  onLeftOut: (own: string, other: string) => void = () => {},
): T[] {
  const kept: Map<string, { own: string; value: T }> = new Map();
  for (const [own, value] of entries) {
    const other = kept.get(value.name);
    const isBetter = other !== undefined && own === value.name && other.own !== value.name;
    if (other === undefined || isBetter) kept.set(value.name, { own, value });
    if (isBetter) onLeftOut(other.own, own);
    else if (other !== undefined) onLeftOut(own, other.own);
  }
  return [...kept.values()].map(({ value }) => value);
}

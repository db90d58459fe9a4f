// Deep comparison, deep copy and differences.
const make = (depth, breadth) => {
  if (depth === 0) return breadth;
  const result = {};
  for (let i = 0; i < breadth; i++) result[`key${i}`] = i % 2 ? make(depth - 1, breadth) : [i, depth, `v${i}`];
  return result;
};
function deepEqual(a, b) {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keysA = Object.keys(a);
  const keysB = Object.keys(b);
  if (keysA.length !== keysB.length) return false;
  for (const key of keysA) {
    if (!keysB.includes(key) || !deepEqual(a[key], b[key])) return false;
  }
  return true;
}
function deepClone(value) {
  if (Array.isArray(value)) return value.map(deepClone);
  if (value && typeof value === 'object') {
    const copy = {};
    for (const key in value) {
      if (Object.hasOwn(value, key)) copy[key] = deepClone(value[key]);
    }
    return copy;
  }
  return value;
}
const original = make(5, 8);
let equal = 0;
for (let i = 0; i < 12; i++) {
  const copy = deepClone(original);
  if (i % 2) copy.key1.key3.key5 = null;
  if (deepEqual(original, copy)) equal++;
}
return equal;

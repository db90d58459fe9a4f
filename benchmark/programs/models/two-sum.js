// Pairs, triples and duplicates with a Map and with two pointers.
const numbers = [];
for (let i = 0; i < 3000; i++) numbers.push(((i * 7919) % 10007) - 5000);
const pairs = (values, target) => {
  const seen = new Map();
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const rest = target - values[i];
    if (seen.has(rest)) count++;
    seen.set(values[i], i);
  }
  return count;
};
let total = 0;
for (let target = -100; target < 100; target++) total += pairs(numbers, target);
const sorted = [...numbers].sort((a, b) => a - b);
let triples = 0;
for (let i = 0; i < 1000; i++) {
  let left = i + 1;
  let right = sorted.length - 1;
  while (left < right) {
    const sum = sorted[i] + sorted[left] + sorted[right];
    if (sum === 0) {
      triples++;
      left++;
      right--;
    } else if (sum < 0) {
      left++;
    } else {
      right--;
    }
  }
}
return [total, triples];

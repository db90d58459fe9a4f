// Searches in sorted arrays, and square roots by bisection.
const sorted = Array.from({ length: 50000 }, (_, i) => i * 3 + (i % 2));
function binarySearch(array, target) {
  let low = 0;
  let high = array.length - 1;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    if (array[middle] === target) return middle;
    if (array[middle] < target) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
let found = 0;
let checksum = 0;
for (let i = 0; i < 150000; i++) {
  const index = binarySearch(sorted, i);
  if (index >= 0) {
    found++;
    checksum = (checksum + index) % 1000003;
  }
}
const sqrt = (x) => {
  let low = 0;
  let high = Math.max(1, x);
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (middle * middle > x) high = middle;
    else low = middle;
  }
  return low;
};
let roots = 0;
for (let i = 0; i < 10000; i++) roots += sqrt(i);
return [found, checksum, roots.toFixed(4)];

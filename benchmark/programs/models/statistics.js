// Mean, deviation, percentiles, histogram and moving average.
const data = [];
let x = 0.5;
for (let i = 0; i < 100000; i++) {
  x = 3.99 * x * (1 - x);
  data.push(Math.round(x * 10000) / 100);
}
const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
const variance = data.reduce((sum, value) => sum + (value - mean) ** 2, 0) / data.length;
const sorted = [...data].sort((a, b) => a - b);
const percentile = (p) => sorted[Math.floor((sorted.length - 1) * p)];
const histogram = new Array(20).fill(0);
for (const value of data) histogram[Math.min(19, Math.floor(value / 5))]++;
const window = 50;
const moving = [];
let sum = 0;
for (let i = 0; i < data.length; i++) {
  sum += data[i];
  if (i >= window) sum -= data[i - window];
  if (i >= window - 1) moving.push(sum / window);
}
let low = Infinity;
let high = -Infinity;
for (let i = 0; i < moving.length; i++) {
  if (moving[i] < low) low = moving[i];
  if (moving[i] > high) high = moving[i];
}
return [mean, Math.sqrt(variance), percentile(0.5), percentile(0.95), low, high]
  .map((v) => v.toFixed(3))
  .concat(histogram);

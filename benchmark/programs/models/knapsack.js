// 0/1 knapsack with one row.
const items = [];
for (let i = 0; i < 200; i++) items.push({ weight: 5 + ((i * 37) % 41), value: 10 + ((i * 53) % 97) });
const capacity = 10000;
const best = new Array(capacity + 1).fill(0);
for (const { weight, value } of items) {
  for (let w = capacity; w >= weight; w--) {
    best[w] = Math.max(best[w], best[w - weight] + value);
  }
}
return best[capacity];

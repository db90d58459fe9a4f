// Number of ways and fewest coins.
const coins = [1, 2, 5, 10, 20, 50, 100, 200];
const target = 100000;
const ways = Array(target + 1).fill(0);
ways[0] = 1;
for (const coin of coins) {
  for (let amount = coin; amount <= target; amount++) {
    ways[amount] = (ways[amount] + ways[amount - coin]) % 1000000007;
  }
}
const fewest = Array(target + 1).fill(Infinity);
fewest[0] = 0;
for (let amount = 1; amount <= target; amount++) {
  for (const coin of coins) {
    if (coin <= amount && fewest[amount - coin] + 1 < fewest[amount]) {
      fewest[amount] = fewest[amount - coin] + 1;
    }
  }
}
return { ways: ways[target], fewest: fewest[target - 1] };

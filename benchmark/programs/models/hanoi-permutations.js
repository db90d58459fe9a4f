// Towers of Hanoi and all permutations, by recursion.
const moves = [];
function hanoi(n, from, to, via) {
  if (n === 0) return;
  hanoi(n - 1, from, via, to);
  moves.push(`${from}${to}`);
  hanoi(n - 1, via, to, from);
}
hanoi(15, 'A', 'C', 'B');
function permutations(items) {
  if (items.length <= 1) return [items];
  const result = [];
  for (let i = 0; i < items.length; i++) {
    const rest = [...items.slice(0, i), ...items.slice(i + 1)];
    for (const tail of permutations(rest)) result.push([items[i], ...tail]);
  }
  return result;
}
const all = permutations([1, 2, 3, 4, 5, 6, 7, 8]);
return [moves.length, moves[1234], all.length, all[20000].join('')];

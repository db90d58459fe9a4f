// Arrays that grow and shrink by their ends.
let total = 0;
for (let round = 0; round < 10; round++) {
  const list = [];
  for (let i = 0; i < 500_000; i++) list.push(i ^ round);
  while (list.length > 100_000) total = (total + list.pop()) | 0;
  for (let i = 0; i < list.length; i++) total = (total + list[i]) | 0;
}
return total;

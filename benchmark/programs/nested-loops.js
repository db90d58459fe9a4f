// 30,000,000 turns of the inner loop, with hardly any work in it.
let sum = 0;
for (let i = 0; i < 3_000; i++) {
  for (let j = 0; j < 10_000; j++) {
    sum = (sum + (i ^ j)) | 0;
  }
}
return sum;

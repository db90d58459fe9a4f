// Edit distance by a table of rows.
function levenshtein(a, b) {
  const dp = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = 0; i <= a.length; i++) dp[i][0] = i;
  for (let j = 0; j <= b.length; j++) dp[0][j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      dp[i][j] = Math.min(dp[i - 1][j] + 1, dp[i][j - 1] + 1, dp[i - 1][j - 1] + cost);
    }
  }
  return dp[a.length][b.length];
}
const words = [];
for (let i = 0; i < 60; i++) {
  let word = '';
  for (let j = 0; j < 20 + (i % 15); j++) word += String.fromCharCode(97 + ((i * j + i + j * j) % 26));
  words.push(word);
}
let total = 0;
let closest = Infinity;
for (let i = 0; i < words.length; i++) {
  for (let j = i + 1; j < words.length; j++) {
    const distance = levenshtein(words[i], words[j]);
    total += distance;
    if (distance < closest) closest = distance;
  }
}
return [total, closest];

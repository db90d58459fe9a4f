const rows = await search('weather');
let best = null;
for (const { city, degrees } of rows) {
  if (degrees == null) continue;
  if (!best || degrees > best.degrees) best = { city, degrees };
}
console.log(`best: ${best?.city ?? 'none'}`);
final_answer(best);

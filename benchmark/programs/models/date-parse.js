// Reads timestamps of a log and measures the gaps.
const log = [];
let time = Date.UTC(2024, 1, 28, 23, 0, 0);
for (let i = 0; i < 15000; i++) {
  time += 1000 * ((i * 7) % 61) + 17;
  log.push(`${new Date(time).toISOString()} ${['INFO', 'WARN', 'ERROR'][i % 3]} request ${i}`);
}
const gaps = [];
let previous;
let errors = 0;
for (const line of log) {
  const [stamp, level] = line.split(' ');
  const at = Date.parse(stamp);
  if (previous !== undefined) gaps.push(at - previous);
  previous = at;
  if (level === 'ERROR') errors += 1;
}
gaps.sort((a, b) => a - b);
const median = gaps[Math.floor(gaps.length / 2)];
const average = gaps.reduce((a, b) => a + b, 0) / gaps.length;
return `${median} ${average.toFixed(3)} ${errors}`;

// Business days and totals by ISO week.
const start = new Date(Date.UTC(2020, 0, 1));
const days = [];
for (let i = 0; i < 12000; i++) {
  const date = new Date(start.getTime() + i * 24 * 60 * 60 * 1000);
  days.push({ date, value: (i * 37) % 101 });
}
const byMonth = new Map();
let businessDays = 0;
for (const { date, value } of days) {
  const day = date.getUTCDay();
  if (day !== 0 && day !== 6) businessDays++;
  const key = `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
  byMonth.set(key, (byMonth.get(key) || 0) + value);
}
const best = [...byMonth.entries()].sort((a, b) => b[1] - a[1])[0];
const first = days.filter(({ date }) => date.toISOString().slice(8, 10) === '01').length;
return `${businessDays} ${best[0]} ${best[1]} ${first}`;

// Easter, leap years and weekdays over centuries.
function easter(year) {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const e = b % 4;
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.floor(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return { month, day: ((h + l - 7 * m + 114) % 31) + 1 };
}
const isLeap = (year) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const counts = {};
let leaps = 0;
let fridays = 0;
for (let year = 1600; year < 3600; year++) {
  const { month, day } = easter(year);
  const key = `${month}/${day}`;
  counts[key] = (counts[key] || 0) + 1;
  if (isLeap(year)) leaps++;
  for (let m = 0; m < 12; m++) {
    if (new Date(year, m, 13).getDay() === 5) fridays++;
  }
}
const common = Object.keys(counts).sort((a, b) => counts[b] - counts[a] || (a < b ? -1 : 1))[0];
return `${common} ${counts[common]} ${leaps} ${fridays}`;

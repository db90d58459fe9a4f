// === members are added to results
const orders = (await list_orders({ limit: 10 })).orders;
for (const order of orders) {
  order.age = (Date.now() - new Date(order.createdAt)) / 86400000;
  order.isLarge = order.total > 50;
}
orders.filter((o) => o.isLarge).sort((a, b) => b.age - a.age).map((o) => o.id);
// === members are added with Object.assign
const user = await get_user({ id: 1 });
Object.assign(user, { lastSeen: '2025-01-01', score: 5 });
`${user.name} ${user.lastSeen} ${user.score}`;
// === members are added with a computed name
const issue = (await list_issues({ repo: 'a/b' }))[0];
issue['rank'] = 1;
issue.rank + 1;
// === a copy with more members
const enriched = (await list_users()).map((u) => ({ ...u, initials: u.name.slice(0, 1) }));
enriched.map((e) => e.initials + e.id).join();
// === members are removed
const quote = await get_quote({ symbol: 'A' });
delete quote.change;
Object.keys(quote);
// === destructuring with defaults
const { orders: list = [], nextCursor = null } = await list_orders({});
[list.length, nextCursor];
// === nested destructuring
const { customer: { name, country }, items: [firstItem, ...others] } = await get_order({ id: 'A-100' });
[name, country, firstItem.sku, others.length];
// === renamed and rest
const { id: orderId, ...rest } = await get_order({ id: 'A-100' });
Object.keys(rest).length + orderId.length;
// === optional members
const order2 = await get_order({ id: 'A-100' });
const note = order2.note?.toUpperCase() ?? 'none';
note;
// === defensive code for an absent list
const res = await search({ query: 'x' });
const items = res.results || res.items || res;
items.length;
// === defensive code with a test of the form
const response = await list_orders({});
const array = Array.isArray(response) ? response : response.orders;
array.length;
// === defensive code for errors in results
const data = await get_weather({ city: 'Oslo' });
if (data.error) {
  console.log('error', data.error);
} else {
  console.log(data.temperature);
}
// === a test of success
const updated = await update_order({ id: 'A-100', status: 'shipped' });
if (!updated.ok) throw new Error('not updated');
updated.order.status;
// === a test of a member that may be absent, with a comparison
const page = await list_orders({});
if (page.error !== undefined) console.log(page.error);
page.total;
// === typeof of a member
const hit = (await search({ query: 'a' }))[0];
typeof hit.published === 'string' ? hit.published : hit.snippet;
// === in
const person = await get_user({ id: 2 });
'manager' in person ? person.manager : 'no manager';
// === hasOwnProperty
const p2 = await get_user({ id: 1 });
p2.hasOwnProperty('phone') ? p2.phone : p2.email;
// === Object.hasOwn
const p3 = await get_user({ id: 1 });
Object.hasOwn(p3, 'phone') && p3.phone;
// === optional chaining of what is not declared
const q2 = await get_quote({ symbol: 'A' });
q2.meta?.exchange ?? q2.currency;
// === logical assignment
const w = await get_weather({ city: 'Rome' });
w.label ??= w.city;
w.label;
// === counters in an object
const counts = {};
for (const issue of await list_issues({ repo: 'a/b', state: 'all' })) {
  counts[issue.author] = (counts[issue.author] || 0) + 1;
}
Object.entries(counts).sort((a, b) => b[1] - a[1])[0];
// === groups in an object
const groups = {};
for (const u of await list_users()) {
  if (!groups[u.team]) groups[u.team] = [];
  groups[u.team].push(u.name);
}
groups.core.join(', ');
// === groups with reduce
const byState = (await list_issues({ repo: 'a/b', state: 'all' })).reduce((acc, issue) => {
  (acc[issue.state] ||= []).push(issue.number);
  return acc;
}, {});
byState.open.length;
// === totals with reduce into an object
const totals = (await list_orders({})).orders.reduce(
  (acc, o) => {
    acc.count += 1;
    acc.sum += o.total;
    acc.max = Math.max(acc.max, o.total);
    return acc;
  },
  { count: 0, sum: 0, max: -Infinity },
);
totals.sum / totals.count;
// === reduce with a spread
const prices = products.reduce((map, p) => ({ ...map, [p.name]: p.price }), {});
prices.Mug;
// === a Map of results
const byId = new Map((await list_users()).map((u) => [u.id, u]));
byId.get(2).email;
// === a Map of lists
const perCountry = new Map();
for (const o of (await list_orders({})).orders) {
  const list = perCountry.get(o.customer.country) ?? [];
  list.push(o.id);
  perCountry.set(o.customer.country, list);
}
[...perCountry.entries()].map(([country, ids]) => `${country}: ${ids.length}`);
// === a Set of members
const labels = new Set((await list_issues({ repo: 'a/b', state: 'all' })).flatMap((i) => i.labels));
[...labels].sort();
// === a Set that is filled
const seen = new Set();
const unique = [];
for (const o of (await list_orders({})).orders) {
  if (seen.has(o.customer.id)) continue;
  seen.add(o.customer.id);
  unique.push(o.customer.name);
}
for (const id of seen) unique.push((await get_user({ id })).name);
unique;
// === Object.groupBy
const grouped = Object.groupBy(await list_users(), (u) => u.team);
grouped.web.map((u) => u.name);
// === a list of pairs as an object
const entries = Object.fromEntries((await list_users()).map((u) => [u.name, u.email]));
entries.Ada ?? entries['Grace'];
// === sorting by several keys
const sorted = (await list_orders({})).orders.sort((a, b) => a.customer.country.localeCompare(b.customer.country) || b.total - a.total);
sorted.map((o) => o.id);
// === dates of results
const events = await list_events({ from: '2025-06-01', to: '2025-06-30' });
const minutes = events.map((e) => (new Date(e.end) - new Date(e.start)) / 60000);
minutes.reduce((a, b) => a + b, 0);
// === differences of dates with getTime
const [firstEvent] = await list_events({ from: 'a', to: 'b' });
Math.floor((new Date(firstEvent.end).getTime() - new Date(firstEvent.start).getTime()) / 1000);
// === dates compared
const soon = (await list_events({ from: 'a', to: 'b' })).filter((e) => new Date(e.start) > report_date);
soon.length;
// === dates formatted
const day = new Date('2025-06-02T09:00:00Z');
[day.toLocaleDateString('en-GB', { weekday: 'long', month: 'short', timeZone: 'UTC' }), new Intl.DateTimeFormat('de', { dateStyle: 'medium', timeZone: 'UTC' }).format(day)];
// === options of a formatter in a variable
const options = { style: 'currency', currency: settings.currency };
new Intl.NumberFormat('en', options).format(1234.5);
// === options of toLocaleString in a variable
const style = { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' };
report_date.toLocaleDateString('en-US', style);
// === numbers as text
const total = (await list_orders({})).orders.map((o) => o.total.toFixed(2)).map(Number).reduce((a, b) => a + b);
parseFloat(total.toFixed(1)) + parseInt('5') + Number('7') + +'8';
// === parseInt of a number
parseInt(10 / 3) + parseFloat(2.5) + Number.parseInt('10', 10);
// === isNaN of text
isNaN('abc') && !isNaN('12') && isFinite('3');
// === arithmetic with text
const text = '5';
text * 2 + text / 2 - '1';
// === addition of text and numbers
let line = '';
for (let i = 0; i < 3; i++) line += i + ',';
line + 1;
// === pages
let cursor;
const collected = [];
do {
  const { orders, nextCursor } = await list_orders({ cursor });
  collected.push(...orders);
  cursor = nextCursor;
} while (cursor);
collected.length;
// === pages with a number
let pageNumber = 1;
let issues = [];
while (true) {
  const batch = await list_issues({ repo: 'a/b', page: pageNumber++ });
  if (batch.length === 0) break;
  issues = issues.concat(batch);
}
issues.length;
// === an async generator of pages
async function* pages(repo) {
  for (let page = 1; ; page++) {
    const found = await list_issues({ repo, page });
    if (!found.length) return;
    yield* found;
  }
}
const titles = [];
for await (const issue of pages('a/b')) titles.push(issue.title);
titles;
// === a variable for a result of several kinds
let result = null;
if (settings.features.beta) result = await get_quote({ symbol: 'A' });
else result = 'nothing';
result.price ?? result;
// === a variable that changes its type
let value = 0;
value = (await get_quote({ symbol: 'A' })).price;
value = `${value} USD`;
value = { text: value };
value.text;
// === a list of several kinds
const out = [];
out.push('Report');
out.push({ a: 1 });
out.push(...(await list_files()));
out.map((o) => (typeof o === 'string' ? o : JSON.stringify(o))).join('\n');
// === an empty list that is filled
let best = [];
for (const c of ['Oslo', 'Rome']) best = [...best, await get_weather({ city: c })];
best.sort((a, b) => a.temperature - b.temperature)[0].city;
// === matrices
const grid = Array.from({ length: 3 }, () => Array(3).fill(0));
grid[1][2] = 5;
grid.map((row) => row.join(' ')).join('\n');
// === JSON of a file
const config = JSON.parse(await read_file({ path: 'config.json' }));
config.items.map((n) => n * 2).concat(config.version);
// === CSV of a file
const [header, ...lines] = (await read_file({ path: 'a.csv' })).trim().split('\n').map((l) => l.split(','));
const people = lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [header[i], cell])));
people.filter((p) => Number(p.age) > 40).map((p) => p.city);
// === regular expressions
const match = 'order A-100 of 2025'.match(/([A-Z])-(\d+) of (?<year>\d{4})/);
[match[1], match.groups.year, match.index];
// === matchAll
const found = [...'a1b22'.matchAll(/[a-z](\d+)/g)].map((m) => Number(m[1]));
found;
// === replace with a function
'hello world'.replace(/\b\w/g, (c) => c.toUpperCase());
// === exec in a loop
const pattern = /(\d+)/g;
let m;
const numbers = [];
while ((m = pattern.exec('1 22 333')) !== null) numbers.push(m[1].length);
numbers;
// === find that may find nothing
const mug = products.find((p) => p.name === 'Mug');
mug.price;
// === the last element
const last = products[products.length - 1];
[last.name, products.at(-1).id];
// === chained calls
(await list_orders({})).orders
  .filter(({ status }) => status !== 'cancelled')
  .flatMap(({ items, customer }) => items.map((item) => ({ ...item, buyer: customer.name })))
  .filter((line) => line.quantity > 1)
  .map((line) => `${line.buyer}: ${line.quantity} × ${line.sku}`);
// === modern array methods
[products.toSorted((a, b) => a.id - b.id)[0].name, products.toReversed().length, [1, 2].with(0, 5), [3, 1].findLast((n) => n > 0)];
// === iterator helpers
[...new Set([1, 2, 3]).values().filter((n) => n > 1).map((n) => n * 2)];
// === set methods
[...new Set([1, 2]).union(new Set([2, 3]))];
// === long conditions
const o = await get_order({ id: 'A-103' });
const state = o.status === 'open' ? 'waiting' : o.status === 'paid' || o.status === 'shipped' ? 'on its way' : 'over';
state;
// === switch
const o2 = await get_order({ id: 'A-101' });
let priority;
switch (o2.status) {
  case 'open':
    priority = 1;
    break;
  case 'paid':
    priority = 2;
    break;
  default:
    priority = 3;
}
await add_task({ title: o2.id, priority });
// === a markdown table
const users = await list_users();
const header2 = '| Name | Team |\n| --- | --- |';
[header2, ...users.map((u) => `| ${u.name} | ${u.team} |`)].join('\n');
// === statistics
const closes = (await get_history({ symbol: 'A', days: 10 })).map((d) => d.close);
const mean = closes.reduce((s, c) => s + c, 0) / closes.length;
const deviation = Math.sqrt(closes.reduce((s, c) => s + (c - mean) ** 2, 0) / closes.length);
({ mean: +mean.toFixed(2), deviation: Math.round(deviation * 100) / 100, median: [...closes].sort((a, b) => a - b)[Math.floor(closes.length / 2)] });
// === moving averages
const history = await get_history({ symbol: 'A', days: 8 });
history.map((d, i, all) => {
  const window = all.slice(Math.max(0, i - 2), i + 1);
  return { date: d.date, average: window.reduce((s, x) => s + x.close, 0) / window.length };
});

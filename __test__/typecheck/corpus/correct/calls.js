// === one call
const weather = await get_weather({ city: 'Oslo' });
console.log(`${weather.city}: ${weather.temperature}°`);
// === a call with all arguments
const hits = await search({ query: 'tin prices', limit: 5, site: 'example.com' });
hits.map((hit) => hit.url);
// === the last expression is a call
await get_quote({ symbol: 'ACME' });
// === a final answer
const { price, currency } = await get_quote({ symbol: 'ACME' });
final_answer(`${price} ${currency}`);
// === calls in a loop over literals
const results = {};
for (const city of ['Oslo', 'Rome', 'Lima']) {
  const w = await get_weather({ city, unit: 'celsius' });
  results[city] = w.temperature;
}
results;
// === an enumerated argument from a list
for (const unit of ['celsius', 'fahrenheit']) {
  console.log(unit, (await get_weather({ city: 'Oslo', unit })).temperature);
}
// === an enumerated argument from a variable that changes
let status = 'open';
if (settings.features.beta) status = 'paid';
const found = await list_orders({ status });
found.total;
// === an enumerated argument from an object of options
const options = { city: 'Oslo', unit: 'celsius' };
const w1 = await get_weather(options);
w1.humidity;
// === an enumerated argument from a conditional
const hot = true;
await get_weather({ city: 'Rome', unit: hot ? 'celsius' : 'fahrenheit' });
// === an enumerated argument from data
const rows = [{ city: 'Oslo', unit: 'celsius' }, { city: 'Lima', unit: 'fahrenheit' }];
const temps = await Promise.all(rows.map((row) => get_weather(row)));
temps.map((t) => t.temperature);
// === an enumerated argument from Object.entries
const wanted = { USD: 10, GBP: 20 };
let sum = 0;
for (const [from, amount] of Object.entries(wanted)) {
  sum += (await convert({ amount, from, to: 'EUR' })).amount;
}
sum;
// === parallel calls
const cities = ['Oslo', 'Rome', 'Lima'];
const all = await Promise.all(cities.map((city) => get_weather({ city })));
const hottest = all.reduce((a, b) => (a.temperature > b.temperature ? a : b));
hottest.city;
// === parallel calls with async callbacks
const users = await list_users({ active: true });
const reports = await Promise.all(
  users.map(async (user) => {
    const orders = await list_orders({ limit: 2 });
    return { name: user.name, orders: orders.orders.length };
  }),
);
reports;
// === parallel calls of different kinds
const [me, quote, today] = await Promise.all([get_user({ id: 1 }), get_quote({ symbol: 'X' }), list_events({ from: 'a', to: 'b' })]);
({ name: me.name, price: quote.price, events: today.length });
// === allSettled
const settled = await Promise.allSettled(['A', 'B'].map((symbol) => get_quote({ symbol })));
settled.filter((r) => r.status === 'fulfilled').map((r) => r.value.price);
// === allSettled with reasons
const outcomes = await Promise.allSettled([get_user({ id: 1 }), get_user({ id: 2 })]);
for (const outcome of outcomes) {
  if (outcome.status === 'rejected') console.log(outcome.reason.message);
  else console.log(outcome.value.email);
}
// === race and any
const first = await Promise.race([get_quote({ symbol: 'A' }), get_quote({ symbol: 'B' })]);
const anyOne = await Promise.any([get_quote({ symbol: 'A' })]);
[first.price, anyOne.price];
// === then instead of await
get_user({ id: 2 }).then((user) => user.email).then((email) => console.log(email)).catch((e) => console.log(e.message));
// === a promise that is awaited later
const pending = get_weather({ city: 'Oslo' });
console.log('waiting');
const later = await pending;
later.conditions;
// === a function that calls a tool
async function totalOf(id) {
  const order = await get_order({ id });
  return order.total;
}
(await totalOf('A-100')) + (await totalOf('A-101'));
// === an arrow function that calls a tool
const emailOf = async (id) => (await get_user({ id })).email;
await emailOf(3);
// === a function with defaults that calls a tool
async function history(symbol, days = 7) {
  return await get_history({ symbol, days });
}
(await history('ACME')).length;
// === arguments from pairs of values of different types
const pairs = [['ACME', 3], ['ACME', 7]];
const series = await Promise.all(pairs.map(([symbol, days]) => get_history({ symbol, days })));
series.length;
// === a function that passes its arguments on
const logged = async (...args) => {
  console.log(args);
  return get_history(...args);
};
(await logged({ symbol: 'ACME', days: 3 })).length;
// === spread of an object of arguments
const base = { repo: 'a/b', labels: ['bug'] };
const open = await list_issues({ ...base, state: 'open' });
open.map((i) => i.number);
// === spread with a condition
const site = undefined;
const hits2 = await search({ query: 'x', ...(site && { site }) });
hits2.length;
// === spread with a conditional object
const cursor = null;
const page = await list_orders({ limit: 3, ...(cursor ? { cursor } : {}) });
page.orders.length;
// === an object of arguments that is filled
const args = {};
args.query = 'coffee';
args.limit = 2;
const res = await search(args);
res[0].title;
// === an object of arguments that is filled under a condition
const filter = { repo: 'a/b' };
if (settings.features.beta) filter.state = 'open';
filter.page = 1;
(await list_issues(filter)).length;
// === arguments from JSON
const input = JSON.parse('{"query":"tea","limit":2}');
(await search(input)).length;
// === arguments from Object.fromEntries
const parameters = Object.fromEntries([['query', 'tea'], ['limit', 1]]);
(await search(parameters)).map((r) => r.title);
// === a null for an optional argument
(await search({ query: 'x', site: null })).length;
// === undefined for an optional argument
let team;
(await list_users({ team, active: undefined })).length;
// === no argument
const tasks = await list_tasks();
tasks.filter((t) => !t.done).map((t) => t.title);
// === an empty object
const folders = await list_files({});
folders.join(', ');
// === optional object left out
const names = await list_users();
names.map((n) => n.name);
// === a function of a namespace
[math.add(1, 2), math.stats.mean([1, 2, 3])];
// === an alias of a tool
const find = search;
const r3 = await find({ query: 'alias' });
r3[0].score;
// === tools in a table
const table = { weather: get_weather, quote: get_quote };
const w3 = await table.weather({ city: 'Oslo' });
const q3 = await table['quote']({ symbol: 'A' });
[w3.city, q3.symbol];
// === tools in a list with arguments
const jobs = [() => get_user({ id: 1 }), () => get_user({ id: 2 })];
const done = [];
for (const job of jobs) done.push(await job());
done.map((d) => d.name);
// === a tuple of coordinates
const from = await geocode({ address: 'Berlin' });
const to = await geocode({ address: 'Potsdam' });
const trip = await route({ from: [from.lat, from.lon], to: [to.lat, to.lon], mode: 'bike' });
`${trip.distance} km, ${Math.round(trip.duration / 60)} min`;
// === a list as a tuple
const start = [52.5, 13.4];
const end = [52.4, 13.06];
(await route({ from: start, to: end })).steps.length;
// === coordinates from a function
const point = (p) => [p.lat, p.lon];
const a1 = await geocode({ address: 'A' });
const b1 = await geocode({ address: 'B' });
(await route({ from: point(a1), to: point(b1) })).duration;
// === alternatives of an input
await pay({ kind: 'card', number: '4242', amount: 10 });
await pay({ kind: 'transfer', iban: 'DE00', amount: 10 });
// === alternatives of an input from a variable
const method = { kind: 'card', number: '4242', amount: 25 };
const paid = await pay(method);
if (paid.error) console.log('failed', paid.error);
else console.log(paid.receipt);
// === alternatives of an output
const payment = await pay({ kind: 'card', number: '1', amount: 1 });
'error' in payment ? payment.error : payment.receipt;
// === alternatives of an output with a default
const outcome2 = await pay({ kind: 'card', number: '1', amount: 1 });
const message = outcome2.error ?? outcome2.receipt;
message;
// === a tool without an output schema
const html = await fetch_page({ url: 'https://example.com' });
html.links.slice(0, 2).map((l) => l.replace('https://', ''));
// === an open object as filters
const report = await run_report({ name: 'sales', filters: { region: 'north', year: '2025' } });
report.rows.map((row) => Object.fromEntries(row.map((v, i) => [report.columns[i], v])));
// === a computed filter
const key = 'region';
(await run_report({ name: 'sales', filters: { [key]: 'south' } })).columns;
// === rows of a query
const { rows: records } = await query({ sql: 'select region, sum(amount) amount from sales group by 1' });
records.sort((a, b) => b.amount - a.amount)[0].region;
// === a query with parameters
const data = await query({ sql: 'select * from t where a = $1 and b > $2', parameters: ['x', 3] });
data.rowCount;
// === a date for a string
const meeting = await create_event({ title: 'Retro', start: new Date().toISOString(), end: new Date(Date.now() + 36e5).toISOString() });
meeting.id;
// === a Date itself, which JSON writes as a string
const planned = await create_event({ title: 'Retro', start: new Date(), end: new Date() });
planned.title;
// === a URL for a string
const target = new URL('/a?b=1', 'https://example.com');
await fetch_page({ url: target.href });
// === a numeric enumeration
await add_task({ title: 'a', priority: 1, tags: ['x'] });
const level = 2;
await add_task({ title: 'b', priority: level });
// === a numeric enumeration that is computed
for (let p = 1; p <= 3; p++) await add_task({ title: `task ${p}`, priority: p });
// === nested quotes and templates
await send_email({ to: ['a@example.com'], subject: `Report "${settings.currency}"`, body: 'It\'s here' });
// === a long body
const lines = ['Hello,', '', 'the report is attached.', ''];
const mail = await send_email({ to: ['a@example.com'], subject: 'Report', body: lines.join('\n'), priority: 'high' });
mail.accepted.includes('a@example.com');
// === write and read
const written = await write_file({ path: 'out.txt', content: JSON.stringify({ a: 1 }, null, 2) });
written.bytes > 0;
// === variables of the host
const expensive = products.filter((p) => p.price > settings.threshold);
expensive.map((p) => p.name.toUpperCase());
// === an optional member of a variable
products.map((p) => p.price * (1 - (p.discount ?? 0)));
// === a variable that is a date
report_date.getFullYear() + '-' + String(report_date.getMonth() + 1).padStart(2, '0');
// === a variable that is null
const owner = settings.owner ? settings.owner.name : 'nobody';
owner;
// === copies of variables
const sorted = [...products].sort((a, b) => a.price - b.price);
const copy = structuredClone(settings);
copy.currency = 'USD';
[sorted[0].name, copy.currency];
// === globals of guests
const url = new URL('https://example.com/a?x=1');
const bytes = new TextEncoder().encode('äöü');
[url.searchParams.get('x'), bytes.length, new TextDecoder().decode(bytes), btoa('hi'), atob('aGk='), structuredClone({ a: [1] }).a];
// === modules
const { toMiles, format } = await import('units');
const store = await import('store');
[format(toMiles(10)), store.version, (await store.find('a')).id, store.regions.length];
// === the default export of a module
const units = await import('units');
const length = new units.default(5);
length.miles > 3;

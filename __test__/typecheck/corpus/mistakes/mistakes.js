// === a misspelt argument
await search({ querry: 'tin' }); //!
// === a misspelt optional argument
await search({ query: 'tin', limits: 5 }); //!
// === an argument of another convention
await refund({ orderId: 'A-100', amount: 5 }); //!
// === an argument that the tool does not have
await get_weather({ city: 'Oslo', language: 'en' }); //!
// === positional arguments
await search('tin'); //!
// === positional arguments for several
await refund('A-100', 5); //!
// === a further positional argument
await search({ query: 'a' }, { limit: 5 }); //!
// === a missing argument
await get_forecast({ city: 'Oslo' }); //!
// === a missing object
await get_user(); //!
// === an empty object
await get_order({}); //!
// === a number as text
await get_user({ id: '1' }); //!
// === text as a number
await get_order({ id: 100 }); //!
// === text for a list
await send_email({ to: 'a@example.com', subject: 's', body: 'b' }); //!
// === a list for text
await get_weather({ city: ['Oslo', 'Rome'] }); //!
// === an object for text
const user = await get_user({ id: 1 });
await post_message({ channel: '#a', text: user }); //!
// === a boolean as text
await list_users({ active: 'true' }); //!
// === an unknown enumerated value
await update_order({ id: 'A-100', status: 'done' }); //!
// === another case of an enumerated value
await get_weather({ city: 'Oslo', unit: 'Celsius' }); //!
// === an enumerated value in a constant
const status = 'canceled';
await list_orders({ status }); //!
// === an enumerated number
await add_task({ title: 'x', priority: 5 }); //!
// === an enumerated number as text
await add_task({ title: 'x', priority: 'high' }); //!
// === a wrong value within a list
await send_email({ to: ['a@example.com', 5], subject: 's', body: 'b' }); //!
// === a list of objects for a list of text
const users = await list_users();
await send_email({ to: users, subject: 's', body: 'b' }); //!
// === a member of the wrong type from a result
const order = await get_order({ id: 'A-100' });
await refund({ order_id: order.id, amount: order.items }); //!
// === a number from a result where text is needed
const owner = await get_user({ id: 1 });
await get_order({ id: owner.id }); //!
// === a misspelt argument in a callback
const cities = ['Oslo', 'Rome'];
await Promise.all(cities.map((c) => get_weather({ town: c }))); //!
// === a misspelt argument in a function
async function load(id) {
  return await get_order({ orderId: id }); //!
}
await load('A-100');
// === a misspelt argument in a spread
const options = { city: 'Oslo', unit: 'celsius' };
await get_forecast({ ...options, day: 3 }); //!
// === a missing argument in a variable
const mail = { to: ['a@example.com'], text: 'hi' };
await send_email(mail); //!
// === a forgotten await before a member
const page = list_orders({});
console.log(page.orders.length); //!
// === a forgotten await before a method
const hits = search({ query: 'x' });
hits.map((h) => h.url); //!
// === a forgotten await before destructuring
const { temperature } = get_weather({ city: 'Oslo' }); //!
// === a forgotten await before a list pattern
const [best] = search({ query: 'x' }); //!
// === a forgotten await in a loop
for (const issue of list_issues({ repo: 'a/b' })) console.log(issue.title); //!
// === a forgotten await in a chain
search({ query: 'x' }).filter((h) => h.score > 0.5); //!
// === a forgotten await in a spread
const all = [...list_users()]; //!
// === a forgotten await in arithmetic
const a = get_quote({ symbol: 'A' });
console.log(a.price * 2); //!
// === a forgotten await of a sum
async function price(symbol) {
  return (await get_quote({ symbol })).price;
}
const total = price('A') + price('B'); //!
// === a forgotten await of an argument
async function name() {
  return (await get_user({ id: 1 })).name;
}
await search({ query: name() }); //!
// === a promise as text
await write_file({ path: 'a', content: read_file({ path: 'b' }) }); //!
// === a forgotten await of map
const temps = ['Oslo', 'Rome'].map(async (city) => get_weather({ city }));
console.log(temps[0].temperature); //!
// === Promise.all without await
const quotes = Promise.all([get_quote({ symbol: 'A' })]);
console.log(quotes[0].price, quotes.length); //!
// === Promise.all of one promise
const everyone = await Promise.all(list_users()); //!
// === a misspelt member
const weather = await get_weather({ city: 'Oslo' });
console.log(weather.temprature); //!
// === a member of another convention
const o = await get_order({ id: 'A-100' });
console.log(o.created_at); //!
// === a member that is deeper
const o2 = await get_order({ id: 'A-100' });
console.log(o2.customerName); //!
// === a member of an item
const found = await search({ query: 'x' });
console.log(found[0].link); //!
// === a member of a list
const list = await list_issues({ repo: 'a/b' });
console.log(list.items); //!
// === a list where there is an object
const orders = await list_orders({});
for (const order of orders) console.log(order.id); //!
// === a method of a list on an object
const result = await list_orders({ status: 'paid' });
console.log(result.map((order) => order.total)); //!
// === a nested member
const w = await get_weather({ city: 'Oslo' });
console.log(w.wind.speed_kmh); //!
// === a nested member of a value without members
const w2 = await get_weather({ city: 'Oslo' });
console.log(w2.humidity.percent); //!
// === a member in a callback
const titles = (await list_issues({ repo: 'a/b' })).map((issue) => issue.name); //!
// === a member in a filter
const open = (await list_issues({ repo: 'a/b' })).filter((issue) => issue.status === 'open'); //!
// === a member in a sort
const sorted = (await list_users()).sort((x, y) => x.fullName.localeCompare(y.fullName)); //!
// === a member in a reduce
const sum = (await list_orders({})).orders.reduce((acc, order) => acc + order.amount, 0); //!
// === a member in a pattern
const { title, link } = (await search({ query: 'x' }))[0]; //!
// === a member in a pattern of a parameter
const lines = (await list_users()).map(({ name, mail }) => `${name} ${mail}`); //!
// === a member in a template
const q = await get_quote({ symbol: 'A' });
const text = `${q.symbol}: ${q.value}`; //!
// === a member of a variable
const names = products.map((p) => p.title); //!
// === a member of a nested variable
console.log(settings.features.region); //!
// === a member of a tool's namespace
math.subtract(3, 1); //!
// === a misspelt namespace
maths.add(1, 2); //!
// === a member of a nested namespace
math.stats.median([1, 2]); //!
// === a member of an enumeration value
const o3 = await get_order({ id: 'A-100' });
console.log(o3.status.label); //!
// === a member of a date as text
const e = (await list_events({ from: 'a', to: 'b' }))[0];
console.log(e.start.getTime()); //!
// === text of JSON that is not parsed
const file = await read_file({ path: 'config.json' });
console.log(file.items); //!
// === a misspelt tool
await serch({ query: 'x' }); //!
// === a tool of another convention
await getWeather({ city: 'Oslo' }); //!
// === a tool that does not exist
await delete_order({ id: 'A-100' }); //!
// === a tool with a prefix
await tools.search({ query: 'x' }); //!
// === a variable that does not exist
console.log(customers.length); //!
// === a misspelt variable
const threshold = setings.threshold; //!
// === a variable of another scope
for (const city of ['Oslo']) {
  const w = await get_weather({ city });
}
console.log(w.temperature); //!
// === a variable that is used before its declaration
console.log(later); //!
const later = 5;
// === a variable that is named like a tool
const search = await search({ query: 'x' }); //!
// === a misspelt own function
function formatPrice(n) {
  return n.toFixed(2);
}
console.log(fromatPrice(5)); //!
// === no network
const response = await fetch('https://example.com'); //!
// === no timers
await new Promise((resolve) => setTimeout(resolve, 1000)); //!
// === no modules of Node.js
const fs = require('fs'); //!
// === no process
console.log(process.env.API_KEY); //!
// === no Buffer
const encoded = Buffer.from('a').toString('base64'); //!
// === no document
document.querySelector('a'); //!
// === no alert
alert('done'); //!
// === a method of another language
const upper = 'abc'.upper(); //!
// === contains
if ('abc'.contains('b')) console.log('yes'); //!
// === a misspelt method
const joined = ['a', 'b'].jion(','); //!
// === a misspelt property of a list
for (let i = 0; i < products.lenght; i++) console.log(i); //!
// === length as a method
console.log(products.length()); //!
// === a property of Python
console.log(products.append({ id: 4 })); //!
// === size of a list
console.log(products.map((p) => p.id).size()); //!
// === a method of lists on text
const words = 'a b c'.map((w) => w.length); //!
// === a method of text on numbers
const price2 = products[0].price.padStart(5); //!
// === a method of text on a number that a tool returns
const h = (await get_weather({ city: 'Oslo' })).temperature.trim(); //!
// === a method of dates on text
const when = (await list_tasks())[0].due.getDay(); //!
// === a call of a value
const count = products.length;
count(); //!
// === a call of a result
const wx = await get_weather({ city: 'Oslo' });
wx.city(); //!
// === an iteration over an object
for (const [key, value] of settings) console.log(key, value); //!
// === an iteration over a number
for (const i of 5) console.log(i); //!
// === a spread of an object into a list
const values = [...settings.features]; //!
// === an assignment to a constant
const limit = 5;
limit = 6; //!
// === a sum of a bigint and a number
const big = 10n * 2; //!
// === a class without new
class Cart {}
const cart = Cart(); //!
// === new of a function of the host
const order4 = new get_order({ id: 'A-100' }); //!
// === a misspelt method of an own class
class Stack {
  push(x) {}
}
new Stack().pusj(1); //!
// === a module's export
const { toMile } = await import('units'); //!
// === a method of Math
Math.average(1, 2); //!
// === a static method of Object
Object.filter(settings, () => true); //!
// === a method of JSON
JSON.decode('{}'); //!
// === a method of Array
Array.range(0, 5); //!
// === a wrong coordinate
await route({ from: { lat: 1, lon: 2 }, to: [1, 2] }); //!
// === an alternative that lacks a member
await pay({ kind: 'card', amount: 10 }); //!
// === an unknown alternative
await pay({ kind: 'cash', amount: 10 }); //!
// === a wrong argument within a long program
const everybody = await list_users({ active: true });
const summaries = [];
for (const person of everybody) {
  const { orders: own } = await list_orders({ limit: 5 });
  const sum2 = own.reduce((total, order) => total + order.total, 0);
  summaries.push({ name: person.name, sum2 });
}
await send_email({ to: everybody.map((p) => p.email), title: 'Summary', body: JSON.stringify(summaries) }); //!
// === a product of a promise, on the right
const quote = await get_quote({ symbol: 'ACME' });
console.log(quote.price * convert({ amount: 1, from: 'USD', to: 'EUR' })); //!
// === a promise of an own function, on the left
const rateOf = async (to) => (await convert({ amount: 1, from: 'USD', to })).rate;
rateOf('EUR') * 100; //!

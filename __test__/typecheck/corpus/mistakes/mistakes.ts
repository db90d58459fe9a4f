// === a misspelt argument
const city: string = 'Oslo';
await get_weather({ cty: city }); //!
// === a missing argument
interface Mail { to: string[]; subject: string }
const mail: Mail = { to: ['a'], subject: 's' };
await send_email(mail); //!
// === a wrong type of an argument
const id: string = '5';
await get_user({ id }); //!
// === a wrong type of a list
const ids: number[] = [1, 2];
await send_email({ to: ids, subject: 's', body: 'b' }); //!
// === a forgotten await
const orders = list_orders({});
const first = orders.orders[0]; //!
// === a forgotten await for a typed variable
interface User { id: number; name: string }
const user: User = get_user({ id: 1 }); //!
// === a forgotten await for a typed number
async function total(): Promise<number> {
  return 5;
}
const sum: number = total(); //!
// === a misspelt member
const quote = await get_quote({ symbol: 'A' });
console.log(quote.prize); //!
// === a member of an own type
interface Row { region: string; amount: number }
const rows = (await query({ sql: 's' })).rows as Row[];
console.log(rows[0].total); //!
// === a type as a value
interface Config { a: number }
console.log(Config); //!
// === a misspelt enum member
enum Level { Low, High }
console.log(Level.Medium); //!
// === a missing method of a class
class Job {
  constructor(readonly title: string) {}
}
new Job('a').run(); //!
// === a missing tool in a typed function
async function load(id: number): Promise<string> {
  return (await fetch_user({ id })).name; //!
}
await load(1);
// === a nonexistent global
const timer: number = setInterval(() => {}, 5); //!
// === an enumerated value
const unit: 'kelvin' = 'kelvin';
await get_weather({ city: 'Oslo', unit }); //!
// === a wrong method of an array
const names: string[] = ['a'];
names.add('b'); //!
// === a result of void
const report: string[] = await run_report({ name: 'r', filter: { a: 'b' } }); //!
// === a sum of promises
const price = async (symbol: string): Promise<number> => (await get_quote({ symbol })).price;
const both = (await price('A')) + price('B'); //!
// === an object for a number
await refund({ order_id: 'A', amount: { value: 5, currency: 'EUR' } }); //!
// === a tuple that is too long
const point: [number, number, number] = [1, 2, 3];
await route({ from: point, to: [1, 2] }); //!

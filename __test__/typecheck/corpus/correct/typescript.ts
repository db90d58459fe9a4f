// === annotated variables
const city: string = 'Oslo';
const days: number = 3;
const forecast = await get_forecast({ city, days });
forecast.days.map((day) => day.high);
// === an interface for results
interface Weather {
  city: string;
  temperature: number;
}
const weather: Weather = await get_weather({ city: 'Oslo' });
weather.temperature;
// === an interface with optional members
interface User {
  id: number;
  name: string;
  email: string;
  phone?: string;
}
const users: User[] = await list_users();
users.map((user) => user.phone ?? user.email);
// === a type alias
type Order = { id: string; total: number };
const orders: Order[] = (await list_orders({})).orders.map(({ id, total }) => ({ id, total }));
orders.length;
// === typed functions
function totalOf(orders: { total: number }[]): number {
  return orders.reduce((sum: number, order) => sum + order.total, 0);
}
totalOf((await list_orders({ limit: 3 })).orders);
// === typed async functions
async function emails(team: string): Promise<string[]> {
  const found = await list_users({ team });
  return found.map((user) => user.email);
}
(await emails('core')).join(', ');
// === generics
function groupBy<T, K extends string | number>(items: T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
const byTeam = groupBy(await list_users(), (user) => user.team);
byTeam.get('core')!.map((user) => user.name);
// === Record
const counts: Record<string, number> = {};
for (const issue of await list_issues({ repo: 'a/b' })) counts[issue.author] = (counts[issue.author] ?? 0) + 1;
Object.entries(counts);
// === a record of lists
const groups: Record<string, string[]> = {};
for (const user of await list_users()) (groups[user.team] ??= []).push(user.name);
groups.core.length;
// === a union of literals
type Status = 'open' | 'paid';
const status: Status = 'open';
(await list_orders({ status })).total;
// === as const
const units = ['celsius', 'fahrenheit'] as const;
for (const unit of units) console.log((await get_weather({ city: 'Oslo', unit })).temperature);
// === as any
const raw = (await get_weather({ city: 'Oslo' })) as any;
raw.anything;
// === as another type
interface Row {
  region: string;
  amount: number;
}
const rows = (await query({ sql: 'select 1' })).rows as Row[];
rows.map((row) => row.region.toUpperCase());
// === as unknown as
const page = (await fetch_page({ url: 'https://example.com' })) as unknown as { title: string };
page.title.length;
// === an annotation of any
const result: any = await get_quote({ symbol: 'A' });
result.missing;
// === catch with any
try {
  await get_user({ id: 1 });
} catch (error: any) {
  console.log(error.message, error.code);
}
// === catch with unknown
try {
  await get_user({ id: 1 });
} catch (error: unknown) {
  if (error instanceof Error) console.log(error.message);
}
// === enums
enum Level {
  Low = 1,
  High = 3,
}
await add_task({ title: 'x', priority: Level.High });
Level[Level.Low];
// === enums of strings
enum Unit {
  C = 'celsius',
  F = 'fahrenheit',
}
(await get_weather({ city: 'Rome', unit: Unit.C })).humidity;
// === classes with parameter properties
class Job {
  private done = false;
  constructor(
    readonly title: string,
    public priority: number = 1,
  ) {}
  finish(): this {
    this.done = true;
    return this;
  }
  get isDone(): boolean {
    return this.done;
  }
}
new Job('a').finish().isDone;
// === abstract classes and interfaces
interface Source {
  load(): Promise<string[]>;
}
abstract class Base implements Source {
  abstract load(): Promise<string[]>;
  async count(): Promise<number> {
    return (await this.load()).length;
  }
}
class Files extends Base {
  async load() {
    return list_files({});
  }
}
await new Files().count();
// === fields without initializers
class Session {
  user: string;
  count = 0;
  start(user: string) {
    this.user = user;
    this.count++;
  }
}
const session = new Session();
session.start('Ada');
session.user.length;
// === optional parameters
function label(name: string, suffix?: string): string {
  return suffix ? `${name} ${suffix}` : name;
}
label('a') + label('b', 'c');
// === overloads
function size(value: string): number;
function size(value: unknown[]): number;
function size(value: string | unknown[]): number {
  return value.length;
}
size('abc') + size([1]);
// === type guards
function isText(value: unknown): value is string {
  return typeof value === 'string';
}
const mixed: unknown[] = ['a', 1];
mixed.filter(isText).map((text) => text.toUpperCase());
// === narrowing
function show(value: string | number | null): string {
  if (value === null) return 'none';
  if (typeof value === 'number') return value.toFixed(1);
  return value.trim();
}
[show('a'), show(1), show(null)];
// === discriminated unions
type Shape = { kind: 'circle'; radius: number } | { kind: 'square'; side: number };
const area = (shape: Shape): number => (shape.kind === 'circle' ? Math.PI * shape.radius ** 2 : shape.side ** 2);
area({ kind: 'circle', radius: 1 }) + area({ kind: 'square', side: 2 });
// === alternatives of an output
const payment = await pay({ kind: 'card', number: '1', amount: 5 });
if ('error' in payment) throw new Error(payment.error);
payment.receipt;
// === utility types
type Partially = Partial<User2> & Pick<User2, 'id'>;
interface User2 {
  id: number;
  name: string;
}
const patch: Partially = { id: 1 };
const fields: Array<keyof User2> = ['id', 'name'];
const frozen: Readonly<User2> = { id: 1, name: 'a' };
[patch.name, fields.length, frozen.id];
// === ReturnType of a function
const load = async () => ({ a: 1 });
type Loaded = Awaited<ReturnType<typeof load>>;
const loaded: Loaded = await load();
loaded.a;
// === typeof a tool
type Found = Awaited<ReturnType<typeof search>>;
const hits: Found = await search({ query: 'x' });
hits[0].title;
// === parameters of a tool
const input: Parameters<typeof search>[0] = { query: 'x' };
input.limit = 2;
(await search(input)).length;
// === satisfies
const table = { a: 1, b: 2 } satisfies Record<string, number>;
table.a;
// === mapped and conditional types
type Flags<T> = { [K in keyof T]: boolean };
type Item<T> = T extends (infer U)[] ? U : never;
const flags: Flags<{ a: number }> = { a: true };
const item: Item<number[]> = 3;
[flags.a, item];
// === non-null assertions
const order = (await list_orders({})).orders.find((o) => o.status === 'open')!;
order.note!.length;
// === values that may be absent
const note: string | undefined = (await get_order({ id: 'A-101' })).note;
await post_message({ channel: '#a', text: note });
// === match groups
const m = /(\d+)-(\d+)/.exec('10-20')!;
const [, from, to]: string[] = m;
Number(to) - Number(from);
// === a typed Map
const ages = new Map<string, number>([['Ada', 36]]);
ages.set('Grace', 45);
[...ages].sort(([, a], [, b]) => b - a)[0][0];
// === a typed Set and arrays
const ids: Set<number> = new Set();
ids.add(1);
const list: ReadonlyArray<number> = [...ids];
list.map((id) => id + 1);
// === tuples
const pair: [string, number] = ['a', 1];
const points: [number, number][] = [[1, 2], [3, 4]];
await route({ from: points[0], to: points[1] });
pair[0].repeat(pair[1]);
// === numbers as a tuple
const numbers: number[] = [1, 2];
(await route({ from: numbers, to: [3, 4] })).distance;
// === type-only names that do not exist at run time
interface Context {
  logger?: Console2;
}
type Console2 = { log(text: string): void };
const context: Context = {};
context.logger?.log('x');
// === names of types that are not known
let timer: NodeJS.Timeout | undefined;
const buffer: Buffer | null = null;
const response: Response = undefined;
[timer, buffer, response];
// === namespaces
namespace Convert {
  export const toCelsius = (f: number) => (f - 32) / 1.8;
}
Convert.toCelsius(212);
// === index signatures
interface Dictionary {
  [key: string]: number;
}
const dictionary: Dictionary = { a: 1 };
dictionary.b = 2;
Object.keys(dictionary).length;
// === functions in types
type Handler = (event: { id: string; title: string }) => void | Promise<void>;
const handlers: Handler[] = [(event) => console.log(event.title), async (event) => console.log(event.id)];
for (const event of await list_events({ from: 'a', to: 'b' })) for (const handle of handlers) await handle(event);
// === a promise in a variable
const pending: Promise<{ price: number }> = get_quote({ symbol: 'A' });
(await pending).price;
// === declared globals
declare const injected: string | undefined;
typeof injected;
// === a generic class
class Stack<T> {
  private items: T[] = [];
  push(item: T): void {
    this.items.push(item);
  }
  pop(): T | undefined {
    return this.items.pop();
  }
}
const stack = new Stack<number>();
stack.push(1);
stack.pop() ?? 0;
// === assertion functions
function assert(condition: unknown, message?: string): asserts condition {
  if (!condition) throw new Error(message);
}
const user = await get_user({ id: 1 });
assert(user.active, 'not active');
user.name;
// === an object that is filled
const summary: { total: number; names: string[]; best?: string } = { total: 0, names: [] };
for (const user of await list_users()) {
  summary.total++;
  summary.names.push(user.name);
}
summary.best = summary.names[0];
summary;
// === members that are added under any
const bag: any = {};
bag.a = { b: 1 };
bag.a.b;
// === members that are added to results
const quote = await get_quote({ symbol: 'A' });
(quote as any).rank = 1;
(quote as any).rank;
// === a cast of JSON
const config = JSON.parse(await read_file({ path: 'config.json' })) as { name: string; items: number[] };
config.items.reduce((a, b) => a + b, 0);
// === unused type parameters and variables
function identity<T, _U = unknown>(value: T): T {
  const unused: number = 1;
  return value;
}
identity<string>('a').length;
// === promises with types
const found: PromiseSettledResult<{ name: string }>[] = await Promise.allSettled([get_user({ id: 1 })]);
found.flatMap((r) => (r.status === 'fulfilled' ? [r.value.name] : []));
// === arguments of a type alias
type Mail = { to: string[]; subject: string; body: string; priority?: 'low' | 'normal' | 'high' };
const mail: Mail = { to: ['a@example.com'], subject: 's', body: 'b', priority: 'low' };
(await send_email(mail)).id;
// === priorities from a table
const priorities: { [team: string]: 1 | 2 | 3 } = { core: 1, web: 2 };
for (const user of await list_users()) await add_task({ title: user.name, priority: priorities[user.team] });
// === numbers where a literal is expected
const level: number = 2;
await add_task({ title: 'x', priority: level });
// === imports of types
type Store = typeof import('store');
const store: Store = await import('store');
store.version;
// === accessors and static members
class Config {
  static readonly defaults = { retries: 3 };
  static #instance: Config;
  static get instance(): Config {
    return (Config.#instance ??= new Config());
  }
  retries = Config.defaults.retries;
}
Config.instance.retries;
// === symbols and iterators
class Range implements Iterable<number> {
  constructor(private readonly to: number) {}
  *[Symbol.iterator](): IterableIterator<number> {
    for (let i = 0; i < this.to; i++) yield i;
  }
}
[...new Range(3)];
// === a debounce-like helper without timers
const once = <A extends unknown[], R>(fn: (...args: A) => R) => {
  let value: R | undefined;
  return (...args: A): R => (value ??= fn(...args));
};
const loadOnce = once((id: number) => get_user({ id }));
(await loadOnce(1)).name;
// === an exhaustive switch
type Kind = 'a' | 'b';
const describe = (kind: Kind): string => {
  switch (kind) {
    case 'a':
      return 'first';
    case 'b':
      return 'second';
    default: {
      const never: never = kind;
      throw new Error(never);
    }
  }
};
describe('a');
// === using
{
  using resource = { [Symbol.dispose]() {}, value: 1 };
  console.log(resource.value);
}

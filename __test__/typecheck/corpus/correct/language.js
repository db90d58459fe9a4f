// === try and catch
let text;
try {
  text = await read_file({ path: 'missing.txt' });
} catch (error) {
  text = `failed: ${error.message} ${error.code ?? ''} ${error.status}`;
}
text.length;
// === errors by their class
try {
  JSON.parse('{');
} catch (e) {
  if (e instanceof SyntaxError) console.log(e.name, e.message);
  else if (e instanceof Error && e.code === 'ENOENT') console.log(e.path);
  else throw e;
}
// === errors with members
function fail(reason) {
  const error = new Error(reason);
  error.code = 'E_FAIL';
  error.details = { at: 1 };
  return error;
}
try {
  throw fail('x');
} catch (e) {
  console.log(e.code, e.details.at);
}
// === own classes of errors
class ToolError extends Error {
  constructor(message, tool) {
    super(message, { cause: 'x' });
    this.name = 'ToolError';
    this.tool = tool;
  }
}
const err = new ToolError('bad', 'search');
[err.tool, err.message, err instanceof Error];
// === finally
let steps = [];
try {
  steps.push(await get_quote({ symbol: 'A' }));
} finally {
  steps.push('done');
}
steps.length;
// === retries
async function retry(work, times = 3) {
  let last;
  for (let i = 0; i < times; i++) {
    try {
      return await work(i);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
const quote = await retry(() => get_quote({ symbol: 'A' }));
quote.price;
// === a class
class Cart {
  #items = [];
  static count = 0;
  constructor(owner) {
    this.owner = owner;
    Cart.count++;
  }
  add(product, quantity = 1) {
    this.#items.push({ product, quantity });
    return this;
  }
  get total() {
    return this.#items.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
  }
  toString() {
    return `${this.owner}: ${this.total}`;
  }
}
const cart = new Cart('Ada').add(products[0]).add(products[1], 2);
[String(cart), Cart.count];
// === inheritance
class Shape {
  area() {
    return 0;
  }
  describe() {
    return `${this.constructor.name} ${this.area()}`;
  }
}
class Square extends Shape {
  constructor(side) {
    super();
    this.side = side;
  }
  area() {
    return this.side ** 2;
  }
}
[new Square(3), new Shape()].map((s) => s.describe());
// === members that methods add
class Counter {
  increment() {
    this.value = (this.value || 0) + 1;
    return this.value;
  }
}
const counter = new Counter();
counter.increment();
counter.increment() + counter.value;
// === a function as a class
function Point(x, y) {
  this.x = x;
  this.y = y;
}
Point.prototype.norm = function () {
  return Math.hypot(this.x, this.y);
};
new Point(3, 4).norm();
// === members of functions
function cached(n) {
  cached.calls = (cached.calls || 0) + 1;
  return n;
}
cached(1);
cached.calls;
// === a memo
const memo = {};
const fib = (n) => (n < 2 ? n : (memo[n] ??= fib(n - 1) + fib(n - 2)));
fib(30);
// === a closure
const makeCounter = () => {
  let n = 0;
  return { next: () => ++n, reset() { n = 0; } };
};
const c = makeCounter();
c.next();
c.reset();
c.next();
// === functions that are declared later
main();
function main() {
  return helper(2);
}
function helper(x) {
  return x * factor();
}
function factor() {
  return 3;
}
// === arguments that are left out
function pad(text, width, fill) {
  fill = fill || ' ';
  return text + fill.repeat(Math.max(0, width - text.length));
}
pad('a', 3) + pad('b', 2, '-');
// === further arguments
function sum() {
  return Array.from(arguments).reduce((a, b) => a + b, 0);
}
sum(1, 2, 3);
// === arguments that are not used
const first = (x) => x;
first(1, 2, 3);
// === rest parameters
const max = (...values) => Math.max(...values);
max(1, 2, ...[3, 4]);
// === default values of patterns
const draw = ({ size = 1, color = 'red' } = {}) => `${size} ${color}`;
[draw(), draw({ size: 2 }), draw({ color: 'blue', extra: true })];
// === generators
function* range(from, to, step = 1) {
  for (let i = from; i < to; i += step) yield i;
}
[...range(0, 10, 3)].concat(Array.from(range(1, 3)));
// === an iterable object
const iterable = {
  *[Symbol.iterator]() {
    yield 1;
    yield 2;
  },
};
[...iterable];
// === getters and setters
const temperature = {
  celsius: 20,
  get fahrenheit() {
    return this.celsius * 1.8 + 32;
  },
  set fahrenheit(f) {
    this.celsius = (f - 32) / 1.8;
  },
};
temperature.fahrenheit = 212;
temperature.celsius;
// === defineProperty
const box = {};
Object.defineProperty(box, 'size', { value: 3 });
box.size;
// === members of an object that are added later
const state = { count: 0 };
state.name = 'x';
state['list'] = [];
state.list.push(1);
state.name.length + state.list.length;
// === symbols
const key = Symbol('key');
const holder = { [key]: 1 };
holder[key];
// === labels
outer: for (let i = 0; i < 3; i++) {
  for (let j = 0; j < 3; j++) {
    if (j === 2) continue outer;
    if (i === 2) break outer;
  }
}
// === a top-level return
const hits = await search({ query: 'x' });
if (hits.length > 0) return hits[0].title;
return 'nothing';
// === a tested global
if (typeof fetch === 'function') await fetch('https://example.com');
else console.log('no network');
// === a tested global of Node.js
const isNode = typeof process !== 'undefined' && process.versions != null && process.versions.node != null;
isNode;
// === a tested member of the global object
globalThis.setTimeout ? globalThis.setTimeout(() => {}, 0) : null;
// === an own global
globalThis.cache = new Map();
cache.set('a', 1);
cache.get('a');
// === var in a block
if (settings.features.beta) {
  var mode = 'beta';
}
mode;
// === the same name in blocks
for (const x of [1]) {
  const value = x;
  console.log(value);
}
for (const x of ['a']) {
  const value = x.toUpperCase();
  console.log(value);
}
// === swap
let a = 1, b = 'x';
[a, b] = [b, a];
a + b;
// === assignment of a pattern to members
const target = {};
[target.first, target.second] = [1, 2];
({ x: target.third } = { x: 3 });
target.first + target.second + target.third;
// === comma and void
let i = 0;
const r = (i++, i);
void r;
// === bigint
const big = 2n ** 64n;
big > 10 && big * 2n === BigInt('36893488147419103232');
// === typed arrays
const samples = new Float64Array([1, 2, 3]);
samples.map((x) => x * 2).reduce((x, y) => x + y);
// === proxies and Reflect
const logged = new Proxy({ a: 1 }, { get: (t, k) => Reflect.get(t, k) ?? `no ${String(k)}` });
logged.missing;
// === WeakMap
const weak = new WeakMap();
const owner = {};
weak.set(owner, 1);
weak.get(owner);
// === tagged templates
const tag = (strings, ...values) => strings.raw.join('|') + values.join();
tag`a${1}b${2}`;
// === async iteration of promises
const values = [];
for await (const value of [Promise.resolve(1), 2]) values.push(value);
values;
// === a queue of work
const queue = [1, 2, 3];
const results = [];
const worker = async () => {
  while (queue.length) {
    const id = queue.shift();
    results.push((await get_user({ id })).name);
  }
};
await Promise.all([worker(), worker()]);
results.sort();
// === batches
const chunk = (list, size) => list.length ? [list.slice(0, size), ...chunk(list.slice(size), size)] : [];
const all = [];
for (const ids of chunk([1, 2, 3, 4], 2)) all.push(...(await Promise.all(ids.map((id) => get_user({ id })))));
all.length;
// === an immediately called function
const answer = await (async () => {
  const user = await get_user({ id: 1 });
  return user.name;
})();
answer;
// === compose
const compose = (...fns) => (x) => fns.reduceRight((v, f) => f(v), x);
compose((x) => x + 1, (x) => x * 2)(5);
// === a deep get
const get = (object, path, fallback) => path.split('.').reduce((o, k) => o?.[k], object) ?? fallback;
get(settings, 'features.regions.0', 'none');
// === a deep merge
function merge(target, source) {
  for (const key of Object.keys(source)) {
    if (source[key] && typeof source[key] === 'object' && !Array.isArray(source[key])) target[key] = merge(target[key] ?? {}, source[key]);
    else target[key] = source[key];
  }
  return target;
}
merge({ a: { b: 1 } }, { a: { c: 2 }, d: [1] }).a;
// === a comparison of a value with several kinds
const id = settings.features.beta ? 5 : '5';
id == 5;
// === JSDoc types
/**
 * @param {{ name: string }} user
 * @param {number} [times]
 * @returns {string}
 */
function greet(user, times = 1) {
  return `hi ${user.name}`.repeat(times);
}
greet(await get_user({ id: 1 }), 2);
// === strings
const s = 'Hello, World';
[s.at(-1), s.padEnd(15, '.'), s.split('').reverse().join(''), s.includes('World'), s.codePointAt(0), s.localeCompare('a'), s.normalize('NFC'), s.substring(1, 3), s.replaceAll('l', 'L'), s.trimStart(), s.charCodeAt(0).toString(16), s.isWellFormed()];
// === console
console.table([{ a: 1 }]);
console.group('x');
console.dir({ a: 1 }, { depth: null });
console.groupEnd();
console.assert(1 === 1, 'no');
console.time('t');
console.timeEnd('t');
// === numbers
[(1234.5).toLocaleString('en'), (0.1 + 0.2).toFixed(2), Number.EPSILON > 0, Math.trunc(2.7), Number.isInteger(5), (255).toString(2), Math.max(...[1, 2]), 1_000_000];
// === dates
const now = new Date();
now.setDate(now.getDate() + 7);
[now.toISOString().split('T')[0], Date.UTC(2025, 0, 1), Date.parse('2025-01-01'), new Date(2025, 0, 31).getDay(), now - Date.now() > 0];
// === nothing is wrong with an unused variable
const unused = 5;
let alsoUnused;
function neverCalled(x) {}
'ok';
// === a class that uses what only its subclasses have
class Step {
  async run() {
    const result = await this.execute();
    return `${this.title}: ${result}`;
  }
}
class Lookup extends Step {
  title = 'lookup';
  async execute() {
    return (await get_quote({ symbol: 'A' })).price;
  }
}
await new Lookup().run();
// === a pattern with a default of its own
const render = ({ title, level = 1, items } = {}) => `${'#'.repeat(level)} ${title ?? ''} ${(items ?? []).length}`;
[render(), render({ title: 'A', items: [1] })];
// === promises in a list of values
const mixedValues = ['a', 'b'];
mixedValues.push(Promise.resolve('c'));
(await Promise.all(mixedValues)).join('');
// === a value that is text or a number
const cells = [1, 'two', 3];
cells.map((cell) => (cell.length ? cell : cell.toString().length));
// === a member of a union that is tested by another one
const things = [{ kind: 'a', size: 1 }, { kind: 'b', weight: 2 }];
things.map((t) => (t.kind === 'a' ? t.size : t.weight));
// === a result that is tested after it was taken
const page = await list_orders({});
const problem = page.error;
if (problem) throw new Error(problem.message);
const { warning } = page;
warning ? console.log(warning.text) : page.total;
// === types in comments that do not exist
/**
 * @param {Buffer} bytes
 * @returns {import('fs').Stats | CustomThing}
 */
function size(bytes) {
  return bytes.length;
}
/** @type {Widget} */
const widget = { name: 'x' };
size([1]) + widget.name;
// === a constructor that returns another object
class Single {
  static #only;
  constructor() {
    if (Single.#only) return Single.#only;
    Single.#only = this;
  }
}
new Single() === new Single();

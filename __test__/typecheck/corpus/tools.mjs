// The tools and variables of the programs in this folder: schemas, and answers that fit them.

const text = { type: 'string' };
const number = { type: 'number' };
const whole = { type: 'integer' };
const yes = { type: 'boolean' };
const list = (items) => ({ type: 'array', items });
const optional = (schema) => ({ ...schema, isOptional: true });

/** An object whose members are required unless they are marked. */
function object(members, others = {}) {
  const required = Object.keys(members).filter((name) => !members[name].isOptional);
  const properties = Object.fromEntries(
    Object.entries(members).map(([name, { isOptional: _, ...schema }]) => [name, schema]),
  );
  return { type: 'object', properties, ...(required.length > 0 && { required }), ...others };
}

const person = object({ id: whole, name: text, email: text, team: text, manager: optional(whole), active: yes });
const item = object({ sku: text, quantity: whole, price: number });
const order = object({
  id: text,
  customer: object({ id: whole, name: text, country: text }),
  status: { enum: ['open', 'paid', 'shipped', 'cancelled'] },
  items: list(item),
  total: number,
  createdAt: text,
  note: optional(text),
});
const issue = object({
  number: whole,
  title: text,
  state: { enum: ['open', 'closed'] },
  labels: list(text),
  author: text,
  comments: whole,
  body: optional(text),
});
const event = object({ id: text, title: text, start: text, end: text, attendees: list(text) });

const people = ['Ada', 'Grace', 'Linus', 'Barbara'].map((name, i) => ({
  id: i + 1,
  name,
  email: `${name.toLowerCase()}@example.com`,
  team: i % 2 === 0 ? 'core' : 'web',
  ...(i > 0 && { manager: 1 }),
  active: i !== 2,
}));
const orders = Array.from({ length: 6 }, (_, i) => ({
  id: `A-${100 + i}`,
  customer: { id: (i % 3) + 1, name: people[i % 3].name, country: ['DE', 'FR', 'US'][i % 3] },
  status: ['open', 'paid', 'shipped', 'cancelled'][i % 4],
  items: [
    { sku: `S${i}`, quantity: i + 1, price: 9.5 + i },
    { sku: 'S9', quantity: 1, price: 20 },
  ],
  total: (9.5 + i) * (i + 1) + 20,
  createdAt: `2025-0${i + 1}-15T10:00:00Z`,
  ...(i % 2 === 0 && { note: 'gift' }),
}));
const issues = Array.from({ length: 5 }, (_, i) => ({
  number: i + 1,
  title: `Issue ${i + 1}`,
  state: i % 2 === 0 ? 'open' : 'closed',
  labels: i % 2 === 0 ? ['bug'] : ['docs', 'good first issue'],
  author: people[i % 4].name,
  comments: i * 2,
  ...(i > 1 && { body: 'It fails.\n- [ ] reproduce' }),
}));
const events = [
  { id: 'e1', title: 'Stand-up', start: '2025-06-02T09:00:00Z', end: '2025-06-02T09:15:00Z', attendees: ['Ada'] },
  {
    id: 'e2',
    title: 'Review',
    start: '2025-06-02T13:00:00Z',
    end: '2025-06-02T14:00:00Z',
    attendees: ['Ada', 'Grace'],
  },
];

export const tools = {
  search: {
    inputSchema: object({ query: text, limit: optional(whole), site: optional(text) }),
    outputSchema: list(object({ title: text, url: text, snippet: text, score: number })),
    execute: ({ query, limit = 3 }) =>
      Array.from({ length: limit }, (_, i) => ({
        title: `${query} ${i}`,
        url: `https://example.com/${i}`,
        snippet: `About ${query}, published in 20${20 + i}.`,
        score: 1 - i / 10,
      })),
  },
  get_weather: {
    inputSchema: object({ city: text, unit: optional({ enum: ['celsius', 'fahrenheit'] }) }),
    outputSchema: object({
      city: text,
      temperature: number,
      conditions: text,
      humidity: number,
      wind: object({ speed: number, direction: text }),
    }),
    execute: ({ city }) => ({
      city,
      temperature: city.length * 3,
      conditions: 'cloudy',
      humidity: 60,
      wind: { speed: 12, direction: 'NW' },
    }),
  },
  get_forecast: {
    inputSchema: object({ city: text, days: whole }),
    outputSchema: object({ city: text, days: list(object({ date: text, high: number, low: number, rain: number })) }),
    execute: ({ city, days }) => ({
      city,
      days: Array.from({ length: days }, (_, i) => ({
        date: `2025-06-0${i + 1}`,
        high: 20 + i,
        low: 10 + i,
        rain: i / 10,
      })),
    }),
  },
  list_orders: {
    inputSchema: object({
      status: optional({ enum: ['open', 'paid', 'shipped', 'cancelled'] }),
      limit: optional(whole),
      cursor: optional(text),
    }),
    outputSchema: object({ orders: list(order), nextCursor: optional(text), total: whole }),
    execute: ({ status, cursor }) => {
      const found = orders.filter((it) => status === undefined || it.status === status);
      const page = cursor === undefined ? found.slice(0, 4) : found.slice(4);
      return {
        orders: page,
        ...(cursor === undefined && found.length > 4 && { nextCursor: 'p2' }),
        total: found.length,
      };
    },
  },
  get_order: {
    inputSchema: object({ id: text }),
    outputSchema: order,
    execute: ({ id }) => orders.find((it) => it.id === id) ?? orders[0],
  },
  update_order: {
    inputSchema: object({ id: text, status: { enum: ['open', 'paid', 'shipped', 'cancelled'] }, note: optional(text) }),
    outputSchema: object({ ok: yes, order }),
    execute: ({ status }) => ({ ok: true, order: { ...orders[0], status } }),
  },
  refund: {
    inputSchema: object({ order_id: text, amount: number, reason: optional(text) }),
    outputSchema: object({ refund_id: text, status: { enum: ['pending', 'done'] } }),
    execute: () => ({ refund_id: 'r1', status: 'done' }),
  },
  list_users: {
    inputSchema: object({ team: optional(text), active: optional(yes) }),
    outputSchema: list(person),
    execute: ({ team, active }) =>
      people.filter((it) => (team === undefined || it.team === team) && (active === undefined || it.active === active)),
  },
  get_user: {
    inputSchema: object({ id: whole }),
    outputSchema: person,
    execute: ({ id }) => people.find((it) => it.id === id) ?? people[0],
  },
  send_email: {
    inputSchema: object({
      to: list(text),
      subject: text,
      body: text,
      cc: optional(list(text)),
      priority: optional({ enum: ['low', 'normal', 'high'] }),
    }),
    outputSchema: object({ id: text, accepted: list(text) }),
    execute: ({ to }) => ({ id: 'm1', accepted: to }),
  },
  post_message: {
    inputSchema: object({ channel: text, text, thread: optional(text) }),
    outputSchema: object({ ts: text, channel: text }),
    execute: ({ channel }) => ({ ts: '1.5', channel }),
  },
  list_issues: {
    inputSchema: object({
      repo: text,
      state: optional({ enum: ['open', 'closed', 'all'] }),
      labels: optional(list(text)),
      page: optional(whole),
    }),
    outputSchema: list(issue),
    execute: ({ page = 1, state }) =>
      page > 1 ? [] : issues.filter((it) => !state || state === 'all' || it.state === state),
  },
  create_issue: {
    inputSchema: object({ repo: text, title: text, body: optional(text), labels: optional(list(text)) }),
    outputSchema: issue,
    execute: ({ title, labels = [] }) => ({ ...issues[0], title, labels }),
  },
  read_file: {
    inputSchema: object({ path: text }),
    outputSchema: text,
    execute: ({ path }) =>
      path.endsWith('.json')
        ? '{"name":"demo","version":"1.2.0","items":[1,2,3]}'
        : 'name,age,city\nAda,36,London\nGrace,45,New York\n\n',
  },
  write_file: {
    inputSchema: object({ path: text, content: text }),
    outputSchema: object({ bytes: whole }),
    execute: ({ content }) => ({ bytes: content.length }),
  },
  list_files: {
    inputSchema: object({ folder: optional(text), pattern: optional(text) }),
    outputSchema: list(text),
    execute: () => ['a.csv', 'b.csv', 'notes.md', 'config.json'],
  },
  query: {
    inputSchema: object({ sql: text, parameters: optional(list({})) }),
    outputSchema: object({ rows: list({ type: 'object', additionalProperties: true }), rowCount: whole }),
    execute: () => ({
      rows: [
        { region: 'north', amount: 10 },
        { region: 'south', amount: 30 },
      ],
      rowCount: 2,
    }),
  },
  list_events: {
    inputSchema: object({ from: text, to: text, calendar: optional(text) }),
    outputSchema: list(event),
    execute: () => events,
  },
  create_event: {
    inputSchema: object({ title: text, start: text, end: text, attendees: optional(list(text)) }),
    outputSchema: event,
    execute: (given) => ({ id: 'e3', attendees: [], ...given }),
  },
  get_quote: {
    inputSchema: object({ symbol: text }),
    outputSchema: object({ symbol: text, price: number, change: number, currency: text }),
    execute: ({ symbol }) => ({ symbol, price: 100 + symbol.length, change: -1.5, currency: 'USD' }),
  },
  get_history: {
    inputSchema: object({ symbol: text, days: optional(whole) }),
    outputSchema: list(object({ date: text, open: number, close: number, volume: whole })),
    execute: ({ days = 5 }) =>
      Array.from({ length: days }, (_, i) => ({
        date: `2025-01-${String(i + 1).padStart(2, '0')}`,
        open: 10 + i,
        close: 11 + i * 0.9,
        volume: 1000 * (i + 1),
      })),
  },
  convert: {
    inputSchema: object({ amount: number, from: { enum: ['USD', 'EUR', 'GBP'] }, to: { enum: ['USD', 'EUR', 'GBP'] } }),
    outputSchema: object({ amount: number, rate: number }),
    execute: ({ amount }) => ({ amount: amount * 0.9, rate: 0.9 }),
  },
  geocode: {
    inputSchema: object({ address: text }),
    outputSchema: object({ lat: number, lon: number, label: text }),
    execute: ({ address }) => ({ lat: 52.5, lon: 13.4, label: address }),
  },
  route: {
    inputSchema: object({
      from: { type: 'array', prefixItems: [number, number], items: false },
      to: { type: 'array', prefixItems: [number, number], items: false },
      mode: optional({ enum: ['car', 'bike', 'foot'] }),
    }),
    outputSchema: object({ distance: number, duration: number, steps: list(text) }),
    execute: () => ({ distance: 12.4, duration: 1800, steps: ['left', 'right'] }),
  },
  translate: {
    inputSchema: object({ text, to: text, from: optional(text) }),
    outputSchema: object({ text, detected: text }),
    execute: ({ text: given, to }) => ({ text: `${to}:${given}`, detected: 'en' }),
  },
  add_task: {
    inputSchema: object({
      title: text,
      due: optional(text),
      tags: optional(list(text)),
      priority: optional({ enum: [1, 2, 3] }),
    }),
    outputSchema: object({ id: whole, title: text, done: yes }),
    execute: ({ title }) => ({ id: 7, title, done: false }),
  },
  list_tasks: {
    outputSchema: list(object({ id: whole, title: text, done: yes, due: optional(text) })),
    execute: () => [
      { id: 1, title: 'write', done: false, due: '2025-07-01' },
      { id: 2, title: 'read', done: true },
    ],
  },
  pay: {
    inputSchema: {
      oneOf: [
        object({ kind: { const: 'card' }, number: text, amount: number }),
        object({ kind: { const: 'transfer' }, iban: text, amount: number }),
      ],
    },
    outputSchema: { anyOf: [object({ receipt: text }), object({ error: text })] },
    execute: () => ({ receipt: 'p1' }),
  },
  fetch_page: {
    inputSchema: object({ url: text }),
    execute: ({ url }) => ({ status: 200, url, title: 'Example', links: ['https://example.com/a'] }),
  },
  run_report: {
    inputSchema: object({ name: text, filters: optional({ type: 'object', additionalProperties: text }) }),
    outputSchema: object({ columns: list(text), rows: list(list(number)) }),
    execute: () => ({
      columns: ['a', 'b'],
      rows: [
        [1, 2],
        [3, 4],
      ],
    }),
  },
  math: {
    add: (a, b) => a + b,
    stats: { mean: (values) => values.reduce((sum, value) => sum + value, 0) / values.length },
  },
};

export const variables = {
  products: [
    { id: 1, name: 'Laptop', price: 1200, tags: ['tech', 'office'], stock: 4 },
    { id: 2, name: 'Mug', price: 12.5, tags: ['kitchen'], stock: 80, discount: 0.1 },
    { id: 3, name: 'Desk', price: 300, tags: [], stock: 0 },
  ],
  settings: { currency: 'EUR', threshold: 100, features: { beta: true, regions: ['eu', 'us'] }, owner: null },
  report_date: new Date('2025-06-01T00:00:00Z'),
  prompt: 'Summarise the open orders.',
};

export const modules = {
  units:
    'export const toMiles = (km) => km * 0.621371;\nexport function format(value, digits = 1) { return value.toFixed(digits); }\nexport default class Length { constructor(km) { this.km = km; } get miles() { return toMiles(this.km); } }',
  store: { version: 3, find: async (id) => ({ id }), regions: ['eu', 'us'] },
};

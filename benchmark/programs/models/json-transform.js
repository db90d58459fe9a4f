// Nested JSON read, flattened, changed and written.
const data = {
  users: Array.from({ length: 3000 }, (_, i) => ({
    id: i,
    profile: { first: `First${i}`, last: `Last${i}`, address: { city: `City${i % 50}`, zip: 10000 + i } },
    tags: ['a', 'b', 'c'].slice(0, (i % 3) + 1),
    scores: { math: i % 100, art: (i * 3) % 100 },
  })),
};
const flatten = (object, prefix = '') =>
  Object.entries(object).reduce((result, [key, value]) => {
    const path = prefix ? `${prefix}.${key}` : key;
    if (value && typeof value === 'object' && !Array.isArray(value)) Object.assign(result, flatten(value, path));
    else result[path] = value;
    return result;
  }, {});
const copy = JSON.parse(JSON.stringify(data));
const flat = copy.users.map((user) => flatten(user));
const cities = {};
for (const row of flat) {
  const city = row['profile.address.city'];
  (cities[city] ??= []).push(row['scores.math']);
}
const averages = Object.fromEntries(
  Object.entries(cities).map(([city, scores]) => [city, scores.reduce((a, b) => a + b, 0) / scores.length]),
);
const text = JSON.stringify({ averages, first: flat[0] }, null, 2);
return [text.length, averages.City7, JSON.stringify(flat).length];

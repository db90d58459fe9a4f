// A rule of a shop, as a host has it run again and again.
const rates = { a: 0.1, b: 0.2, c: 0 };
function price({ items, customer }) {
  let total = 0;
  for (const { name, quantity, unit } of items) {
    const discount = quantity > 10 ? 0.9 : 1;
    total += quantity * unit * discount * (1 + (rates[name[0]] ?? 0));
  }
  if (customer.startsWith('vip-')) total *= 0.95;
  return Math.round(total * 100) / 100;
}
function describe({ items }) {
  return items.map(({ name, quantity }) => `${quantity} x ${name}`).join(', ');
}
const orders = [];
for (let i = 0; i < 40; i++) {
  orders.push({
    customer: i % 3 ? `vip-${i}` : `new-${i}`,
    items: [
      { name: 'abc'[i % 3] + i, quantity: i, unit: 2.5 },
      { name: 'b', quantity: 2, unit: i },
    ],
  });
}
const large = orders.filter((order) => price(order) > 150).map((order) => `${describe(order)}: ${price(order)}`);
return [large.length, large[0]];

// Groups orders by customer and month, then ranks.
const orders = Array.from({ length: 60000 }, (_, i) => ({
  id: i,
  customer: `customer-${(i * 7919) % 500}`,
  amount: ((i * 31) % 997) + 0.5,
  month: (i % 12) + 1,
  status: i % 5 === 0 ? 'cancelled' : 'paid',
}));
const byCustomer = orders
  .filter((order) => order.status === 'paid')
  .reduce((groups, order) => {
    const group = (groups[order.customer] ??= { total: 0, count: 0, months: new Set() });
    group.total += order.amount;
    group.count++;
    group.months.add(order.month);
    return groups;
  }, {});
const ranked = Object.entries(byCustomer)
  .map(([customer, { total, count, months }]) => ({ customer, average: total / count, months: months.size }))
  .sort((a, b) => b.average - a.average);
return `${ranked[0].customer} ${ranked[0].average.toFixed(3)} ${ranked.at(-1).customer} ${ranked.reduce((sum, r) => sum + r.months, 0)}`;

// Arguments whose values the text shows, in whole or in part.
const city = 'Oslo';
const query = { city, days: 2, tags: ['a', `b-${city}`] };
await t0({ city, at: Date.now() });
await t0(query);
await t0('text', -1, 0.5, true, null);
await t0({ ...query, days: 3 });
await t0({ days: 3, ...query });
await t0(...[1, 2]);
t1(`/tmp/${city}/${1}`, 'a' + 'b', query.days, undefined);
t1(city === 'Oslo' ? 'yes' : 'no');
t1([1, [2, { deep: city }]]);
t2({ nested: { known: 1, other: Math.random() } });

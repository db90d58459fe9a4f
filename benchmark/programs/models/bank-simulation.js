// Customers, servers and a clock.
let state = 42;
const random = () => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 4294967296;
};
const servers = Array.from({ length: 5 }, () => ({ busyUntil: 0, served: 0 }));
const queue = [];
let waited = 0;
let served = 0;
let longest = 0;
for (let minute = 0; minute < 120000; minute++) {
  if (random() < 0.6) queue.push({ arrived: minute, needs: 1 + Math.floor(random() * 12) });
  longest = Math.max(longest, queue.length);
  for (const server of servers) {
    if (server.busyUntil <= minute && queue.length > 0) {
      const customer = queue.shift();
      waited += minute - customer.arrived;
      served++;
      server.served++;
      server.busyUntil = minute + customer.needs;
    }
  }
}
return { served, average: (waited / served).toFixed(4), longest, by: servers.map((s) => s.served) };

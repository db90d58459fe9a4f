// Reads an access log with named groups.
const lines = [];
for (let i = 0; i < 12000; i++) {
  const path = i % 4 ? `/api/items/${i}?page=${i % 9}` : '/index.html';
  lines.push(
    `10.0.${i % 7}.${i % 251} - - [22/Nov/2026:13:${String(i % 60).padStart(2, '0')}:00 +0000] "GET ${path} HTTP/1.1" ${i % 10 === 0 ? 500 : 200} ${i * 3}`,
  );
}
const pattern =
  /^(?<ip>\S+) \S+ \S+ \[(?<time>[^\]]+)\] "(?<method>[A-Z]+) (?<path>\S+) [^"]*" (?<status>\d{3}) (?<bytes>\d+)$/;
const stats = { errors: 0, bytes: 0, paths: new Map(), ips: new Set() };
for (const line of lines) {
  const match = line.match(pattern);
  if (!match) continue;
  const { ip, path, status, bytes } = match.groups;
  if (status.startsWith('5')) stats.errors++;
  stats.bytes += Number(bytes);
  stats.ips.add(ip);
  const base = path.replace(/\?.*$/, '').replace(/\/\d+/g, '/:id');
  stats.paths.set(base, (stats.paths.get(base) ?? 0) + 1);
}
return [stats.errors, stats.bytes, stats.ips.size, JSON.stringify([...stats.paths])];

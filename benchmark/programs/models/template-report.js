// Formats a table with padded columns.
const rows = [];
for (let i = 0; i < 9000; i++) {
  rows.push({ name: `product ${i}`, price: (i * 1.37) % 500, stock: (i * 7) % 250, active: i % 3 !== 0 });
}
const widths = { name: 16, price: 10, stock: 6 };
const lines = [`${'Name'.padEnd(widths.name)}|${'Price'.padStart(widths.price)}|${'Stock'.padStart(widths.stock)}`];
lines.push('-'.repeat(lines[0].length));
for (const row of rows) {
  if (!row.active) continue;
  const price = `$${row.price.toFixed(2)}`;
  lines.push(
    `${row.name.padEnd(widths.name)}|${price.padStart(widths.price)}|${String(row.stock).padStart(widths.stock)}`,
  );
}
const report = lines.join('\n');
let checksum = 0;
for (const ch of report) checksum = (checksum * 33 + ch.charCodeAt(0)) % 1000000007;
return `${report.length} ${checksum}`;

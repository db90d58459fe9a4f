// Parses a CSV with quoted fields, and sums a column by category.
const header = 'id,name,category,price,quantity';
const rows = [header];
for (let i = 0; i < 12000; i++) {
  rows.push(`${i},"Item ""${i}"", large",cat${i % 17},${((i * 37) % 1000) / 10},${i % 9}`);
}
const csv = rows.join('\n');

function parseLine(line) {
  const fields = [];
  let field = '';
  let inQuotes = false;
  for (let i = 0; i < line.length; i++) {
    const ch = line[i];
    if (inQuotes) {
      if (ch === '"' && line[i + 1] === '"') {
        field += '"';
        i++;
      } else if (ch === '"') {
        inQuotes = false;
      } else {
        field += ch;
      }
    } else if (ch === '"') {
      inQuotes = true;
    } else if (ch === ',') {
      fields.push(field);
      field = '';
    } else {
      field += ch;
    }
  }
  fields.push(field);
  return fields;
}

const lines = csv.trim().split('\n');
const columns = parseLine(lines[0]);
const records = lines.slice(1).map((line) => {
  const values = parseLine(line);
  return Object.fromEntries(columns.map((column, i) => [column, values[i]]));
});
const totals = {};
for (const record of records) {
  totals[record.category] = (totals[record.category] || 0) + parseFloat(record.price) * parseInt(record.quantity, 10);
}
return Object.entries(totals)
  .sort((a, b) => b[1] - a[1])
  .slice(0, 3)
  .map(([name, total]) => `${name}: ${total.toFixed(2)}`)
  .join('; ');

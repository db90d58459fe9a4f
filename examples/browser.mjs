// `npm run demo:browser`: code as a model would write it draws a chart in a page. It opens nothing; it prints where the
// PNG is.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BrowserExecutor } from '../build/browser/index.js';

const executor = new BrowserExecutor({ artifactsDir: mkdtempSync(join(tmpdir(), 'ses-executor-demo-')) });
await executor.init();
await executor.sendTools({
  getSales: async (year) => [31, 42, 27, 55, 61, 48].map((sold, index) => ({ month: `${year}-0${index + 1}`, sold })),
});

const { output, logs, artifacts } = await executor.run(`
  const sales = await getSales(2026);
  const most = Math.max(...sales.map(({ sold }) => sold));
  const context = getCanvas(480, 280).getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, 480, 280);
  context.font = '14px sans-serif';
  context.textAlign = 'center';
  for (const [index, { month, sold }] of sales.entries()) {
    const height = (sold / most) * 200;
    context.fillStyle = sold === most ? 'crimson' : 'steelblue';
    context.fillRect(30 + index * 72, 240 - height, 50, height);
    context.fillStyle = 'black';
    context.fillText(month, 55 + index * 72, 260);
    context.fillText(String(sold), 55 + index * 72, 232 - height);
  }
  console.log(sales.length, 'months, 图表 📊');
  const best = sales.find(({ sold }) => sold === most).month;
`);

console.log(logs);
console.log('best month:', output);
for (const { path, width, height, bytes } of artifacts) console.log(`${width} x ${height}, ${bytes} bytes: ${path}`);
await executor.cleanup();

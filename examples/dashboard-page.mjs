// A dashboard as one HTML page that needs no network: its data and the library that draws are in it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const charts = join(
  dirname(require.resolve('lightweight-charts/package.json')),
  'dist/lightweight-charts.standalone.production.js',
);

/** @param {import('../build/sandbox').DashboardState} state */
export function dashboardPage(state) {
  // Within a script, `<` could end it.
  const data = JSON.stringify(state).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title></title>
<style>
  body { font: 15px system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; color: #222 }
  .chart { height: 20rem }
  table { border-collapse: collapse } td, th { padding: .3rem 1rem .3rem 0; text-align: left }
</style>
<h1></h1>
<main></main>
<script>${readFileSync(charts, 'utf8').replaceAll('</script', '<\\/script')}</script>
<script>
const state = ${data};
(${drawDashboard})(state, LightweightCharts);
</script>
</html>
`;
}

/** Runs in the browser. Texts of the state become text, never markup. */
function drawDashboard(state, library) {
  const { document } = globalThis;
  document.title = state.title;
  document.querySelector('h1').textContent = state.title;
  const add = (parent, tag, text) => {
    const element = parent.appendChild(document.createElement(tag));
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const main = document.querySelector('main');
  for (const panel of state.panels) {
    const section = add(main, 'section');
    add(section, 'h2', panel.title ?? '');
    if (panel.type === 'table') {
      const table = add(section, 'table');
      for (const row of [panel.columns, ...panel.rows]) {
        const line = add(table, 'tr');
        for (const cell of row) add(line, row === panel.columns ? 'th' : 'td', String(cell));
      }
      continue;
    }
    const element = add(section, 'div');
    element.className = 'chart';
    const chart = library.createChart(element, { autoSize: true });
    if (panel.candles) chart.addSeries(library.CandlestickSeries).setData(panel.candles);
    for (const { name, color, points } of panel.lines ?? []) {
      chart.addSeries(library.LineSeries, { color, lineWidth: 2, title: name }).setData(points);
    }
    chart.timeScale().fitContent();
  }
}

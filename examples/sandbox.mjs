// `npm run demo:sandbox`: a model builds a dashboard and changes it. Its programs are written down here; the manager,
// its isolates and the data, which are generated, are real. Prints the dashboard as text, and writes it as an HTML page
// to the path that is given, by default in the folder for temporary files.

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SandboxManager } from '../build/sandbox/index.js';
import { dashboardPage } from './dashboard-page.mjs';
import { adapters, registry } from './market-data.mjs';

const search = `
const found = spec.find('candles');
const { params } = spec.method(found[0].method);
({ method: found[0].method, required: params.required, symbols: params.properties.symbol.enum })`;

const execute = `
(function () {
  var r = utils.parallel(
    function () { return sdk.market.getKline({ symbol: 'XAUUSD' }); },
    function () { return sdk.market.getKline({ symbol: 'BTCUSD' }); },
    function () { return sdk.social.getSentiment({ symbol: 'XAUUSD' }); }
  );
  var gold = r[0], coin = r[1];
  function line(name, color, values) {
    return { name: name, color: color, points: gold.flatMap(function (candle, i) {
      return values[i] === null ? [] : [{ time: candle.time, value: values[i] }];
    }) };
  }
  var bands = utils.computeBOLL(gold, 20, 2);
  var rsi = utils.computeRSI(gold, 14);
  var correlation = utils.computeRollingCorrelation(gold, coin, 30);
  console.log('candles', gold.length, coin.length);
  return {
    title: 'Gold',
    panels: [
      { type: 'candles', title: 'XAUUSD with Bollinger bands', candles: gold, lines: [
        line('upper', '#c60', bands.upper), line('middle', '#888', bands.middle), line('lower', '#06c', bands.lower),
      ] },
      { type: 'line', title: 'RSI (14)', lines: [line('RSI', '#60c', rsi)] },
      { type: 'line', title: 'Correlation with BTCUSD (30 days)', lines: [line('r', '#082', correlation)] },
      { type: 'table', title: 'Now', columns: ['figure', 'value'], rows: [
        ['close', gold.at(-1).close.toFixed(2)], ['RSI', rsi.at(-1).toFixed(1)], ['mood', r[2]],
      ] },
    ],
  };
})()`;

const mutate = `
(state) => {
  const candles = utils.resample(state.panels[0].candles, '1w');
  const averages = utils.computeMA(candles, 8);
  const points = candles.flatMap(({ time }, i) => (averages[i] === null ? [] : [{ time, value: averages[i] }]));
  const weekly = { type: 'candles', title: 'XAUUSD by week', candles, lines: [{ name: 'MA 8', color: '#c06', points }] };
  return { ...state, title: 'Gold, by day and week', panels: [...state.panels.slice(0, 1), weekly, ...state.panels.slice(1)] };
}`;

const manager = new SandboxManager({ registry, adapters, onReport: print });

console.log(`--- search\n${search}\n`);
console.log('%O\n', await manager.executeSearch(search));
console.log(`--- execute\n${execute}\n`);
const state = await manager.executeCode(execute);
console.log(`--- mutate\n${mutate}\n`);
const next = await manager.executeMutate(mutate, state);
console.log('--- and a program that asks for what there is not');
await manager.executeCode("\nsdk.market.getKline({ symbol: 'GOLD' })").catch((error) => {
  console.log(`${error.code}: ${error.message}\n${error.details.codeFrame}\n`);
});
await manager.close();

printDashboard(next);
const page = process.argv[2] ?? join(tmpdir(), 'ses-executor-dashboard.html');
writeFileSync(page, dashboardPage(next));
console.log(`\nThe page: ${page}`);

function print({ kind, style, logs, sdkCalls, times }) {
  const calls = Object.entries(sdkCalls).map(([source, count]) => `${source} ${count}`);
  console.log(
    `[${kind}, ${style}, ${times.runMs.toFixed(1)} ms${calls.length > 0 ? `, calls: ${calls.join(', ')}` : ''}]`,
  );
  if (logs !== '') console.log(`  log ${logs}`);
}

function printDashboard({ title, panels }) {
  console.log(`=== ${title}`);
  for (const panel of panels) {
    console.log(`\n${panel.title}`);
    if (panel.candles) console.log(`  ${sparkline(panel.candles.map(({ close }) => close))}`);
    for (const { name, points } of panel.lines ?? [])
      console.log(`  ${sparkline(points.map(({ value }) => value))} ${name}`);
    for (const [figure, value] of panel.rows ?? []) console.log(`  ${figure}: ${value}`);
  }
}

/** Sixty of the values as blocks of eight heights. */
function sparkline(values) {
  const shown = Array.from({ length: 60 }, (_, i) => values[Math.floor((i * (values.length - 1)) / 59)]);
  const [min, max] = [Math.min(...shown), Math.max(...shown)];
  return shown.map((value) => '▁▂▃▄▅▆▇█'[Math.round(((value - min) / (max - min || 1)) * 7)]).join('');
}

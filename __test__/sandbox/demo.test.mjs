// `npm run demo:sandbox`: what it prints, and the page that it writes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

import { expect, test } from 'vitest';

import { launch } from '../../build/browser/launch.js';
import { spawnNode, withFolder } from '../helpers.mjs';

test('the demo builds a dashboard, changes it and writes it as one page', () =>
  withFolder(async (folder) => {
    const file = join(folder, 'page.html');
    const { status, stdout, stderr } = await spawnNode(['examples/sandbox.mjs', file]);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(stdout).toContain("method: 'market.getKline'");
    expect(stdout).toMatch(/\[execute, sync, \d+\.\d ms, calls: market 2, social 1\]/);
    expect(stdout).toContain('  log candles 260 260');
    expect(stdout).toContain(
      'ERR_INVALID_PARAMS: the parameters of sdk.market.getKline are not valid: symbol must be one of',
    );
    expect(stdout).toMatch(/=== Gold, by day and week\n\nXAUUSD with Bollinger bands\n +[▁▂▃▄▅▆▇█]{60}\n/);
    expect(stdout).toContain('XAUUSD by week');
    const page = readFileSync(file, 'utf8');
    // The library and the page's own script; nothing is loaded.
    const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text);
    expect(scripts).toHaveLength(2);
    for (const text of scripts) expect(() => new Script(text)).not.toThrow();
    expect(page).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)=/);
    const state = JSON.parse(/^const state = (.*);$/m.exec(scripts[1])[1]);
    expect(state.panels.map(({ title }) => title)).toStrictEqual([
      'XAUUSD with Bollinger bands',
      'XAUUSD by week',
      'RSI (14)',
      'Correlation with BTCUSD (30 days)',
      'Now',
    ]);
  }));

test('the page of the demo draws in a browser without a network', () =>
  withFolder(async (folder) => {
    const file = join(folder, 'page.html');
    const { status, stderr } = await spawnNode(['examples/sandbox.mjs', file]);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    const { thrown, sections } = await shown(readFileSync(file, 'utf8'));
    expect(thrown).toStrictEqual([]);
    const drawn = ['XAUUSD with Bollinger bands', 'XAUUSD by week', 'RSI (14)', 'Correlation with BTCUSD (30 days)'];
    const charts = sections.filter(({ isChart }) => isChart);
    expect(charts.map(({ title }) => title)).toStrictEqual(drawn);
    // Candles and lines, not only white and the grey of axes.
    for (const { title, coloured } of charts) expect(coloured, title).toBeGreaterThan(200);
    expect(sections.at(-1)).toMatchObject({ title: 'Now', isChart: false });
    expect(sections.at(-1).rows).toBeGreaterThan(1);
  }));

test('strings in a state cannot end the script of the page', async () => {
  const { dashboardPage } = await import('../../examples/dashboard-page.mjs');
  const page = dashboardPage({ title: '</script><script>alert(1)</script>', panels: [] });
  expect(page.match(/<script>/g)).toHaveLength(2);
});

/** What a browser makes of a page: errors of its scripts, and each section with its pixels that have a colour. */
async function shown(html) {
  const { connection, kill } = await launch({ sandbox: true }, () => {}, () => {}); // prettier-ignore
  try {
    const { targetId } = await connection.send('Target.createTarget', {
      url: 'about:blank',
      width: 1_000,
      height: 800,
    });
    const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
    const thrown = [];
    connection.listen(sessionId, (method, { exceptionDetails }) => {
      if (method === 'Runtime.exceptionThrown')
        thrown.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
    });
    await connection.send('Runtime.enable', {}, sessionId);
    const expression = `document.open(); document.write(${JSON.stringify(html)}); document.close(); (${sectionsOf})()`;
    const parameters = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await connection.send('Runtime.evaluate', parameters, sessionId);
    if (exceptionDetails !== undefined) thrown.push(exceptionDetails.exception?.description);
    return { thrown, sections: result.value };
  } finally {
    kill();
  }
}

/** Runs in the page. */
async function sectionsOf() {
  const { document, requestAnimationFrame } = globalThis;
  const colouredOf = (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue] = data.subarray(i, i + 3);
      if (data[i + 3] > 0 && Math.max(red, green, blue) - Math.min(red, green, blue) > 40) coloured++;
    }
    return coloured;
  };
  const look = () =>
    [...document.querySelectorAll('section')].map((section) => {
      const canvases = [...section.querySelectorAll('canvas')].filter(({ width, height }) => width > 0 && height > 0);
      return {
        title: section.querySelector('h2').textContent,
        isChart: section.querySelector('.chart') !== null,
        coloured: canvases.reduce((sum, canvas) => sum + colouredOf(canvas), 0),
        rows: section.querySelectorAll('tr').length,
      };
    });
  // The library draws in one of the next frames, when it knows the sizes.
  const isDrawn = () => look().every(({ isChart, coloured }) => !isChart || coloured > 200);
  for (let frame = 0; frame < 600 && !isDrawn(); frame++)
    await new Promise((resolve) => requestAnimationFrame(resolve));
  return look();
}

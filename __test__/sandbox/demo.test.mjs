// `npm run demo:sandbox`: what it prints, and the page that it writes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

import { expect, test } from 'vitest';

import { spawnNode, withFolder } from '../helpers.mjs';

test('builds a dashboard, changes it, and writes it as one page', () =>
  withFolder(async (folder) => {
    const file = join(folder, 'page.html');
    const { status, stdout, stderr } = await spawnNode(['examples/sandbox.mjs', file]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
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
    expect(state.panels.map(({ title }) => title)).toEqual([
      'XAUUSD with Bollinger bands',
      'XAUUSD by week',
      'RSI (14)',
      'Correlation with BTCUSD (30 days)',
      'Now',
    ]);
  }));

test('texts of a state cannot end the script of the page', async () => {
  const { dashboardPage } = await import('../../examples/dashboard-page.mjs');
  const page = dashboardPage({ title: '</script><script>alert(1)</script>', panels: [] });
  expect(page.match(/<script>/g)).toHaveLength(2);
});

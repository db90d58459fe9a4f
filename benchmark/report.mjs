// The text of reports/benchmark.md.

import { judge } from './goals.mjs';
import { BASELINE, OURS, OURS_ON_HOST_NODE, VM_CONTEXT } from './peers/index.mjs';
import { median, pairedRatio } from './statistics.mjs';

/** What stands beside the peers and is none. */
const NO_PEER = [OURS, OURS_ON_HOST_NODE, BASELINE, VM_CONTEXT];

/**
 * @param rows - of driver.mjs
 * @param peers - `{ id, title, version, node }` in the order of the columns; `missing` says why one is not there
 * @param machine - lines about machine, versions and date
 */
export function report({ rows, peers, machine }) {
  return [
    '# Benchmark',
    'Written by `npm run bench`. Do not edit.',
    machine.map((line) => `- ${line}`).join('\n'),
    '## Goals',
    'A ratio is our figure divided by the figure of the peer: below 1 we are faster. Where both were measured in turns, the ratio ' +
      'is the median of the ratios of the rounds.',
    goalsTable(judge(rows)),
    '## All figures',
    'Each figure is the median over the rounds, followed by the lowest and the highest median of a round. Lower is better, ' +
      'except for runs per second. Plain Node.js protects nothing, so it does not count as the best peer.',
    figuresTable(rows, peers),
    ...missing(rows, peers),
  ].join('\n\n');
}

/** Goals as a Markdown table. */
export function goalsTable(goals) {
  const header = ['goal', 'against', 'figure', 'must', 'aim', 'verdict'];
  const lines = goals.map(({ title, against, value, unit, must, aim, aimValue, aimAgainst, verdict }) => [
    title,
    against,
    Number.isNaN(value) ? '–' : `${format(value)}${suffix(unit)}`,
    `≤ ${limitText(must)}${suffix(unit)}`,
    aim === undefined
      ? ''
      : aimAgainst
        ? `≤ ${limitText(aim)}${suffix(unit)} ${aimAgainst}: ${format(aimValue)}${suffix(unit)}`
        : `≤ ${limitText(aim)}${suffix(unit)}`,
    verdict === 'missed' ? '**missed**' : verdict,
  ]);
  return table(header, lines);
}

/** All rows as a Markdown table, one column per peer. */
export function figuresTable(rows, peers) {
  const shown = peers.filter(({ missing }) => missing === undefined);
  const header = [
    'case',
    ...shown.map(({ title, note }) => (note ? `${title} (${note})` : title)),
    'best peer',
    'plain Node.js',
  ];
  const lines = rows.map((row) => [
    `${row.title}, ${row.unit}`,
    ...shown.map(({ id }) => cellText(row.cells[id])),
    bestPeerText(row),
    ratioText(ratioTo(row, BASELINE)),
  ]);
  return table(header, lines);
}

/** The best peer of a row, `{ id, ratio }`, or undefined. */
export function bestPeer(row) {
  const measured = Object.entries(row.cells).filter(
    ([id, { rounds, note }]) => !NO_PEER.includes(id) && rounds.length > 0 && !note,
  );
  if (measured.length === 0) return undefined;
  const sign = row.isHigherBetter ? -1 : 1;
  const [[id]] = measured.sort(([, a], [, b]) => sign * (median(a.rounds) - median(b.rounds)));
  return { id, ratio: ratioTo(row, id) };
}

function ratioTo(row, id) {
  return pairedRatio(row.cells[OURS]?.rounds ?? [], row.cells[id]?.rounds ?? []);
}

function bestPeerText(row) {
  const best = bestPeer(row);
  if (best === undefined) return '–';
  return Number.isNaN(best.ratio) ? best.id : `${ratioText(best.ratio)} ${best.id}`;
}

function ratioText(ratio) {
  return Number.isNaN(ratio) ? '–' : `${format(ratio)}×`;
}

function cellText(cell) {
  if (cell === undefined) return '–';
  const { rounds, note, reason, error } = cell;
  if (rounds.length === 0) return reason ?? (error === undefined ? '–' : 'failed');
  const spread = rounds.length > 1 ? ` (${format(Math.min(...rounds))}–${format(Math.max(...rounds))})` : '';
  return `${format(median(rounds))}${spread}${note ? `, ${note}` : ''}${reason ? `, then ${reason}` : error ? ', then failed' : ''}`;
}

/** What failed, and the peers that are not there. */
function missing(rows, peers) {
  const lines = peers.filter((peer) => peer.missing !== undefined).map((peer) => `- ${peer.title}: ${peer.missing}`);
  for (const { title, cells } of rows) {
    for (const peer of peers) {
      const error = cells[peer.id]?.error;
      if (error !== undefined) lines.push(`- ${peer.title}, ${title}: ${error}`);
    }
  }
  return lines.length === 0 ? [] : ['## Not measured, and failures', lines.join('\n')];
}

/** Three digits that count. */
export function format(value) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** A goal with at most three decimals: 1 / 0.85 is 1.176. */
function limitText(limit) {
  return `${Number(limit.toFixed(3))}`;
}

function suffix(unit) {
  return unit === '×' ? '×' : ` ${unit}`;
}

function table(header, lines) {
  const row = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [row(header), row(header.map(() => '---')), ...lines.map(row)].join('\n');
}

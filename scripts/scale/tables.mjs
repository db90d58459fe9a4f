// Tables of figures in docs/guide/scale.md, each written by a script.

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

import { format } from 'prettier';

const PAGE = fileURLToPath(new URL('../../docs/guide/scale.md', import.meta.url));
const END = '<!-- end -->';

/** What the figures are about. */
export const MACHINE = `${cpus().length} processors, ${cpus()[0].model.trim()}`;

/** @param command the script that writes the text, which follows the comment with this command in the page */
export async function writeTables(command, text) {
  const page = readFileSync(PAGE, 'utf8');
  const begin = `<!-- written by \`${command}\` -->`;
  const head = page.indexOf(begin) + begin.length;
  const options = JSON.parse(readFileSync(new URL('../../.prettierrc.json', import.meta.url), 'utf8'));
  const written = `${page.slice(0, head)}\n\n${text}\n\n${page.slice(page.indexOf(END, head))}`;
  writeFileSync(PAGE, await format(written, { ...options, parser: 'markdown' }));
}

export function table(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Two digits that count. */
export function round(value) {
  return number(Number(Number(value).toPrecision(2)));
}

export function number(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

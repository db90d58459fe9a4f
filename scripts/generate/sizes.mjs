// Sizes of the packed packages, and their table in docs/reference/platforms.md.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';

const MEGABYTE = 1e6;

/**
 * @param {string[]} tarballs
 * @returns {{ name: string, download: number, installed: number }[]} Sizes in bytes, ordered by name.
 */
export function sizesOf(tarballs) {
  return tarballs
    .map((file) => {
      const packed = readFileSync(file);
      const name = basename(file).replace(/-\d+\.\d+\.\d+.*\.tgz$/, '');
      return { name, download: packed.length, installed: gunzipSync(packed).length };
    })
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** @param {ReturnType<typeof sizesOf>} sizes */
export function sizesTable(sizes) {
  const inMegabytes = (bytes) => `${(bytes / MEGABYTE).toFixed(1)} MB`;
  const rows = sizes.map(
    ({ name, download, installed }) => `| \`${name}\` | ${inMegabytes(download)} | ${inMegabytes(installed)} |`,
  );
  return ['\n| package | download | installed |', '| --- | ---: | ---: |', ...rows, '\n'].join('\n');
}

/**
 * The sizes that a page with such a table lists.
 *
 * @param {string} page
 * @returns {ReturnType<typeof sizesOf>}
 */
export function listedSizes(page) {
  const rows = page.matchAll(/^\| `([\w-]+)`\s+\|\s+([\d.]+) MB \|\s+([\d.]+) MB \|$/gm);
  return Array.from(rows, ([, name, download, installed]) => ({
    name,
    download: Number(download) * MEGABYTE,
    installed: Number(installed) * MEGABYTE,
  }));
}

// `npm run sizes`: packs the packages of this machine and writes their sizes to docs/reference/platforms.md.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { withPart } from './generate/parts.mjs';
import { sizesOf, sizesTable } from './generate/sizes.mjs';

const PAGE = fileURLToPath(new URL('../docs/reference/platforms.md', import.meta.url));
const PACK = fileURLToPath(new URL('./pack.mjs', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'ses-executor-sizes-'));
try {
  const { status } = spawnSync(process.execPath, [PACK, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(1);
  const text = sizesTable(sizesOf(readdirSync(folder).map((name) => join(folder, name))));
  const page = withPart(readFileSync(PAGE, 'utf8'), { path: PAGE, by: 'scripts/sizes.mjs', name: 'sizes', text });
  writeFileSync(PAGE, await format(page, { ...(await resolveConfig(PAGE)), parser: 'markdown' }));
} finally {
  rmSync(folder, { recursive: true });
}

// `npm run docs`: builds the site of the documentation in dist/site.
//
//   node scripts/docs.mjs [--out <folder>] [--base /path/]
//
// The pages are the Markdown files of the repository, copied to dist/site-pages with links that fit the site. TypeDoc
// adds a page for each entry point of the package, and VitePress builds the site. A link that leads nowhere fails the
// build.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { build } from 'vitepress';

import { writeApi } from './docs/api.mjs';
import { copyPages } from './docs/pages.mjs';

const CONFIG = fileURLToPath(new URL('./docs/config.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(ROOT, 'dist', 'site') }, base: { type: 'string', default: '/' } },
});
const out = resolve(values.out);
const pages = `${out}-pages`;

for (const folder of [out, pages]) rmSync(folder, { recursive: true, force: true });
mkdirSync(join(pages, '.vitepress'), { recursive: true });
// Pages are modules that import Vue, wherever the folder is.
symlinkSync(join(ROOT, 'node_modules'), join(pages, 'node_modules'), 'junction');
copyPages(ROOT, pages);
await writeApi(ROOT, join(pages, 'docs', 'reference', 'api'));
writeFileSync(
  join(pages, '.vitepress', 'config.mjs'),
  `import { siteConfig } from ${JSON.stringify(CONFIG)};\nexport default siteConfig(${JSON.stringify(pages)});\n`,
);
await build(pages, { base: values.base, outDir: out });

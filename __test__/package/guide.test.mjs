// Each code block of docs/guide/ runs, and each relative link of the pages about the product leads to a file and a
// heading.

import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT } from '../helpers.mjs';
import { describePage } from './doc-blocks.mjs';

const guides = readdirSync(join(ROOT, 'docs/guide')).filter((name) => name.endsWith('.md'));

for (const name of guides) describePage(`docs/guide/${name}`);

test('the overview names each guide', () => {
  const overview = readFileSync(join(ROOT, 'docs/guide/README.md'), 'utf8');
  for (const name of guides.filter((it) => it !== 'README.md')) expect(overview).toContain(`](${name})`);
});

const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...markdownIn('docs')];

test.each(pages)('links of %s lead to existing files and headings', (page) => {
  const dead = linksOf(page).filter(({ path, heading }) => {
    const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
    if (!existsSync(file)) return true;
    return heading !== undefined && (statSync(file).isDirectory() || !headingsOf(file).includes(heading));
  });
  expect(dead).toStrictEqual([]);
});

function markdownIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && !/node_modules|\/reference\/api\//.test(path));
}

function linksOf(page) {
  return [...prose(readFileSync(join(ROOT, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^\w+:/.test(target))
    .map((target) => {
      const [path, heading] = target.split('#');
      return { path, heading };
    });
}

/** As GitHub makes anchors of headings. */
function headingsOf(file) {
  return prose(readFileSync(file, 'utf8'))
    .split('\n')
    .filter((line) => /^#+ /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    );
}

/** Without blocks of code. */
function prose(markdown) {
  return markdown.replace(/^```.*?^```$/gms, '');
}

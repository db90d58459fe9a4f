// The configuration of VitePress.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { anchorOf } from './anchor.mjs';

/** Groups of the sidebar: a title, and the folder whose pages it lists, or the pages themselves. */
const GROUPS = [
  { title: 'Guides', folder: 'docs/guide' },
  { title: 'Reference', folder: 'docs/reference' },
  { title: 'API', folder: 'docs/reference/api', isDeep: true, isCollapsed: true },
  { title: 'Specifications', folder: 'docs/spec', isCollapsed: true },
  { title: 'How it works inside', folder: 'internals', isCollapsed: true },
  { title: 'Reports', folder: 'reports', isCollapsed: true },
  { title: 'Project', pages: ['docs/compare.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md'] },
];

/**
 * @param {string} pages The folder with the pages.
 * @returns {import('vitepress').UserConfig}
 */
export function siteConfig(pages) {
  const repository = 'https://github.com/ses-executor/ses-executor';
  return {
    title: 'ses-executor',
    description: 'Run the code that AI agents write, safely and at the speed of V8.',
    cleanUrls: false,
    markdown: {
      // Text such as `Promise<string>` in a page must not become an element or a component.
      html: false,
      anchor: { slugify: anchorOf },
      config: (md) => escapeMustaches(md),
    },
    themeConfig: {
      nav: [
        { text: 'Guides', link: '/docs/guide/' },
        { text: 'Reference', link: '/docs/reference/' },
        { text: 'Internals', link: '/internals/' },
      ].filter(({ link }) => existsSync(join(pages, link, 'index.md'))),
      sidebar: GROUPS.map((group) => sidebarGroup(pages, group)).filter(({ items }) => items.length > 0),
      outline: [2, 3],
      search: { provider: 'local' },
      socialLinks: [{ icon: 'github', link: repository }],
    },
    // The pages of the benchmark and of the attacks are large, and are loaded one at a time.
    vite: { build: { chunkSizeWarningLimit: 2_000 }, logLevel: 'warn' },
  };
}

/** Vue would read `{{ x }}` in text and in inline code as an expression. */
function escapeMustaches(md) {
  for (const rule of ['text', 'code_inline']) {
    const render = md.renderer.rules[rule];
    md.renderer.rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
  }
}

function sidebarGroup(pages, { title, folder, pages: listed, isDeep = false, isCollapsed = false }) {
  const paths = listed ?? pagesIn(pages, folder, isDeep);
  const items = paths
    .filter((path) => existsSync(join(pages, path)))
    .map((path) => ({ text: titleOf(join(pages, path)), link: `/${path.replace(/(index)?\.md$/, '')}` }));
  return { text: title, collapsed: isCollapsed, items };
}

/** Paths of the pages in a folder, the overview first. */
function pagesIn(pages, folder, isDeep) {
  if (!existsSync(join(pages, folder))) return [];
  const names = readdirSync(join(pages, folder), { recursive: isDeep }).filter((name) => name.endsWith('.md'));
  const rank = (name) => (basename(name) === 'index.md' ? 0 : 1);
  return names
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((name) => join(folder, name).replaceAll('\\', '/'));
}

/** The first heading of a page. */
function titleOf(file) {
  const [, title] = /^# (.*)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  return title?.replace(/[\\`]/g, '') ?? basename(file, '.md');
}

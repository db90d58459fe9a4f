// The Markdown files of the repository as pages of the site.

import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative, sep } from 'node:path';

/** Files and folders that become pages. */
const SOURCES = ['README.md', 'docs', 'internals', 'reports', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md'];
/** Text in backticks, or the target of a link or image. */
const CODE_OR_LINK = /(`+)[^`]*?\1|(?<=\]\()([^)\s]+)/g;

/**
 * Copies all pages to `folder`. Links between pages are kept; links to other files of the repository lead to GitHub.
 *
 * @param {string} root
 * @param {string} folder
 */
export function copyPages(root, folder) {
  const pages = listPages(root);
  const site = { root, pages: new Set(pages), repository: repositoryUrl(root) };
  const dead = [];
  for (const page of pages) {
    const text = mapProse(readFileSync(join(root, page), 'utf8'), (line) =>
      line.replace(CODE_OR_LINK, (whole, _ticks, target) => {
        if (target === undefined) return whole;
        const link = linkOnSite(page, target, site);
        if (link === undefined) dead.push(`${page}: ${target}`);
        return link ?? target;
      }),
    );
    const file = join(folder, pathOnSite(page));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  if (dead.length > 0) throw new Error(`links lead nowhere:\n${dead.join('\n')}`);
}

/** The paths of the pages, with slashes, relative to `root`. */
function listPages(root) {
  return SOURCES.filter((source) => existsSync(join(root, source))).flatMap((source) => {
    if (source.endsWith('.md')) return source;
    const names = readdirSync(join(root, source), { recursive: true }).filter((name) => name.endsWith('.md'));
    return names.map((name) => posix.join(source, name.replaceAll(sep, '/')));
  });
}

function repositoryUrl(root) {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return repository.url.replace(/^git\+|\.git$/g, '');
}

/** @param {string} page */
function pathOnSite(page) {
  return basename(page) === 'README.md' ? posix.join(dirname(page), 'index.md') : page;
}

/**
 * @param {string} page
 * @param {string} target
 * @param {{ root: string, pages: Set<string>, repository: string }} site
 * @returns {string | undefined} The link, or nothing if there is no such file.
 */
function linkOnSite(page, target, { root, pages, repository }) {
  if (/^[a-z]+:|^#/.test(target)) return target;
  const [path, fragment] = target.split('#');
  const wanted = posix.join(dirname(page), path);
  const found = [wanted, posix.join(wanted, 'README.md')].find((it) => pages.has(it));
  const hash = fragment === undefined ? '' : `#${fragment}`;
  if (found !== undefined) {
    const link = relative(dirname(pathOnSite(page)), pathOnSite(found)).replaceAll(sep, '/');
    return `./${link}${hash}`;
  }
  if (wanted.startsWith('..') || !existsSync(join(root, wanted))) return undefined;
  const kind = statSync(join(root, wanted)).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/main/${wanted}${hash}`;
}

/**
 * Changes all lines that are not in a code block, and removes comments.
 *
 * @param {string} text
 * @param {(line: string) => string} change
 */
function mapProse(text, change) {
  let fence;
  const lines = text.split('\n').map((line) => {
    const [mark] = /^\s*(```+|~~~+)/.exec(line) ?? [];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark.trim();
      else if (mark.trim().startsWith(fence)) fence = undefined;
      return line;
    }
    if (fence !== undefined) return line;
    return change(line.replace(/^<!--.*-->$/, ''));
  });
  return lines.join('\n');
}

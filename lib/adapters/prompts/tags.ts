import { describe } from '../../contract/describe';

/** The default tags of smolagents. */
export const DEFAULT_TAGS = ['<code>', '</code>'] as const;

/** @throws {TypeError} */
export function checkTags(tags: unknown, path: string): [string, string] {
  if (!Array.isArray(tags) || tags.length !== 2) {
    throw new TypeError(`${path} must be an array of the opening and the closing tag, got ${describe(tags)}`);
  }
  for (const tag of tags) {
    if (typeof tag === 'string' && tag.trim() !== '') continue;
    throw new TypeError(`${path} must hold two strings that are not blank, got ${describe(tag)}`);
  }
  return tags as [string, string];
}

import { textOf } from './messages';
import { isPlainObject } from '../../contract/describe';

/** Wrong blocks that an error names. */
const MAX_ISSUES = 5;

/** Properties of the kinds of blocks that must be there, with their types. */
const BLOCKS = {
  text: { text: 'string' },
  image: { data: 'string', mimeType: 'string' },
  audio: { data: 'string', mimeType: 'string' },
  resource: { resource: 'object' },
  resource_link: { uri: 'string', name: 'string' },
} as Record<string, Record<string, string>>;

/**
 * Checks the result of a tool as far as it is used here. The SDK's schema compares each block with five kinds, which takes
 * 10 microseconds and 2 KB for one that is wrong; here the first few that are wrong end it.
 *
 * @throws {Error} if it is not as the protocol has it
 */
export function checkedResult(result: any) {
  const issues = isPlainObject(result) ? issuesOf(result) : [{ path: [], message: 'Invalid input: expected object' }];
  if (issues.length > 0) throw new Error(textOf({ issues: issues as any }, 'its answer'));
  return result;
}

function issuesOf({ content, structuredContent, isError }: any) {
  const issues = [];
  if (structuredContent !== undefined && !isPlainObject(structuredContent)) {
    issues.push({ path: ['structuredContent'], message: 'Invalid input: expected object' });
  }
  if (isError !== undefined && typeof isError !== 'boolean') {
    issues.push({ path: ['isError'], message: 'Invalid input: expected boolean' });
  }
  if (content === undefined) return issues;
  if (!Array.isArray(content)) return [{ path: ['content'], message: 'Invalid input: expected array' }, ...issues];
  for (let at = 0; at < content.length && issues.length < MAX_ISSUES; at++) {
    if (!isBlock(content[at])) issues.push({ path: ['content', at], message: 'Invalid input' });
  }
  return issues;
}

function isBlock(block: any) {
  if (!isPlainObject(block)) return false;
  const kind = String(block.type);
  if (typeof block.type !== 'string' || !Object.hasOwn(BLOCKS, kind)) return false;
  const wanted = BLOCKS[kind];
  for (const name in wanted) {
    if (typeof block[name] !== wanted[name] || block[name] === null) return false;
  }
  return true;
}

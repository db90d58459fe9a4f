import { textOf } from './messages';
import { isPlainObject } from '../../contract/describe';
import type { Foreign } from '../../contract/foreign';

/** Maximum number of invalid blocks that an error names. */
const MAX_ISSUES = 5;

/** Required properties of each kind of block, with their types. */
const BLOCKS = {
  text: { text: 'string' },
  image: { data: 'string', mimeType: 'string' },
  audio: { data: 'string', mimeType: 'string' },
  resource: { resource: 'object' },
  resource_link: { uri: 'string', name: 'string' },
} as Record<string, Record<string, string>>;

/**
 * Checks the parts of a tool's result that are used here. The SDK's schema compares each block with five kinds. An
 * invalid block costs it 10 microseconds and 2 KB. This check stops after the first few invalid blocks.
 *
 * @throws {Error} if the result does not conform to the protocol
 */
export function checkedResult(result: Foreign) {
  const issues = isPlainObject(result) ? issuesOf(result) : [{ path: [], message: 'Invalid input: expected object' }];
  if (issues.length > 0) throw new Error(textOf({ issues } as Parameters<typeof textOf>[0], 'its answer'));
  return result;
}

function issuesOf({ content, structuredContent, isError }: Foreign) {
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

function isBlock(block: Foreign) {
  if (!isPlainObject(block)) return false;
  const kind = String(block.type);
  if (typeof block.type !== 'string' || !Object.hasOwn(BLOCKS, kind)) return false;
  const wanted = BLOCKS[kind];
  for (const name in wanted) {
    if (typeof block[name] !== wanted[name] || block[name] === null) return false;
  }
  return true;
}

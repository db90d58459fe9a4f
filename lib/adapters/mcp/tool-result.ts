import { textOf } from './messages';
import { isMcpBlock } from '../code-tool/mcp-result';
import { WorkBudget, inSlices } from '../../contract/budget';
import { isPlainObject } from '../../contract/describe';
import type { Foreign } from '../../contract/foreign';

/** Maximum number of invalid blocks that an error names. */
const MAX_ISSUES = 5;

/**
 * Checks the parts of a tool's result that are used here. The SDK's schema compares each block with five kinds. An
 * invalid block costs it 10 microseconds and 2 KB. This check stops after the first few invalid blocks.
 *
 * @throws {Error} if the result does not conform to the protocol
 */
export async function checkedResult(result: Foreign) {
  const budget = new WorkBudget();
  const issues = isPlainObject(result)
    ? await inSlices(findIssues(result, budget), budget)
    : [{ path: [], message: 'Invalid input: expected object' }];
  if (issues.length > 0) throw new Error(textOf({ issues } as Parameters<typeof textOf>[0], 'its answer'));
  return result;
}

function* findIssues({ content, structuredContent, isError }: Foreign, budget: WorkBudget) {
  const issues: { path: (string | number)[]; message: string }[] = [];
  if (structuredContent !== undefined && !isPlainObject(structuredContent)) {
    issues.push({ path: ['structuredContent'], message: 'Invalid input: expected object' });
  }
  if (isError !== undefined && typeof isError !== 'boolean') {
    issues.push({ path: ['isError'], message: 'Invalid input: expected boolean' });
  }
  if (content === undefined) return issues;
  if (!Array.isArray(content)) return [{ path: ['content'], message: 'Invalid input: expected array' }, ...issues];
  for (let at = 0; at < content.length && issues.length < MAX_ISSUES; at++) {
    if (!isMcpBlock(content[at])) issues.push({ path: ['content', at], message: 'Invalid input' });
    budget.addPart();
    if (budget.shouldPause) yield;
  }
  return issues;
}

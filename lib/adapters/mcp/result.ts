import { modelReport } from '../../contract/model-text';
import type { Told } from '../../contract/model-text';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** Converts a report to the result of a tool call: text for models, and the same information as data for programs. */
export async function callResult(report: Told): Promise<CallToolResult> {
  const { text, failure, logs, ...shown } = await modelReport(report);
  const content = [{ type: 'text' as const, text }];
  if (failure !== undefined) return { content, structuredContent: { error: failure, logs }, isError: true };
  return { content, structuredContent: { ...shown, logs } };
}

import { modelFailure, modelLogs, modelValue, reportText } from '../../contract/model-text';
import type { Report } from '../../contract/session';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** Converts a report to the result of a tool call: text for models, and the same information as data for programs. */
export function callResult(report: Report): CallToolResult {
  const { output, failure, note } = report;
  const content = [{ type: 'text' as const, text: reportText(report) }];
  const logs = modelLogs(report.logs);
  if (failure !== undefined) {
    return { content, structuredContent: { error: modelFailure(failure), logs }, isError: true };
  }
  return { content, structuredContent: { output: modelValue(output), logs, ...(note !== undefined && { note }) } };
}

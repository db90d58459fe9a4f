import { modelOutput, modelReport } from '../../contract/model-text';
import type { Reporting, Told } from '../../contract/model-text';
import type { WaitingCall } from '../../contract/waiting-types';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/**
 * Converts a report to the result of a tool call: text for models, the same information as data for programs, and what
 * the code has shown as further blocks.
 */
export async function callResult(report: Told, reporting?: Reporting): Promise<CallToolResult> {
  const { text, failure, waiting, logs, content: blocks = [], ...shown } = await modelReport(report, reporting);
  const content = [{ type: 'text' as const, text }, ...blocks];
  if (failure !== undefined) return { content, structuredContent: { error: failure, logs }, isError: true };
  if (waiting !== undefined) return { content, structuredContent: { waiting: await dataOf(waiting), ...shown, logs } };
  return { content, structuredContent: { ...shown, logs } };
}

/** Guests can pass values that JSON has no form for. */
function dataOf(calls: readonly WaitingCall[]) {
  return Promise.all(calls.map(async (call) => ({ ...call, args: (await modelOutput(call.args)).value })));
}

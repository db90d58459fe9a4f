// @ts-check
'use strict';

const { modelFailure, modelLogs, modelValue, reportText } = require('../../contract/model-text');

/**
 * The result of a tool call: text for models, and the same as data for programs.
 *
 * @param {import('../../contract/session').Report} report
 * @returns {import('@modelcontextprotocol/sdk/types.js').CallToolResult}
 */
function callResult(report) {
  const { output, failure, note } = report;
  const content = [{ type: /** @type {const} */ ('text'), text: reportText(report) }];
  const logs = modelLogs(report.logs);
  if (failure !== undefined) {
    return { content, structuredContent: { error: modelFailure(failure), logs }, isError: true };
  }
  return { content, structuredContent: { output: modelValue(output), logs, ...(note !== undefined && { note }) } };
}

module.exports = { callResult };

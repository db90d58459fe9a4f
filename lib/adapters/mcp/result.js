// @ts-check
'use strict';

const { failureText } = require('../../contract/failure-text');
const { outputText, toJson } = require('../../contract/render');

/** UTF-16 units of a result, some 6,000 tokens: hosts cut or refuse more. */
const MAX_CHARS = 24_000;

/**
 * The result of a tool call: text for models, and the same as data for programs.
 *
 * @param {import('../../contract/session').Report} report
 * @returns {import('@modelcontextprotocol/sdk/types.js').CallToolResult}
 */
function callResult({ output, failure, logs }) {
  const kept = cut(logs, 'of the logs; log less');
  if (failure !== undefined) {
    return {
      ...textResult(failureText(failure), kept),
      structuredContent: { error: failure, logs: kept },
      isError: true,
    };
  }
  const text = output === undefined ? 'undefined' : outputText(output);
  return {
    ...textResult(cut(text, HOW_TO_GIVE_LESS), kept),
    structuredContent: { output: jsonOf(output), logs: kept },
  };
}

const HOW_TO_GIVE_LESS = 'of the output; give back a part, a count or a summary';

/**
 * @param {string} text
 * @param {string} logs
 */
function textResult(text, logs) {
  return { content: [{ type: /** @type {const} */ ('text'), text: logs === '' ? text : `${text}\n\nLogs:\n${logs}` }] };
}

/**
 * The output as JSON; as cut text if it is too long.
 *
 * @param {unknown} output
 */
function jsonOf(output) {
  const json = toJson(output);
  if (typeof json === 'string') return cut(json, HOW_TO_GIVE_LESS);
  const text = JSON.stringify(json);
  return text.length > MAX_CHARS ? cut(text, HOW_TO_GIVE_LESS) : json;
}

/**
 * @param {string} text
 * @param {string} what is cut, and how to avoid it
 */
function cut(text, what) {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, MAX_CHARS)}\n[cut: the first ${MAX_CHARS} of ${text.length} characters ${what}]`;
}

module.exports = { callResult };

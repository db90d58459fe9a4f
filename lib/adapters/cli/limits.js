// @ts-check
'use strict';

const { checkOptions } = require('../../contract/options');

/**
 * The limits of an executor, with its own defaults.
 *
 * @param {{ timeoutMs?: number, toolTimeoutMs?: number, memoryLimitMb?: number, maxOperations?: number }} given
 */
function limitsOf({ timeoutMs, toolTimeoutMs, memoryLimitMb, maxOperations }) {
  const checked = checkOptions({ timeoutMs, toolTimeoutMs, memoryLimitMb, maxOperations });
  return {
    timeoutMs: checked.timeoutMs,
    toolTimeoutMs: checked.toolTimeoutMs,
    memoryLimitMb: checked.memoryLimitMb,
    maxOperations: checked.maxOperations,
  };
}

module.exports = { limitsOf };

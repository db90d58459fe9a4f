// @ts-check
'use strict';

const { checkOptions } = require('../../contract/options');

/**
 * The limits of an executor, with its own defaults.
 *
 * @param {{ timeoutMs?: number, memoryLimitMb?: number, maxOperations?: number }} given
 */
function limitsOf({ timeoutMs, memoryLimitMb, maxOperations }) {
  const checked = checkOptions({ timeoutMs, memoryLimitMb, maxOperations });
  return {
    timeoutMs: checked.timeoutMs,
    memoryLimitMb: checked.memoryLimitMb,
    maxOperations: checked.maxOperations,
  };
}

module.exports = { limitsOf };

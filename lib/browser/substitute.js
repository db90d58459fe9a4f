// @ts-check
'use strict';

const { SESExecutor } = require('../ses/executor');

/** What code says that wants a canvas where there is no browser. */
const NO_CANVAS =
  'there is no browser here, so that there is no canvas: install Chrome or Chromium, see the warning of the process';

/**
 * What takes the runs where no browser can be started: without what browsers have, with `getCanvas` and `saveArtifact` that say
 * so.
 *
 * @param {any} options of the `BrowserExecutor`
 * @returns {Promise<import('../../index').Executor>}
 */
async function substituteFor(options) {
  const executor = new SESExecutor({
    timeoutMs: options.timeoutMs,
    runConcurrency: options.runConcurrency,
    maxQueuedRuns: options.maxQueuedRuns,
    maxLogBytes: options.maxLogBytes,
    collectConsoleLevels: options.collectConsoleLevels,
    memoryLimitMb: options.memoryLimitMb,
    maxCodeBytes: options.maxCodeBytes,
    maxToolCalls: options.maxToolCalls,
    maxConcurrentToolCalls: options.maxConcurrentToolCalls,
    maxTransferBytes: options.maxTransferBytes,
    toolTimeoutMs: options.toolTimeoutMs,
    language: options.language,
    ...(options.onToolCall !== undefined && { onToolCall: options.onToolCall }),
    ...(options.onLog !== undefined && { onLog: options.onLog }),
    maxOperations: Number.MAX_SAFE_INTEGER,
  });
  await executor.init();
  const refuse = () => {
    throw Object.assign(new Error(NO_CANVAS), { code: 'ERR_NO_BROWSER' });
  };
  await executor.sendTools({ getCanvas: refuse, saveArtifact: refuse });
  return /** @type {any} */ (executor);
}

module.exports = { substituteFor };

import { NO_LIMIT, checkOptions } from '../../contract/options';

/** The limits of an executor, including its defaults. */
export function limitsOf({
  timeoutMs,
  toolTimeoutMs,
  memoryLimitMb,
  maxOperations = NO_LIMIT,
}: {
  timeoutMs?: number;
  toolTimeoutMs?: number;
  memoryLimitMb?: number;
  maxOperations?: number;
}) {
  const checked = checkOptions({ timeoutMs, toolTimeoutMs, memoryLimitMb, maxOperations });
  return {
    timeoutMs: checked.timeoutMs,
    toolTimeoutMs: checked.toolTimeoutMs,
    memoryLimitMb: checked.memoryLimitMb,
    maxOperations: checked.maxOperations,
  };
}

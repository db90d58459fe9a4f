// Generated from lib/contract/error-table.ts by scripts/generate.mjs. Do not edit: run `npm run generate`.

/**
 * Code of an {@link ExecutorError} (section 8.2); `docs/reference/errors.md` says what each means and what to do.
 * `ERR_MEMORY_LIMIT_EXCEEDED`, `ERR_TOOL_CALL_LIMIT_EXCEEDED`, `ERR_TRANSFER_LIMIT_EXCEEDED`, `ERR_WORKER_LOST`,
 * `ERR_BROWSER_INIT_FAILED` and `ERR_BROWSER_CRASHED` go beyond the specification.
 */
export type ExecutorErrorCode =
  | 'ERR_INVALID_STATE'
  | 'ERR_SES_INIT_FAILED'
  | 'ERR_VALIDATION_FAILED'
  | 'ERR_IMPORT_NOT_ALLOWED'
  | 'ERR_MAX_OPS_EXCEEDED'
  | 'ERR_EXEC_TIMEOUT'
  | 'ERR_RUNTIME_EXCEPTION'
  | 'ERR_TOOL_PROXY_FAIL'
  | 'ERR_MEMORY_LIMIT_EXCEEDED'
  | 'ERR_TOOL_CALL_LIMIT_EXCEEDED'
  | 'ERR_TRANSFER_LIMIT_EXCEEDED'
  | 'ERR_CLEANUP_FAILED'
  | 'ERR_WORKER_LOST'
  | 'ERR_BROWSER_INIT_FAILED'
  | 'ERR_BROWSER_CRASHED';

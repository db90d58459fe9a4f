/** The result of an execution. */
export interface ExecuteResult {
  /**
   * The return value of the function, if JSON can represent it completely and briefly. Otherwise the string that
   * `util.inspect` returns, shortened if it is long. `undefined` if the function returned nothing or if there is an
   * `error`.
   */
  result: unknown;
  /** The failure in a form for the model: code, message, location, code frame and hint. */
  error?: string;
  /** Console output. Lines of `console.warn` and `console.error` begin with `[warn] ` and `[error] `. */
  logs?: string[];
}

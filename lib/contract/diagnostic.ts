/** A finding of validation (section 8.3). */
export interface Diagnostic {
  /** Identifier of the rule, e.g. `syntax_valid` (section 6.2, appendix B). */
  rule: string;
  /** An `ERROR` prevents the code from running. The others do not. */
  severity: 'ERROR' | 'WARNING' | 'INFO';
  message: string;
  /**
   * Line and column, both from 1. The column is in UTF-16 units. Absent if the finding does not refer to a position.
   */
  location?: { line: number; column: number };
  /** What to write instead, if that is known. */
  fix?: string;
}

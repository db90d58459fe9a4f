/** Finding of validation (section 8.3). */
export interface Diagnostic {
  /** Identifier of the rule, e.g. `syntax_valid` (section 6.2, appendix B). */
  rule: string;
  /** `ERROR` keeps the code from running; the others do not. */
  severity: 'ERROR' | 'WARNING' | 'INFO';
  message: string;
  /** Line and column, both from 1, the column in UTF-16 units. Absent if the finding is not about a place. */
  location?: { line: number; column: number };
  /** What to write instead, where that is known. */
  fix?: string;
}

import { hintOfMissing } from '../contract/missing-names';
import type { Diagnostic } from '../contract/diagnostic';
import type { Surroundings } from '../contract/missing-names';
import type { Finding } from './judge';

/** Further findings are left out: usually they follow from these. */
const MAX_FINDINGS = 20;
const MEANT = /Did you mean (?:to write |the static member |the instance member )?'([^']+)'\?/;
/** Advice about options of the compiler and packages with types, which authors of programs do not have. */
const ADVICE = / (?:Do you need to|Try (?:changing|`npm)|If you)[^]*$/;

/** The findings as diagnostics, in the order of their positions. */
export function diagnosticsOf(
  findings: readonly Finding[],
  source: string,
  severity: Diagnostic['severity'],
  surroundings: Surroundings,
): Diagnostic[] {
  const sorted = [...findings].sort((a, b) => a.at - b.at).slice(0, MAX_FINDINGS);
  return sorted.map((finding) => {
    const fix = fixOf(finding, source, surroundings);
    return {
      rule: 'type_error',
      severity,
      message: finding.text.replace(ADVICE, ''),
      location: placeOf(source, finding.at),
      ...(fix !== undefined && { fix }),
    };
  });
}

/** The warning that a program was not checked. */
export function notChecked(reason: string): Diagnostic {
  return { rule: 'types_not_checked', severity: 'WARNING', message: `The types were not checked: ${reason}` };
}

function fixOf({ text, name, lacksAwait }: Finding, source: string, surroundings: Surroundings) {
  if (lacksAwait) return 'Write `await` before the call: it returns a promise';
  const [, meant] = MEANT.exec(text) ?? [];
  if (meant !== undefined) return `Write \`${meant}\``;
  if (name?.kind !== 'variable') return undefined;
  return hintOfMissing(source, { name: 'ReferenceError', message: `${name.text} is not defined` }, surroundings);
}

function placeOf(source: string, at: number) {
  const before = source.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let i = before.indexOf('\n'); i !== -1; i = before.indexOf('\n', i + 1)) line++;
  return { line, column: at - lineStart + 1 };
}

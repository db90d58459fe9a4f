// attack: reserved identifiers, import and eval spelled with unicode escapes
// outcome: value [ 'ERR_VALIDATION_FAILED', 'ERR_VALIDATION_FAILED', 'ERR_VALIDATION_FAILED', 'ERR_VALIDATION_FAILED', 'ERR_RUNTIME_EXCEPTION', 'ERR_MAX_OPS_EXCEEDED' ]
// state: READY
import { inspect } from 'node:util';

export const scenario = async ({ run }) => {
  const programs = [
    '\\u005f_smol_budget = 1e9; for (;;);',
    '\\u{5f}\\u{5f}smol_done = false;',
    'impo\\u0072t("fs")',
    'const { __smol\\u005fguard: x } = 1, __smo\\u006c_y = 1;',
    '\\u0065val("1")',
    'const wh\\u0069le_ = 1; for (;;);',
  ];
  const outcomes = [];
  for (const program of programs) outcomes.push(await run(program));
  return `value ${inspect(outcomes, { breakLength: Infinity, compact: true })}`;
};

// attack: program text that closes the function around it
// outcome: value [ 'ERR_VALIDATION_FAILED', 'ERR_VALIDATION_FAILED', 'ERR_VALIDATION_FAILED', 'ERR_VALIDATION_FAILED', 'ERR_VALIDATION_FAILED', 'ERR_VALIDATION_FAILED', 'value 1' ]
// state: READY
import { inspect } from 'node:util';

export const scenario = async ({ run }) => {
  const programs = [
    '}); globalThis.x = 1; (async () => {',
    '}, 1); (() => {',
    '*/ 1 /*',
    'super.x',
    'new.target',
    '// \u2028 } // \u2029',
    '/* ` ${ */ 1 // ` } */',
  ];
  const outcomes = [];
  for (const program of programs) outcomes.push(await run(program));
  return `value ${inspect(outcomes, { breakLength: Infinity, compact: true })}`;
};

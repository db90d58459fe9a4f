// attack: HTML comments, which scripts and modules read differently, to hide code from the transformer
// outcome: value 'nothing was hidden'
// state: READY
export const scenario = async ({ run }) => {
  const programs = [
    '<!-- for (;;);\nreturn 1',
    'let x = 1;\n--> for (;;);\nreturn x',
    '/* */ --> for (;;);\nreturn 1',
    'let x = 2; x<!--y\n; return 1',
    'let x = 5; while (x --> 0) for (;;);',
    '#!/usr/bin/env node\nfor (;;);',
  ];
  const seen = [];
  for (const program of programs) seen.push(await run(program));
  const isHidden = seen.some((outcome) => !/^(ERR_VALIDATION_FAILED|ERR_MAX_OPS_EXCEEDED)$/.test(outcome));
  return `value '${isHidden ? seen.join() : 'nothing was hidden'}'`;
};

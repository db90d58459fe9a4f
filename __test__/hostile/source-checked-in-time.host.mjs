// attack: texts that take long to check, which the host checks before it runs them
// outcome: value 'the host goes on'
// state: READY
// options: {"timeoutMs":10000}
// peak: 1024 syntax trees of 1 MB sources, on separate threads
// processPeak: 544 the host checks the text, in its own process
const TEXTS = [
  'f(f(f(1)));'.repeat(90_000),
  'await 0;'.repeat(120_000),
  '[() => 1, { a: [] }];'.repeat(48_000),
  `/${'\\p{L}'.repeat(190_000)}/u`,
  `${'let a: (b: string) => number;'.repeat(34_000)}`,
  `/[${'a-z'.repeat(330_000)}]/iv`,
];

export const scenario = async ({ api }) => {
  for (let round = 0; round < 3; round++) {
    for (const text of TEXTS) {
      const rules = api.validateCode(text).filter(({ severity }) => severity === 'ERROR');
      if (rules.some(({ rule }) => !['not_checked', 'regexp_too_complex', 'syntax_valid'].includes(rule))) {
        return JSON.stringify(rules).slice(0, 300);
      }
    }
  }
  // A thread that was given up does not keep others from being asked.
  let found;
  for (let i = 0; i < 400; i++) {
    found = api.validateCode('let a; let a');
    if (found[0].rule === 'syntax_valid') break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return `value '${found[0].rule === 'syntax_valid' ? 'the host goes on' : found[0].rule}'`;
};

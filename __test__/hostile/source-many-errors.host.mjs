// attack: programs of a megabyte that are wrong at each of their statements
// outcome: value 'each has its first hundred errors'
// state: READY
// options: {"timeoutMs":10000,"maxCodeBytes":1100000}
// peak: 512 syntax trees, and an error for each statement
export const scenario = async ({ executor }) => {
  for (const statement of ['01;', 'break x;', 'for(;;)continue x;', 'for(;;)continue/**/x;          ']) {
    const code = statement.repeat(1_000_000 / statement.length);
    const { details } = await executor.run(code).catch((failure) => failure);
    const rules = details?.diagnostics?.map(({ rule }) => rule);
    const isRight = rules?.length === 100 && rules.every((rule) => rule === 'syntax_valid');
    if (!isRight) return `${statement}: ${JSON.stringify(details).slice(0, 200)}`;
  }
  return "value 'each has its first hundred errors'";
};

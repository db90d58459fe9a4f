// attack: a quarter of a million comments before a name, whose stars nest nothing
// outcome: value 'none is too deep'
// state: READY
// options: {"timeoutMs":10000,"maxCodeBytes":1100000}
export const scenario = async ({ run }) => {
  for (const comment of ['/**/', '/***/', '/* * */']) {
    const outcome = await run(`${comment.repeat(1_020_000 / comment.length)}typeof nope`);
    if (outcome !== "value 'undefined'") return `${comment}: ${outcome}`;
  }
  return "value 'none is too deep'";
};

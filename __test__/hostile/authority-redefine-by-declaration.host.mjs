// attack: top-level declarations named as tools, console and final_answer, to deceive later runs
// outcome: final [ 'real', 'object' ]
// state: READY
export const scenario = async ({ run }) => {
  await run(
    `const echo = () => 'fake'; const console = { log() {} }; function later() { return 'fake'; } var Host = 1; echo()`,
  );
  await run(`function final_answer() { return 'fake'; } final_answer(1)`);
  await run(`class harden {} ; let fail = 1`);
  return run(`final_answer([echo('real'), typeof console])`);
};

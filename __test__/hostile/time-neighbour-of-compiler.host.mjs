// attack: a large program that is compiled beside a neighbour, which needs the compiler too
// outcome: value 'the neighbour is as fast'
// state: READY
// options: {"timeoutMs":40000}
// peak: 400 three programs of a megabyte, as they are compiled
const LOOP = `
  let sum = 0;
  for (let i = 0; i < 2e6; i++) sum = (sum + i * i) | 0;
  return sum;
`;

export const scenario = async ({ SESExecutor, options, outcomeOf }) => {
  const neighbour = new SESExecutor({ ...options, maxOperations: 1e9 });
  await neighbour.init();
  let text = 0;
  const time = async () => {
    const started = performance.now();
    await neighbour.run(`// ${text++}\n${LOOP}`);
    return performance.now() - started;
  };
  const [alone, beside, guests] = [[], [], []];
  // In turns, so that what else the machine does slows down both.
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 5; i++) alone.push(await time());
    const guest = new SESExecutor({ ...options, autoInit: true });
    await outcomeOf(guest.run(`${'await 0;'.repeat(131_000)} return ${round}`));
    guests.push(guest);
    // What the program's function is optimised with would take several seconds from now on.
    for (let i = 0; i < 5; i++) beside.push(await time());
  }
  const ratio = Math.min(...beside) / Math.min(...alone);
  for (const guest of [neighbour, ...guests]) await guest.cleanup();
  return `value '${ratio < 5 ? 'the neighbour is as fast' : `${ratio} times as slow`}'`;
};

// attack: a hot loop with a body of half a megabyte
// outcome: value 'compiled, and nothing goes on'
// state: READY
// options: {"timeoutMs":25000,"maxOperations":100000000}
// peak: 192 a program of up to a megabyte, as it is compiled
const program = `let x = 0; for (let i = 0; i < 200; i++) { ${'x = x + i | 0;'.repeat(35_000)} } return 1`;

export const scenario = async ({ run }) => {
  const outcome = await run(program);
  const [started, used] = [performance.now(), process.cpuUsage()];
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { user, system } = process.cpuUsage(used);
  const share = (user + system) / 1e3 / (performance.now() - started);
  return `value '${outcome === 'value 1' && share < 0.5 ? 'compiled, and nothing goes on' : `${outcome}, ${share}`}'`;
};

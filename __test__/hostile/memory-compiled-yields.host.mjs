// attack: 100,000 yields in one generator
// outcome: value 'compiled, and nothing goes on'
// state: READY
// options: {"timeoutMs":25000,"maxOperations":100000000}
// peak: 192 a program of up to a megabyte, as it is compiled
const program = `function* g() { ${'yield 1;'.repeat(100_000)} } for (const x of g()); return 1`;

export const scenario = async ({ run }) => {
  const outcome = await run(program);
  const [started, used] = [performance.now(), process.cpuUsage()];
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { user, system } = process.cpuUsage(used);
  const share = (user + system) / 1e3 / (performance.now() - started);
  return `value '${outcome === 'value 1' && share < 0.5 ? 'compiled, and nothing goes on' : `${outcome}, ${share}`}'`;
};

// attack: final answers whose getters call a tool again and again, at deadlines of 1 to 20 ms
// outcome: value 'ERR_EXEC_TIMEOUT DIRTY'
// state: READY
const CODE = 'final_answer({ get answer() { for (;;) echo(1); } })';

export async function scenario({ SESExecutor, outcomeOf, prepared }) {
  const seen = new Set();
  for (let timeoutMs = 1; timeoutMs <= 20; timeoutMs++) {
    const executor = new SESExecutor({ timeoutMs, maxOperations: 1e12, maxToolCalls: 1e9 });
    await prepared(executor);
    const outcome = await outcomeOf(executor.run(CODE));
    seen.add(`${outcome} ${executor.state}`);
    await executor.cleanup();
  }
  return `value '${[...seen].join()}'`;
}

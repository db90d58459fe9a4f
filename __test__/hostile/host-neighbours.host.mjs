// attack: a guest that loops and hoards while seven others work
// outcome: value 'the others finished'
// state: READY
// options: {"timeoutMs":6000,"maxOperations":1000000000000}
// peak: 512 eight isolates, two of them at their limit of 64 MB
export const scenario = async ({ SESExecutor, options, outcomeOf }) => {
  const make = () => new SESExecutor({ ...options, autoInit: true });
  const hostile = [make(), make(), make()];
  const programs = [
    'const hoard = []; for (;;) hoard.push({});',
    'for (;;);',
    'const a = () => { Promise.resolve().then(a); }; a(); await new Promise(() => {});',
  ];
  const attacks = hostile.map((executor, i) => outcomeOf(executor.run(programs[i], { timeoutMs: 2000 })));
  const honest = Array.from({ length: 5 }, make);
  const outcomes = [];
  for (let round = 0; round < 5; round++) {
    outcomes.push(
      ...(await Promise.all(
        honest.map((executor) => outcomeOf(executor.run('let n = 0; for (let i = 0; i < 1e4; i++) n += i; n'))),
      )),
    );
  }
  const codes = await Promise.all(attacks);
  await Promise.all([...hostile, ...honest].map((executor) => executor.cleanup()));
  const isFine =
    outcomes.every((outcome) => outcome === 'value 49995000') && codes.every((code) => code.startsWith('ERR_'));
  return `value '${isFine ? 'the others finished' : `${outcomes} ${codes}`}'`;
};

// attack: cleanup and init in every order while init is under way
// outcome: value 'READY works'
// state: READY
export const scenario = async ({ SESExecutor, outcomeOf }) => {
  for (let i = 0; i < 10; i++) {
    const other = new SESExecutor();
    const calls = [other.init(), other.cleanup(), other.init(), other.cleanup(), other.cleanup(), other.init()];
    const settled = await Promise.allSettled(calls);
    if (settled.some(({ reason }) => reason && reason.code !== 'ERR_INVALID_STATE')) return `value '${settled}'`;
    if (other.state !== 'READY') await other.init();
    const outcome = await outcomeOf(other.run('1'));
    if (outcome !== 'value 1') return outcome;
    await other.cleanup();
  }
  return "value 'READY works'";
};

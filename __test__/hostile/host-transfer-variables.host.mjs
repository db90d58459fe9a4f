// attack: variables of 100 GB that take 1 MB on the host
// outcome: ERR_TRANSFER_LIMIT_EXCEEDED
// state: READY
export const scenario = ({ executor, outcomeOf }) =>
  outcomeOf(executor.sendVariables({ huge: Array(1e5).fill('x'.repeat(1e6)) }));

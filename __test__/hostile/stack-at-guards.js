// attack: a loop at every depth of the stack, until the guard has to signal at its end
// outcome: ERR_MAX_OPS_EXCEEDED
// state: READY
const sink = () => {
  try {
    sink();
  } finally {
    for (let i = 0; i < 1e9; i++);
  }
};
sink();

// attack: final_answer called at the very end of the stack
// outcome: final 'deep'
// state: READY
const sink = () => {
  try {
    sink();
  } catch {
    final_answer('deep');
  }
};
sink();

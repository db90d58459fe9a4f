// attack: a tool called with what is left of the stack at every depth
// outcome: value 'ok'
// state: READY
// options: {"maxToolCalls":100000,"timeoutMs":5000}
let calls = 0;
const sink = () => {
  try {
    sink();
  } finally {
    if (calls++ < 400) {
      try {
        echo({ list: [1, { calls }] });
        later([calls]).catch(() => {});
      } catch {
        // no room
      }
    }
  }
};
try {
  sink();
} catch {
  // the RangeError
}
return echo('ok');

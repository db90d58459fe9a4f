// attack: a getter of a final answer that calls a tool without end
// outcome: ERR_TOOL_CALL_LIMIT_EXCEEDED
// state: READY
final_answer({
  get answer() {
    for (;;) echo(1);
  },
});

// attack: a getter of an argument that passes the same argument to the tool again
// outcome: ERR_TOOL_CALL_LIMIT_EXCEEDED
// state: READY
const argument = {
  get again() {
    return echo(argument);
  },
};
echo(argument);

// attack: a proxy as tool argument, whose traps would run while it is written
// outcome: ERR_TOOL_PROXY_FAIL
// state: READY
// details: {"tool":"echo","bridge":true}
const loud = new Proxy(
  {},
  {
    ownKeys() {
      final_answer('trap ran');
    },
    get() {
      final_answer('trap ran');
    },
  },
);
echo({ inner: [loud] });

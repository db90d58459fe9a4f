// attack: an argument that is nested 100,000 levels deep
// outcome: ERR_TOOL_PROXY_FAIL
// state: READY
// options: {"maxOperations":200000}
// details: {"tool":"echo","bridge":true}
let deep = {};
for (let i = 0; i < 100_000; i++) deep = { deep };
echo(deep);

// attack: a tool called with 100,000 arguments
// outcome: ERR_TOOL_PROXY_FAIL
// state: READY
// details: {"tool":"echo","bridge":true}
echo(...Array(100_000).fill(1));

// attack: getters of an argument that call the tool again, each with 20 MB of the argument written already
// outcome: ERR_TOOL_PROXY_FAIL
// state: READY
// options: {"timeoutMs":20000}
// details: {"tool":"echo","code":"ERR_TRANSFER_LIMIT_EXCEEDED"}
// peak: 256 the heap, and what is under way of the arguments
const big = 'x'.repeat(20e6);
const nest = (levels) => ({ big, get next() { return levels > 0 && echo(nest(levels - 1)) !== 0; } });
return echo(nest(40));

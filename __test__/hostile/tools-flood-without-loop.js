// attack: calls of tools from a built-in's callback, without a loop
// outcome: ERR_TOOL_CALL_LIMIT_EXCEEDED
// state: READY
return Array.from({ length: 1_000_000 }, (_, i) => later(i)).length;

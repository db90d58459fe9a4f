// attack: join of an array of holes with a separator
// outcome: ERR_MEMORY_LIMIT_EXCEEDED
// state: READY
// options: {"timeoutMs":20000}
return Array(2.5e8).join('xx').charCodeAt(3);

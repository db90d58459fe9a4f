// attack: an output whose then never calls back
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
return { then() {} };

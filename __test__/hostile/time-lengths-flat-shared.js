// attack: flat of arrays that hold themselves twice, 60 levels deep
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
let list = [];
for (let i = 0; i < 60; i++) list = [list, list];
return list.flat(Infinity).length;

// attack: reverse and copyWithin of a subclass of Array with 2^32 holes
// outcome: ERR_EXEC_TIMEOUT
// state: DIRTY
// options: {"timeoutMs":500}
class List extends Array {}
const list = new List();
list.length = 2 ** 32 - 1;
list.reverse();
return list.copyWithin(1, 2).length;

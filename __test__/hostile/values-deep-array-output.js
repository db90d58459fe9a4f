// attack: an output of arrays nested 100,000 levels deep
// outcome: value [ [ [ [ [ [ [ [Array] ] ] ] ] ] ] ]
// state: READY
// options: {"maxOperations":200000}
let deep = [];
for (let i = 0; i < 100_000; i++) deep = [deep];
return deep;

// attack: arrays with four billion holes as output, argument and in logs
// outcome: value [ 4294967295, 4294967295 ]
// state: READY
const sparse = [];
sparse[4294967294] = 1;
const empty = new Array(4294967295);
console.log(sparse, empty);
console.table(sparse);
return [echo(sparse).length, (await later(empty)).length];

// attack: toJSON of arguments, results and output, which must not run where values are cloned
// outcome: value [ [ 'TypeError', 'TypeError' ], 0 ]
// state: READY
let calls = 0;
const spy = { toJSON: () => calls++ };
const names = [];
try {
  echo(spy);
} catch (error) {
  names.push(error.name);
}
await later([spy]).catch((error) => names.push(error.name));
return [names, calls];

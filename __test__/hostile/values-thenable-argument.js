// attack: a thenable as argument, which would run if the host awaited it
// outcome: value [ 'TypeError', 'TypeError', 0 ]
// state: READY
let calls = 0;
const thenable = { then: () => calls++ };
const names = [];
try {
  echo(thenable);
} catch (error) {
  names.push(error.name);
}
await later({ thenable }).catch((error) => names.push(error.name));
return [...names, calls];

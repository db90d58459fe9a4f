// attack: async-generator return() with a thenable that runs code while the generator is closed
// outcome: value [ 'thenable', 'thenable', true, 'finally' ]
// state: READY
const steps = [];
async function* source() {
  try {
    yield 1;
  } finally {
    steps.push('finally');
  }
}
const thenable = {
  get then() {
    steps.push('thenable');
    return (resolve) => resolve('x');
  },
};
const fresh = source();
await fresh.return(thenable);
const begun = source();
await begun.next();
const last = await begun.return(thenable);
return [steps[0], steps[1], last.done, steps[2]];

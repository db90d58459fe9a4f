// attack: frames of the bootstrap and of the host by Error.captureStackTrace and stacks of every kind of error
// outcome: value []
// state: READY
const stacks = [];
const target = {};
Error.captureStackTrace?.(target);
stacks.push(target.stack);
const spy = {
  get seen() {
    stacks.push(new Error('getter').stack);
    return 1;
  },
  [Symbol.for('nodejs.util.inspect.custom')]() {
    stacks.push(new Error('inspect').stack);
    return 'x';
  },
};
echo(spy.seen);
console.log(spy);
console.log('%s', { toString: () => (stacks.push(new Error('toString').stack), 'x') });
try {
  fail('x');
} catch (error) {
  stacks.push(error.stack);
}
await failLater('x').catch((error) => stacks.push(error.stack));
[2, 1].sort(() => stacks.push(new Error('sort').stack));
const signs = /node:|file:|ext:|\/work|\.mjs|\.rs|smol|bootstrap|harness|lib\/|deno/i;
return stacks.filter((stack) => signs.test(stack));

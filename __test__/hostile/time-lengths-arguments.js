// attack: 2^26 arguments by apply, Reflect.apply and Reflect.construct
// outcome: value [ 'RangeError: 67108864 arguments are too many', 'RangeError: 67108864 arguments are too many', 'RangeError: 67108864 arguments are too many' ]
// state: READY
// options: {"timeoutMs":500}
const list = { length: 2 ** 26 };
const errors = [];
for (const call of [
  () => Math.max.apply(null, list),
  () => Reflect.apply(Math.max, null, list),
  () => Reflect.construct(Date, list),
]) {
  try {
    call();
  } catch (error) {
    errors.push(`${error.name}: ${error.message.slice(0, 31)}`);
  }
}
return errors;

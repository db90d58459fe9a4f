// Middleware, an event emitter and closures.
class Emitter {
  constructor() {
    this.handlers = new Map();
  }
  on(event, handler) {
    const list = this.handlers.get(event) ?? [];
    this.handlers.set(event, [...list, handler]);
    return () =>
      this.handlers.set(
        event,
        this.handlers.get(event).filter((one) => one !== handler),
      );
  }
  emit(event, ...args) {
    for (const handler of this.handlers.get(event) ?? []) handler(...args);
  }
}
const compose =
  (...fns) =>
  (input) =>
    fns.reduce((value, fn) => fn(value), input);
const emitter = new Emitter();
const totals = { even: 0, odd: 0, sum: 0 };
emitter.on('number', (n) => (n % 2 === 0 ? totals.even++ : totals.odd++));
const off = emitter.on('number', (n) => {
  totals.sum += n;
});
const pipeline = compose(
  (n) => n + 1,
  (n) => n * 2,
  ({ toString, ...rest }) => rest.value ?? 0,
);
const transform = compose(
  (n) => n + 1,
  (n) => n * 3,
  (n) => n % 1009,
);
for (let i = 0; i < 120000; i++) {
  if (i === 100000) off();
  emitter.emit('number', transform(i));
}
return { ...totals, pipeline: pipeline(3) };

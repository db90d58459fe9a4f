// attack: AggregateError with hostile members, thrown and uncaught
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
// details: {"name":"AggregateError","message":"many"}
const members = [
  new Proxy(new Error('p'), {}),
  {
    get message() {
      for (;;);
    },
  },
  () => {},
  Symbol('x'),
];
members.push(members);
await Promise.any(members.map((member) => Promise.reject(member))).catch((error) => {
  throw Object.assign(new AggregateError(error.errors, 'many'), { cause: error });
});

// Closures, `this` and accessors of objects that are followed.
const api = {
  base: 'v1',
  get(path) {
    return t0({ path });
  },
  both() {
    return [this.get('/a'), this.get('/b')];
  },
};
api.both();
const counter = () => {
  let tool = t1;
  return {
    use: (next) => ([tool, next] = [next, tool]),
    call: () => tool('closure'),
  };
};
const { use, call } = counter();
call();
use(t2);
call();

// Calls that no call expression shows.
const object = {
  get read() {
    return t0('get');
  },
  set written(value) {
    t0('set', value);
  },
  toString() {
    t1('toString');
    return 'text';
  },
};
object.read;
object.written = 1;
`${object}`;

const thenable = {
  then(resolve) {
    t2('then');
    resolve(1);
  },
};
await thenable;

const iterable = {
  *[Symbol.iterator]() {
    yield t3('iterated');
  },
};
[...iterable];

1 instanceof { [Symbol.hasInstance]: ns.x };
new Proxy({}, { get: ns.y }).anything;
JSON.stringify({ toJSON: ns.deep.z });

// attack: what URL and URLSearchParams are made of: foreign receivers, subclasses, private fields, constructors, iterators
// outcome: value [ 'TypeError', 'TypeError', 'TypeError', 'TypeError', 'EvalError', 'EvalError', 'TypeError', 'TypeError', 'http://b/?x=1' ]
// state: READY
const nameOf = (attempt) => {
  try {
    return attempt();
  } catch (error) {
    return error.name;
  }
};
const accessor = (prototype, key) => Object.getOwnPropertyDescriptor(prototype, key);
class Liar extends URL {
  get href() {
    return 'http://forged/';
  }
}
const liar = new Liar('http://b/');
liar.searchParams.append('x', '1');
return [
  nameOf(() => Reflect.apply(accessor(URL.prototype, 'href').get, {}, [])),
  nameOf(() => Reflect.apply(accessor(URL.prototype, 'host').set, new URLSearchParams(), ['x'])),
  nameOf(() => URLSearchParams.prototype.append.call({ __proto__: URLSearchParams.prototype }, 'a', 'b')),
  nameOf(() => URL('http://a/')),
  nameOf(() => URL.constructor('return 1')()),
  nameOf(() => new URLSearchParams().keys().constructor.constructor('return 1')()),
  nameOf(() => (URL.prototype.href = 1)),
  nameOf(() => Object.defineProperty(URLSearchParams.prototype, 'get', { value: 1 })),
  new URL(liar.toString.call(new URL('http://b/?' + liar.searchParams))).href,
];

// attack: namespaces with keys named __proto__, constructor and then
// outcome: value [ 'proto', 'constructor', 'then', 'object' ]
// state: READY
export const tools = {
  Odd: JSON.parse('{"x": 1}', (key, value) => (key === 'x' ? () => 'x' : value)),
};
Object.defineProperty(tools.Odd, '__proto__', { value: () => 'proto', enumerable: true });
Object.assign(tools.Odd, { constructor: () => 'constructor', then: () => 'then' });
export const code = `
  const own = (name) => Object.getOwnPropertyDescriptor(Odd, name).value;
  return [own('__proto__')(), Odd.constructor(), Odd.then(), typeof Object.getPrototypeOf(Odd)];`;

// Methods may be called by any code that has the object.
class Base {
  #kept = t0;
  field = 1;
  constructor() {
    t1('constructor');
  }
  call() {
    return this.#kept('private field');
  }
  static {
    t2('static block');
  }
  static made = t3('static field');
}
class Derived extends Base {
  call() {
    super.call();
    return ns.x('override');
  }
  get value() {
    return ns.y('getter');
  }
}
new Derived().call();

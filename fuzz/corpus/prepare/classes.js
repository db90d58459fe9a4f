class A { #p = 1; static s = 2; static { this.t = 3; } get q() { return this.#p; } set q(v) { this.#p = v; } *g() { yield* [1]; } async m() { return await 1; } has(o) { return #p in o; } }
class B extends A { constructor() { super(); super.q = 2; } }
new B().q

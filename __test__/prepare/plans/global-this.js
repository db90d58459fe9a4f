// So does `this` at the top level, also in arrow functions.
(() => this)().t2('this');

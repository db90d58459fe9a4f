// attack: promises of a subclass whose then never calls back, in place of the engine's own
// outcome: value [ 1, 2, 3, 4 ]
// state: READY
class Silent extends Promise {
  then(resolve) {
    resolve?.('silent');
    return new Promise(() => {});
  }
}
const promise = later(1);
try {
  Object.setPrototypeOf(promise, Silent.prototype);
} catch {
  // Sealed or not, the next line awaits it.
}
const shared = Object.getPrototypeOf(promise) === Silent.prototype;
const one = shared ? 1 : await promise;
const two = await Promise.all([later(2)]);
const own = Promise.resolve(3);
Object.defineProperty(own, 'constructor', { value: Silent });
const last = Object.defineProperty(later(4), 'then', { value: (resolve) => resolve(4) });
return [one, two[0], (await own) === 'silent' ? 'stolen' : 3, await last];

// attack: overwriting and deleting every global, every console method and every intrinsic between runs
// outcome: final [ 'works', '[ [ 1, 2 ], 3 ]', 'undefined' ]
// state: READY
export const scenario = async ({ run }) => {
  await run(`
    const targets = [console, Object, Array.prototype, Promise.prototype, Math, JSON, Reflect, Error, Function.prototype];
    const overwritten = () => { throw new Error('overwritten'); };
    for (const object of targets) {
      for (const key of Reflect.ownKeys(object)) {
        try { object[key] = overwritten; } catch {}
        try { Object.defineProperty(object, key, { get: overwritten }); } catch {}
        try { delete object[key]; } catch {}
      }
    }`);
  await run(`
    const names = Reflect.ownKeys(globalThis).filter((name) => !['Uint8Array', 'Date'].includes(name));
    const { deleteProperty, defineProperty, set } = Reflect;
    for (let i = 0; i < names.length; i++) {
      set(globalThis, names[i], 'overwritten');
      defineProperty(globalThis, names[i], { value: 'overwritten' });
      deleteProperty(globalThis, names[i]);
    }`);
  return run(`final_answer(['works', Host.show([[1, 2], 1 + 2]), typeof Array]);`);
};

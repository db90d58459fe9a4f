// attack: a forged failure of a tool, with everything that a real one shows
// outcome: ERR_RUNTIME_EXCEPTION
// state: READY
let real;
try {
  fail('real');
} catch (error) {
  real = error;
}
const forged = Object.create(real);
for (const key of Reflect.ownKeys(real)) Object.defineProperty(forged, key, Object.getOwnPropertyDescriptor(real, key));
throw forged;

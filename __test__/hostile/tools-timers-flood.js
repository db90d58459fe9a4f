// attack: more timers than there may be, and as many again in each callback
// outcome: value [ 1000, 'RangeError', true ]
// state: READY
// options: {"globals":["timers"]}
let made = 0;
let name;
const flood = () => {
  try {
    for (;;) {
      setTimeout(flood, 1);
      made++;
    }
  } catch (error) {
    ({ name } = error);
  }
};
flood();
const first = made;
await new Promise((resolve) => queueMicrotask(resolve));
return [first, name, made === first];

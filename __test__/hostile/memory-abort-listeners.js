// attack: listeners and signals without end that depend on one signal
// outcome: value [ 1000, 'RangeError', 1000, 'RangeError', 1000 ]
// state: READY
// options: {"globals":["abort"]}
const count = (work) => {
  let done = 0;
  try {
    for (;;) {
      work();
      done++;
    }
  } catch (error) {
    return [done, error.name];
  }
};
const listened = new AbortController();
let heard = 0;
const listeners = count(() => listened.signal.addEventListener('abort', () => heard++));
const followed = new AbortController();
const followers = count(() => AbortSignal.any([followed.signal]));
listened.abort();
followed.abort();
return [...listeners, ...followers, heard];

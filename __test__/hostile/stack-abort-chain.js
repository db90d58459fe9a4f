// attack: a chain of 10,000 signals, each of which follows the one before, and listeners that abort
// outcome: value [ true, 10000 ]
// state: READY
// options: {"globals":["abort"]}
const first = new AbortController();
let last = first.signal;
let heard = 0;
for (let i = 0; i < 10_000; i++) {
  last = AbortSignal.any([last]);
  last.addEventListener('abort', () => {
    heard++;
    first.abort('again');
  });
}
first.abort();
return [last.aborted, heard];

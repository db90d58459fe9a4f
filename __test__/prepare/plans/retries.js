// A function that is passed on to one other function is followed.
async function retried(work, times) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt === times) throw error;
    }
  }
}
await retried(() => t0({ amount: 5 }), 3);
await retried((attempt) => t1({ attempt }), 3);
const once = (work) => work();
once(() => t2('now'));

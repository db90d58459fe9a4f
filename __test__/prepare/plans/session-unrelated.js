// A run that uses nothing of earlier ones.
const greet = async (name) => await t0({ name });
// ---- next run
const names = await Promise.all(['a', 'b'].map(async (name) => t3({ name })));
names.length;

// fast-check that tries the same inputs each time, so that the gate does not depend on chance. `FAST_CHECK_SEED=2`
// tries others.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });

export default fc;

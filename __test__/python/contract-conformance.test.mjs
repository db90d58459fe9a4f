// The contract's definition of done with programs of Python, and the reports of runs and calls. An interpreter that was
// given up is made anew whatever the options say (specification, section 4), so that there is no `recover`.

import { describePythonContract } from './contract.mjs';

describePythonContract('Python on a thread', ['conformance', 'tracing'], { pace: 10 });

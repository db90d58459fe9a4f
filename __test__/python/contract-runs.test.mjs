// The lifecycle of Python, its queue and its tools: on a thread of the host, and, as far as worker processes go other
// ways, in one of them.

import { describePythonContract } from './contract.mjs';

/**
 * A run that is to lose its state has to get where nothing interrupts it before its deadline, on a busy machine, too.
 */
const pace = 10;

describePythonContract('Python on a thread', ['lifecycle', 'queue', 'blocking tools', 'approval'], { pace });
describePythonContract('Python in a process', ['queue', 'blocking tools'], { pace, isolation: 'process' });

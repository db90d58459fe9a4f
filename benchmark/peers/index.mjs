// What is compared. An adapter exports `traits` and `open(options)`, which gives a session:
//
//   evaluate(expression)   the value of an expression
//   run(body)              what the body of an async function returns; tools and variables are in its scope
//   set(name, value)       copies a value in, if `traits.copies`
//   close()
//
// `options`: `tools` by name, `memoryLimitMb`, `timeoutMs`, `warmPool`. Functions written `async` are async tools.

/** The peer all ratios are of. */
export const OURS = 'ses-executor';
/** The same under the Node.js that runs the benchmark, where that is another than the peers'. */
export const OURS_ON_HOST_NODE = 'ses-executor-host-node';
/** The same with the isolate in a separate process, with the sandbox of the operating system and without. */
export const OURS_IN_PROCESS = 'ses-executor-process';
export const OURS_UNCONFINED = 'ses-executor-unconfined';
/** Pages of Chrome, driven by this package or directly. */
export const OUR_BROWSER = 'browser';
export const PUPPETEER = 'puppeteer-core';
/** Python in an isolate of this package, and Pyodide in the host's own thread. */
export const OURS_PYTHON = 'ses-executor-python';
export const PYODIDE = 'pyodide';
/** Plain Node.js, which guards nothing. */
export const BASELINE = 'vm';
/** The same in a context of `node:vm`, whose globals are looked up in an object of the host's. */
export const VM_CONTEXT = 'vm-context';

/**
 * `package`: in benchmark/node_modules; absent: part of Node.js, or this package. `isSlow`: QuickJS takes
 * seconds where V8 takes milliseconds. isolated-vm asks for its flag from Node.js 20 on.
 */
export const PEERS = [
  { id: OURS, title: 'ses-executor', adapter: 'ses-executor' },
  {
    id: 'isolated-vm',
    title: 'isolated-vm',
    adapter: 'isolated-vm',
    package: 'isolated-vm',
    execArgv: ['--no-node-snapshot'],
  },
  { id: 'worker-threads', title: 'worker_threads', adapter: 'worker-threads' },
  {
    id: 'quickjs-emscripten',
    title: 'quickjs-emscripten',
    adapter: 'quickjs-emscripten',
    package: 'quickjs-emscripten',
    isSlow: true,
  },
  { id: 'vm2', title: 'vm2', adapter: 'vm2', package: 'vm2' },
  { id: 'ses', title: 'SES in-process', adapter: 'ses', package: 'ses' },
  { id: 'run', title: "Vercel's run", adapter: 'run', package: 'run', isSlow: true },
  { id: BASELINE, title: 'plain Node.js (`vm`)', adapter: 'vm' },
  { id: VM_CONTEXT, title: 'a context of `node:vm`', adapter: 'vm-context', cases: ['models'] },
  { id: OURS_IN_PROCESS, title: 'ses-executor, own process', adapter: 'ses-executor-process', cases: ['isolation'] },
  {
    id: OURS_UNCONFINED,
    title: 'ses-executor, own process, no sandbox',
    adapter: 'ses-executor-unconfined',
    cases: ['isolation'],
  },
  {
    id: OURS_PYTHON,
    title: 'ses-executor, Python',
    adapter: 'ses-executor-python',
    cases: ['python-start', 'python', 'python-memory'],
  },
  { id: PYODIDE, title: 'Pyodide in the host', adapter: 'pyodide', cases: ['python-start', 'python', 'python-memory'] },
  { id: 'node-child', title: 'this package in a Node.js child, IPC', adapter: 'node-child', cases: ['isolation'] },
  { id: OUR_BROWSER, title: 'pages of this package', adapter: 'browser', cases: ['browser'] },
  {
    id: PUPPETEER,
    title: 'puppeteer-core',
    adapter: 'puppeteer-core',
    package: 'puppeteer-core',
    cases: ['browser'],
  },
  {
    id: OURS_ON_HOST_NODE,
    title: 'ses-executor',
    adapter: 'ses-executor',
    isOnHostNode: true,
    cases: ['cold-start', 'warm-start', 'warm-run', 'tools', 'transfer', 'prepare'],
  },
];

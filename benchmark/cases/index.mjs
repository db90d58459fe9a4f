// All cases, in the order of the table.

import bombs from './bombs.mjs';
import browser from './browser.mjs';
import coldStart from './cold-start.mjs';
import cpu from './cpu.mjs';
import durable from './durable.mjs';
import fleet from './fleet.mjs';
import held from './held.mjs';
import isolation from './isolation.mjs';
import kill from './kill.mjs';
import memory from './memory.mjs';
import models from './models.mjs';
import plan from './plan.mjs';
import prepare from './prepare.mjs';
import python from './python.mjs';
import pythonMemory from './python-memory.mjs';
import pythonStart from './python-start.mjs';
import reruns from './reruns.mjs';
import largeApis from './large-apis.mjs';
import largeApisMemory from './large-apis-memory.mjs';
import steps from './steps.mjs';
import throughput from './throughput.mjs';
import tools from './tools.mjs';
import transfer from './transfer.mjs';
import typecheck from './typecheck.mjs';
import warmRun from './warm-run.mjs';
import warmStart from './warm-start.mjs';

/**
 * A case: `variants` × `metrics` are its rows, `rounds` how often each is measured, `roundsOfSlow` of slow peers,
 * `seconds` about what it may take, `quietMs` how long nobody is asked before a round. In the child process of each
 * peer `prepare(peer)` gives `{ state }`, or `{ reason }` for why the peer has no such thing; `round(state, variant, {
 * isQuick })` gives samples by metric, and perhaps a `note` to print with them.
 */
export const CASES = [
  coldStart,
  warmStart,
  warmRun,
  reruns,
  tools,
  transfer,
  memory,
  held,
  cpu,
  models,
  steps,
  durable,
  kill,
  bombs,
  prepare,
  typecheck,
  plan,
  throughput,
  isolation,
  fleet,
  largeApis,
  largeApisMemory,
  browser,
  pythonStart,
  python,
  pythonMemory,
];

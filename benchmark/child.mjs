// The process of one peer for one case. Started by driver.mjs with the ids of both, speaks over IPC:
//
//   → { ready } or { reason } or { error }
//   ← { variant, isQuick }   → { metrics: { id: samples }, note? } or { error }

import { CASES } from './cases/index.mjs';
import { PEERS } from './peers/index.mjs';

const [peerId, caseId] = process.argv.slice(2);
const theCase = CASES.find(({ id }) => id === caseId);
const { adapter } = PEERS.find(({ id }) => id === peerId);

try {
  const peer = await import(`./peers/${adapter}.mjs`);
  const { state, reason } = await theCase.prepare(peer);
  process.on('message', async ({ variant, isQuick }) => {
    try {
      const { note, ...metrics } = await theCase.round(state, variant, { isQuick });
      process.send({ metrics, note });
    } catch (error) {
      process.send({ error: firstLine(error) });
    }
  });
  process.send(reason === undefined ? { ready: true } : { reason });
} catch (error) {
  process.send({ error: firstLine(error) });
}

function firstLine(error) {
  return String(error?.message ?? error).split('\n')[0];
}

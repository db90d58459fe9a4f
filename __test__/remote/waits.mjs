// Sees when the guest of a run only waits for answers: its process reports that to the client.

import { readWord, KIND, rawClient } from './raw-client.mjs';

/** Bytes before the body of a frame: its length, its kind and its session. */
const HEAD_BYTES = 9;
/**
 * The kind of the report: `Event::Idle` in `crates/protocol/src/frames/messages.rs`. Its body has the number of
 * answers.
 */
const IDLE = 0x8e;

/**
 * Watches all sessions of a broker until the test has finished.
 *
 * @returns resolves when the guest of the run under way waits, after it has received so many answers
 */
export async function watchWaits(port) {
  const client = await rawClient(port);
  const sessions = new Map();
  const seen = new Set();
  let look = () => {};
  client.subscribe('_INBOX.>', ({ subject, bytes }) => {
    const { kind, number, payload } = readWord(bytes);
    if (kind !== KIND.data) return;
    const session = sessions.get(subject) ?? { next: 0, rest: Buffer.alloc(0) };
    sessions.set(subject, session);
    // It was sent again.
    if (number !== session.next) return;
    session.next++;
    session.rest = Buffer.concat([session.rest, payload]);
    while (session.rest.length >= 4 && session.rest.length >= 4 + session.rest.readUInt32LE(0)) {
      const frame = session.rest.subarray(0, 4 + session.rest.readUInt32LE(0));
      if (frame[4] === IDLE) seen.add(Number(frame.readBigUInt64LE(HEAD_BYTES)));
      session.rest = session.rest.subarray(frame.length);
    }
    look();
  });
  await client.flushed();
  return (answers) =>
    new Promise((resolve) => {
      look = () => seen.has(answers) && resolve();
      look();
    });
}

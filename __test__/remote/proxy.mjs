// A connection to a broker that loses, repeats, reorders or delays what is published over it.

import { connect, createServer } from 'node:net';
import { once } from 'node:events';

import { onTestFinished } from 'vitest';

const CRLF = '\r\n';

/** Numbers from 0 to 1 that are the same in each run. */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Calls `take` with each operation of the protocol of NATS: its line, and its payload with the line end, if it has one.
 */
function splitter(take) {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const end = rest.indexOf(CRLF);
      if (end === -1) return;
      const line = rest.subarray(0, end + 2);
      const words = line.toString('latin1').trim().split(/\s+/);
      const hasPayload = ['PUB', 'HPUB', 'MSG', 'HMSG'].includes(words[0].toUpperCase());
      const length = hasPayload ? line.length + Number(words.at(-1)) + 2 : line.length;
      if (rest.length < length) return;
      take(words, rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

/**
 * Opens a proxy to a broker, which is closed when the test has finished.
 *
 * @param options.touches whether an operation of a client may be changed, by its words and bytes
 * @param options.lose the part of these that is lost; `options.repeat`: that is sent twice; `options.swap`: that
 *   follows the next one
 * @param options.delayMs how much later all bytes arrive, in each direction
 * @returns its address; `counts` says how many were changed
 */
export async function openProxy(port, { touches = () => true, lose = 0, repeat = 0, swap = 0, delayMs = 0, seed = 1 }) {
  const random = randomNumbers(seed);
  const counts = { lost: 0, repeated: 0, swapped: 0 };
  const sockets = new Set();
  const server = createServer((client) => {
    const broker = connect(port, '127.0.0.1');
    let held;
    const later = (work) => (delayMs > 0 ? setTimeout(work, delayMs) : work());
    const send = (bytes) => later(() => broker.write(bytes));
    const fromClient = splitter((words, bytes) => {
      const copy = Buffer.from(bytes);
      const release = () => {
        if (held !== undefined) send(held);
        held = undefined;
      };
      const isTouched = /^H?PUB$/i.test(words[0]) && touches(words, bytes);
      const chance = isTouched ? random() : 1;
      if (chance < lose) {
        counts.lost++;
      } else if (chance < lose + repeat) {
        counts.repeated++;
        send(copy);
        send(copy);
        release();
      } else if (chance < lose + repeat + swap && held === undefined) {
        counts.swapped++;
        held = copy;
        return;
      } else {
        send(copy);
        release();
      }
    });
    client.on('data', fromClient);
    broker.on('data', (bytes) => later(() => client.write(bytes)));
    for (const [one, other] of [
      [client, broker],
      [broker, client],
    ]) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        later(() => other.destroy());
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `nats://127.0.0.1:${server.address().port}`, counts };
}

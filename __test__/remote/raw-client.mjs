// A client of NATS that sends any bytes: for messages that no client and no worker sends.

import { once } from 'node:events';
import { connect } from 'node:net';

import { onTestFinished } from 'vitest';

/** The kinds of messages, by their byte: `crates/remote/src/packet.rs`. */
export const KIND = {
  data: 0,
  wake: 1,
  lost: 2,
  ack: 3,
  again: 4,
  kill: 5,
  closed: 6,
  drain: 7,
  probe: 8,
  claimed: 9,
  full: 10,
  refused: 11,
};

/** A message between a client and a supervisor. */
export function word(kind, number, payload = Buffer.alloc(0)) {
  const trailer = Buffer.alloc(5);
  trailer[0] = kind;
  trailer.writeUInt32LE(number, 1);
  return Buffer.concat([payload, trailer]);
}

export function readWord(bytes) {
  const at = bytes.length - 5;
  return { kind: bytes[at], number: bytes.readUInt32LE(at + 1), payload: bytes.subarray(0, at) };
}

/** Connects to a broker until the test has finished. `login`: user and password, for a broker that wants them. */
export async function rawClient(port, login = {}) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  onTestFinished(() => socket.destroy());
  const options = { verbose: false, headers: true, no_responders: true, ...login };
  socket.write(`CONNECT ${JSON.stringify(options)}\r\n`);
  const handlers = new Map();
  const pongs = [];
  let rest = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (let end = rest.indexOf('\r\n'); end !== -1; end = rest.indexOf('\r\n')) {
      const words = rest.subarray(0, end).toString('latin1').split(/\s+/);
      const hasPayload = words[0] === 'MSG' || words[0] === 'HMSG';
      const length = end + 2 + (hasPayload ? Number(words.at(-1)) + 2 : 0);
      if (rest.length < length) return;
      if (words[0] === 'PING') socket.write('PONG\r\n');
      if (words[0] === 'PONG') pongs.shift()?.();
      if (words[0] === 'MSG') {
        const reply = words.length === 5 ? words[3] : undefined;
        handlers.get(words[2])?.({ subject: words[1], reply, bytes: Buffer.from(rest.subarray(end + 2, length - 2)) });
      }
      rest = rest.subarray(length);
    }
  });
  const client = {
    publish(subject, bytes, reply = '') {
      socket.write(`PUB ${subject} ${reply} ${bytes.length}\r\n`);
      socket.write(bytes);
      socket.write('\r\n');
    },
    subscribe(subject, handle) {
      const id = String(handlers.size + 1);
      handlers.set(id, handle);
      socket.write(`SUB ${subject} ${id}\r\n`);
    },
    /** Resolves when the broker has handled everything before. */
    flushed() {
      return new Promise((resolve) => {
        pongs.push(resolve);
        socket.write('PING\r\n');
      });
    },
  };
  await client.flushed();
  return client;
}

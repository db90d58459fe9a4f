// Values that cross: from the host into a session, and out of it as the result of a run.

import { expectEqual, repeat } from './measure.mjs';

/** Function bodies that make the payloads, for host and guests. */
const PAYLOADS = {
  object: `const node = (depth, seed) => depth === 0
    ? { id: seed, name: 'leaf ' + seed, values: [seed, seed / 3, true, null], text: 'x'.repeat(40) }
    : Array.from({ length: 8 }, (_, i) => ({ key: 'k' + i, child: node(depth - 1, seed * 8 + i) }));
  return { version: 1, tree: Array.from({ length: 17 }, (_, i) => node(3, i)) };`,
  string: `return 'abcdefghij'.repeat(1e6);`,
  bytes: `const bytes = new Uint8Array(1e7); for (let i = 0; i < 1e7; i += 97) bytes[i] = i & 255; return bytes;`,
};
const CHECKS = {
  object: 'return JSON.stringify(payload).length;',
  string: 'return payload.length + payload.charCodeAt(9999999);',
  bytes: 'return payload.length + payload[97 * 100];',
};
const TITLES = { object: '1 MB nested object', string: '10 MB string', bytes: '10 MB Uint8Array' };

export default {
  id: 'transfer',
  title: 'transfer',
  rounds: 17,
  seconds: 70,
  roundsOfSlow: 2,
  variants: Object.keys(PAYLOADS).flatMap((payload) => [
    { id: `transfer-${payload}-in`, title: `${TITLES[payload]}, host to guest` },
    { id: `transfer-${payload}-out`, title: `${TITLES[payload]}, guest to host` },
  ]),
  metrics: [{ id: 'time', unit: 'ms' }],

  async prepare(peer) {
    if (!peer.traits.copies) return { reason: 'by reference' };
    const session = await peer.open({ memoryLimitMb: 512 });
    const state = { session, keepsValues: peer.traits.hasSessions, values: {} };
    for (const [name, body] of Object.entries(PAYLOADS)) {
      state.values[name] = new Function(body)();
    }
    return { state };
  },

  async round(state, { id }, { isQuick }) {
    const [, payload, direction] = id.split('-');
    const { session, values } = state;
    const value = values[payload];
    const limits = { samples: isQuick ? 3 : 8, budgetMs: isQuick ? 80 : 250 };
    await session.set('payload', value);
    if (direction === 'in') {
      const time = await repeat(() => session.set('payload', value), limits);
      expectEqual(await session.run(CHECKS[payload]), new Function('payload', CHECKS[payload])(value), id);
      return { time };
    }
    // What keeps no values between runs makes them anew; that time counts.
    const body = state.keepsValues ? 'return payload;' : PAYLOADS[payload];
    const get = () => (session.get === undefined ? session.run(body) : session.get('payload'));
    // What `set` has left to do is none of the measured way's.
    let got = await get();
    const time = await repeat(async () => {
      got = await get();
    }, limits);
    expectEqual(got, value, id);
    return { time };
  },
};

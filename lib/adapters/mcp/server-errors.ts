import { StringDecoder } from 'node:string_decoder';

import { performance, setTimeout } from '../../contract/clock';
import { write } from '../../contract/terminal';
import type { Readable } from 'node:stream';

/** Bytes of a server's stderr that are passed on: in a burst, and per second. */
const MAX_BURST_BYTES = 256 << 10;
const BYTES_PER_SECOND = 64 << 10;
/** How long reading pauses if a server writes more. */
const PAUSE_MS = 50;

/**
 * Passes on the output of a server to stderr, up to a limit. The rest is dropped and counted.
 *
 * @param stream stderr of the server
 */
export function passOnErrors(name: string, stream: Readable, output: NodeJS.WritableStream = process.stderr) {
  const decoder = new StringDecoder('utf8');
  let bytesLeft = MAX_BURST_BYTES;
  let countedAt = performance.now();
  let omitted = 0;
  const note = () => {
    if (omitted > 0) output.write(`\n[${omitted} bytes that the server ${name} wrote to stderr are left out]\n`);
    omitted = 0;
  };
  stream.on('data', (chunk: Buffer) => {
    const now = performance.now();
    bytesLeft = Math.min(MAX_BURST_BYTES, bytesLeft + ((now - countedAt) / 1_000) * BYTES_PER_SECOND);
    countedAt = now;
    // After bytes were dropped, a whole chunk must fit again.
    const room = Math.max(0, Math.floor(bytesLeft));
    const passed = omitted > 0 && room < chunk.length ? 0 : Math.min(room, chunk.length);
    bytesLeft -= passed;
    if (passed > 0) {
      note();
      write(output, decoder.write(chunk.subarray(0, passed)));
    }
    if (passed === chunk.length) return;
    omitted += chunk.length - passed;
    // An incomplete character.
    decoder.end();
    stream.pause();
    setTimeout(() => stream.resume(), PAUSE_MS).unref();
  });
  stream.on('end', () => {
    write(output, decoder.end());
    note();
  });
  // The server has ended.
  stream.on('error', () => {});
}

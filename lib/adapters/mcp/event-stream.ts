import { LineReader } from './stdio';
import { MAX_LINE_BYTES } from './messages';
import { performance, setImmediate } from '../../contract/clock';

/** Maximum number of lines of one event. Servers write one. */
const MAX_LINES = 1_000;
/** Time in one turn of the event loop for lines of a server. The server decides how many it sends. */
const SLICE_MS = 5;

/**
 * Reads the data of server-sent events. Ends with undefined at an event that is longer than a message may be.
 *
 * @param body bytes of the stream
 */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  const lines = new LineReader();
  let data: string[] = [];
  let chars = 0;
  let end = performance.now() + SLICE_MS;
  for await (const chunk of body) {
    for (const { text, isTooLong } of lines.read(Buffer.from(chunk), true)) {
      const line = text.endsWith('\r') ? text.slice(0, -1) : text;
      if (line.startsWith('data:')) {
        chars += line.length;
        data.push(line.slice(line[5] === ' ' ? 6 : 5));
      }
      if (isTooLong || chars > MAX_LINE_BYTES || data.length > MAX_LINES) return void (yield undefined);
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
        chars = 0;
      }
      if (performance.now() < end) continue;
      await new Promise((resolve) => void setImmediate(resolve));
      end = performance.now() + SLICE_MS;
    }
    if (lines.isTooLong) return void (yield undefined);
  }
}

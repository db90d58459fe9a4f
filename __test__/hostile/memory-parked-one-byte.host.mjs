// attack: a thread that is parked with 40 MB of one-byte texts on its heap
// outcome: value 'counted'
// state: READY
// options: {"timeoutMs":40000}
// peak: 192 what is beyond the limit until the thread is parked
// only: thread in a process nothing is parked
import { parked } from './parked.mjs';

const code = String.raw`
  const texts = Array.from({ length: 50 }, (_, i) => 'a'.repeat(8e5) + i).map((text) => [text.at(-1), text]);
  return [texts.length, new RegExp('(?!a)'.repeat(1e6)).test('a')];
`;

export const scenario = parked(code, 100);

import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { pipeline } from 'node:stream';
import type { IncomingMessage } from 'node:http';

import { RefusedRequest } from './refused';

/** What the host accepts. */
export const ACCEPTED = 'gzip, deflate, br';

const DECODERS: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
};

/**
 * The body of a response, decompressed piece by piece, so that the reader can stop before a bomb takes memory.
 *
 * @throws {RefusedRequest} for an encoding that the host did not ask for
 */
export function decoded(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return response;
  const make = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (make === undefined) throw new RefusedRequest('the response has an encoding that was not asked for');
  const decoder = make();
  // The reader learns of errors from the stream that it reads.
  pipeline(response, decoder, () => {});
  return decoder as unknown as AsyncIterable<Uint8Array>;
}

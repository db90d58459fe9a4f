import { isJsonType } from './serialize';

/** Content types of text, in addition to JSON and `text/…`. */
const TEXT_TYPE =
  /^(?:text|multipart)\/|[/+](?:xml|yaml)$|^application\/(?:(?:x-)?(?:javascript|ndjson|yaml|sh)|ecmascript|graphql|json-seq|jsonl|jwt|sql|toml|x-www-form-urlencoded)$/;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** Whether answers of a type are text. Types with a charset, and empty types, count as text. */
export function isTextType(contentType: string) {
  const type = contentType.split(';')[0].trim().toLowerCase();
  return type === '' || TEXT_TYPE.test(type) || isJsonType(type) || CHARSET.test(contentType);
}

/**
 * The body of an answer. Text is decoded by its charset, UTF-8 by default, without the byte order mark. Other content
 * is returned as bytes.
 */
export async function answerOf(response: Response, maxBytes: number): Promise<string | Uint8Array> {
  const bytes = await limitedBytes(response, maxBytes);
  const contentType = response.headers.get('content-type') ?? '';
  if (!isTextType(contentType)) return bytes;
  const charset = CHARSET.exec(contentType)?.[1] ?? 'utf-8';
  // If decoding fails, the bytes are returned unchanged, so nothing is lost.
  return decoded(bytes, charset) ?? decoded(bytes, 'utf-8') ?? bytes;
}

/** @returns undefined if the charset is unknown, or if the bytes are invalid in it */
function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function limitedBytes(response: Response, maxBytes: number) {
  const parts = [];
  let length = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maxBytes) throw new RangeError(`the answer takes more than ${maxBytes} bytes`);
    parts.push(part);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Transform } from 'node:stream';
import { pathToFileURL } from 'node:url';

import { UsageError } from './usage-error';
import { className, describe, isPlainObject } from '../../contract/describe';
import { isIdentifier } from '../../contract/identifiers';
import { shownUrl } from '../../contract/shown-url';
import type { Language } from '../../contract/executor-options';
import type { TransformCallback } from 'node:stream';

/** Reads the code in `file`, or stdin if `file` is `-`. */
export async function readCode(file: string) {
  if (file !== '-') return readText(file);
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return decode(Buffer.concat(chunks), 'the standard input');
}

/** The language that a file's extension specifies, or either language. */
export function languageOf(file: string): Language | 'python' {
  if (/\.py$/i.test(file)) return 'python';
  return /\.[cm]?ts$/i.test(file) ? 'typescript' : 'auto';
}

export function readVariables(file: string) {
  let variables;
  try {
    variables = JSON.parse(readText(file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
  if (!isPlainObject(variables)) throw new UsageError(`${file} must contain an object of variables`);
  return variables;
}

/**
 * Loads the exports of the module in `file`, merged with its default export. The default export is an object of tools,
 * or a function that becomes a tool under its own name.
 */
export async function loadTools(file: string) {
  let loaded;
  try {
    loaded = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${(error as Error).message}`);
  }
  const { default: defaults, ...named } = loaded;
  // Node.js adds this export to CommonJS modules. Its value is the default export.
  delete named['module.exports'];
  if (defaults === undefined) return named;
  if (isPlainObject(defaults)) return { ...named, ...defaults };
  if (typeof defaults === 'function' && defaults.name !== 'default' && isIdentifier(defaults.name)) {
    return { ...named, [defaults.name]: defaults };
  }
  const kind = typeof defaults === 'object' ? `an instance of ${className(defaults)}` : describe(defaults);
  const got = typeof defaults === 'function' ? 'a function without a name' : kind;
  throw new UsageError(
    `the default export of ${file} must be an object of tools, or a function with a name, got ${got}`,
  );
}

export function readText(file: string) {
  // Errors of the file system repeat the path, and an address may have a password or a key.
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(file))
    throw new UsageError(`${shownUrl(file)} is an address; give the path of a file`);
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  return decode(bytes, file);
}

/** Decodes UTF-8 and removes the byte order mark. Invalid UTF-8 is rejected, because it would run as different code. */
function decode(bytes: Buffer, source: string) {
  if (!isUtf8(bytes) || isUtf16(bytes)) throw notUtf8(source, bytes);
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

/**
 * Decodes a stream of UTF-8 bytes as it arrives, without its byte order mark. Invalid UTF-8 is an error of the stream.
 */
export function utf8Of(stream: NodeJS.ReadableStream, source: string) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  /** The first two bytes. */
  let start = Buffer.alloc(0);
  const texts = new Transform({
    decodeStrings: true,
    transform: (bytes, _encoding, done) => {
      const isStart = start.length < 2;
      if (isStart) start = Buffer.concat([start, bytes]).subarray(0, 2);
      pass(done, () => {
        if (isStart && isUtf16(start)) throw new Error('UTF-16');
        return decoder.decode(bytes, { stream: true });
      });
    },
    flush: (done) => pass(done, () => decoder.decode()),
  });
  const pass = (done: TransformCallback, decoded: () => string) => {
    try {
      done(null, decoded());
    } catch {
      done(notUtf8(source, start));
    }
  };
  return stream.pipe(texts);
}

/** @param bytes the text, or its start */
function notUtf8(source: string, bytes: Buffer) {
  if (isUtf16(bytes)) return new UsageError(`${source} is UTF-16: save it as UTF-8`);
  return new UsageError(`${source} is not UTF-8: save it as UTF-8`);
}

/** Whether bytes look like UTF-16: a byte order mark, or an ASCII character first. They may still be valid UTF-8. */
function isUtf16(bytes: Buffer) {
  if (bytes.length < 2) return false;
  const [first, second] = bytes;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || (first === 0) !== (second === 0);
}

/** @param root the folder of the file tools */
export function refuseNoFolder(root: string | undefined, readOnly: boolean) {
  if (root === undefined) {
    if (readOnly) throw new UsageError('--read-only needs --root');
  } else if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--root must be a folder, got ${JSON.stringify(root)}`);
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { keepBytes } from '../contract/content';
import type { Artifact } from './output';

/**
 * Content types of files that pages produce, by extension. If a type has several extensions, the first one is the usual
 * one.
 */
const TYPES = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['md', 'text/markdown'],
  ['ics', 'text/calendar'],
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['pdf', 'application/pdf'],
  ['zip', 'application/zip'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
]);
/**
 * Maximum UTF-16 units of a given name: in the file name, whose own limit is 255 bytes, and in the report of the name
 * as given.
 */
const MAX_NAME = 50;
const MAX_GIVEN = 255;

/** An artifact that a page has produced. */
export interface Made {
  /** empty for the run's canvas */
  name: string;
  mimeType: string;
  /** whether the content does not carry its type, so that the type is a guess */
  isGuess: boolean;
  width?: number;
  height?: number;
  data: Buffer;
}

/**
 * Artifacts as callers receive them: in the folder, each with a JSON file next to it, or with their bytes. An artifact
 * that the folder does not accept has its bytes too.
 */
export async function keepArtifacts(
  made: Made[],
  folder: string | undefined,
  warn: (text: string) => void,
): Promise<Artifact[]> {
  try {
    if (made.length > 0 && folder !== undefined) await mkdir(folder, { recursive: true });
  } catch (error) {
    warn(`the artifacts could not be kept: ${(error as Error).message}`);
    folder = undefined;
  }
  return Promise.all(made.map((one) => keepArtifact(one, folder, warn)));
}

async function keepArtifact(
  { name, mimeType: given, isGuess, width, height, data }: Made,
  folder: string | undefined,
  warn: (text: string) => void,
): Promise<Artifact> {
  const { stem, extension } = split(name);
  const mimeType = (isGuess && TYPES.get(extension.toLowerCase())) || given;
  const facts = {
    name: TYPES.get(extension.toLowerCase()) === mimeType ? fileName(stem, extension) : fileName(name, usual(mimeType)),
    ...(name !== '' && { givenName: name.slice(0, MAX_GIVEN) }),
    mimeType,
    ...(width !== undefined && { width, height }),
    bytes: data.length,
    sha256: createHash('sha256').update(data).digest('hex'),
    createdAt: new Date().toISOString(),
  };
  if (folder === undefined) return { ...facts, data: new Uint8Array(data) };
  const path = resolve(folder, facts.name);
  const artifact = { path, ...facts };
  try {
    await writeAtomically(path, data);
    await writeAtomically(`${path}.json`, `${JSON.stringify(artifact, null, 2)}\n`);
    keepBytes(artifact, data);
    return artifact;
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    warn(`the artifact ${facts.name} could not be kept: ${(error as Error).message}`);
    return { ...facts, data: new Uint8Array(data) };
  }
}

function split(name: string) {
  const dot = name.lastIndexOf('.');
  return dot < 1 ? { stem: name, extension: '' } : { stem: name.slice(0, dot), extension: name.slice(dot + 1) };
}

function usual(mimeType: string) {
  for (const [extension, type] of TYPES) if (type === mimeType) return extension;
  return 'bin';
}

/** A unique file name that cannot leave the folder, because guests choose its readable part. */
function fileName(stem: string, extension: string) {
  const readable = stem.slice(0, MAX_NAME).replace(/[^\p{L}\p{N}_-]+/gu, '-');
  return `${readable === '' ? 'canvas' : readable}-${randomUUID()}.${extension}`;
}

async function writeAtomically(path: string, content: Buffer | string) {
  const temporary = join(path, '..', `.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, content, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

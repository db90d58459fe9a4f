// @ts-check
'use strict';

const { createHash, randomUUID } = require('node:crypto');
const { mkdir, rename, rm, writeFile } = require('node:fs/promises');
const { join, resolve } = require('node:path');

/** Extensions of what pages make, by type. */
const EXTENSIONS = /** @type {Record<string, string>} */ ({
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
  'image/svg+xml': '.svg',
  'text/plain': '.txt',
  'text/html': '.html',
  'text/csv': '.csv',
  'application/json': '.json',
  'application/pdf': '.pdf',
});
const MAX_NAME = 100;

/**
 * What a page has made.
 *
 * @typedef {object} Made
 * @property {string} name empty for the run's canvas
 * @property {string} mimeType
 * @property {number} [width]
 * @property {number} [height]
 * @property {Buffer} data
 */

/**
 * Artifacts as callers get them: in the folder, each with a JSON file beside it, or with their bytes.
 *
 * @param {Made[]} made
 * @param {string | undefined} folder
 * @returns {Promise<import('./index').Artifact[]>}
 */
async function keepArtifacts(made, folder) {
  if (made.length > 0 && folder !== undefined) await mkdir(folder, { recursive: true });
  return Promise.all(made.map((one) => keepArtifact(one, folder)));
}

/**
 * @param {Made} made
 * @param {string | undefined} folder
 * @returns {Promise<import('./index').Artifact>}
 */
async function keepArtifact({ name, mimeType, width, height, data }, folder) {
  const facts = {
    name: fileName(name, mimeType),
    mimeType,
    ...(width !== undefined && { width, height }),
    bytes: data.length,
    sha256: createHash('sha256').update(data).digest('hex'),
    createdAt: new Date().toISOString(),
  };
  if (folder === undefined) return { ...facts, data: new Uint8Array(data) };
  const path = resolve(folder, facts.name);
  await writeAtomically(path, data);
  const artifact = { path, ...facts };
  await writeAtomically(`${path}.json`, `${JSON.stringify(artifact, null, 2)}\n`);
  return artifact;
}

/**
 * A name that no other artifact has, and that is no path: guests choose the readable part of it.
 *
 * @param {string} name
 * @param {string} mimeType
 */
function fileName(name, mimeType) {
  const extension = EXTENSIONS[mimeType] ?? '.bin';
  const readable = name.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, MAX_NAME);
  return `${readable === '' ? 'canvas' : readable}-${randomUUID()}${extension}`;
}

/**
 * @param {string} path
 * @param {Buffer | string} content
 */
async function writeAtomically(path, content) {
  const temporary = join(path, '..', `.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, content, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

module.exports = { keepArtifacts };

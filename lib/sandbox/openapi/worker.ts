// A thread that reads one document. It posts the document's content, or the error. If the host can read files of the
// document, the thread asks for them by their paths.

import { parentPort, workerData } from 'node:worker_threads';

import { readDocument } from './document';
import { packed } from './packed';
import type { MessagePort } from 'node:worker_threads';

const port = parentPort as MessagePort;
const { document, hasFiles, maxChars, credentials } = workerData;

/** Reads one file at a time. */
function readFile(path: string) {
  return new Promise<string>((resolve, reject) => {
    port.once('message', ({ text, failed }) => (failed === undefined ? resolve(text) : reject(new Error(failed))));
    port.postMessage({ path });
  });
}

readDocument(document, { readFile: hasFiles ? readFile : undefined, maxChars, credentials })
  .then(({ operations, $defs, ...others }) => {
    const read = { ...others, operations: packed(operations), $defs: packed(Object.entries($defs)) };
    port.postMessage(
      { read },
      [read.operations, read.$defs].flatMap(({ bytes, at }) => [bytes.buffer, at.buffer]),
    );
  })
  .catch((error) => port.postMessage({ error }));

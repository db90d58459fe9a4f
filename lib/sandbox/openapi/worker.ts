// A thread that reads one document. It posts the document's content, or the error.

import { parentPort, workerData } from 'node:worker_threads';

import { readDocument } from './document';
import type { MessagePort } from 'node:worker_threads';

const port = parentPort as MessagePort;
readDocument(workerData).then(
  (read) => port.postMessage({ read }),
  (error) => port.postMessage({ error }),
);

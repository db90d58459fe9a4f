// @ts-check
'use strict';

// A thread that reads one document, and says what is in it or what is wrong with it.

const { parentPort, workerData } = require('node:worker_threads');

const { readDocument } = require('./document');

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
readDocument(workerData).then(
  (read) => port.postMessage({ read }),
  (error) => port.postMessage({ error }),
);

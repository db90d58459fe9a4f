// @ts-check
'use strict';

const { join, resolve } = require('node:path');

const { BASE_BUILTIN_MODULES } = require('./options');
const { pyodideFolder } = require('./pyodide-folder');
const { snapshotFolder, snapshotFolderWithin } = require('./snapshot-folders');
const { untold } = require('../contract/tracing');
const { codeFrame } = require('../ses/code-frame');
const { SESExecutor } = require('../ses/executor');
const { decode, encode } = require('../ses/transfer');

/** Python in an isolate of this package: Pyodide's own files, behind the same protocol as JavaScript. */
class IsolateEngine {
  #options;
  /** @type {SESExecutor | undefined} */
  #executor;
  /** As long as there is none. @type {import('../../index').ExecutorState} */
  #state = 'NEW';
  /** Why nothing is mounted, once there is an executor. @type {Error | undefined} */
  #refusal;

  codeFrame = codeFrame;

  /** @param {import('./options').PythonOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** @returns {import('../../index').ExecutorState} */
  get state() {
    return this.#executor?.state ?? this.#state;
  }

  get isolation() {
    return this.#made.isolation;
  }

  init() {
    return this.#made.init();
  }

  async mount() {
    const { fsMode, directoryHandle, mountPoint } = this.#options;
    if (this.#refusal !== undefined) throw this.#refusal;
    if (fsMode === 'nodefs') return this.sendVariables({ __smolagents_mount__: mountPoint });
    const permission = await directoryHandle.requestPermission({ mode: 'readwrite' });
    if (permission !== 'granted') throw new Error('readwrite permission not granted for directory');
    throw new Error('fsMode "nativefs" needs a browser: here, use fsMode "nodefs" and workDir');
  }

  /**
   * @param {Record<string, unknown>} variables
   * @throws {TypeError} if some do not cross
   */
  copyOf(variables) {
    return decode(encode(variables, 'variables', Infinity));
  }

  /** @param {Record<string, unknown>} variables */
  sendVariables(variables) {
    return this.#made.sendVariables(variables);
  }

  /** @param {import('../../index').Tools} tools */
  sendTools(tools) {
    return this.#made.sendTools(tools);
  }

  /**
   * @param {string} code
   * @param {import('./index').PythonRunOptions} [options]
   */
  run(code, options) {
    return this.#made.run(code, options);
  }

  async cleanup() {
    this.#state = 'DEAD';
    await this.#executor?.cleanup();
  }

  /** Made when it is needed: who only holds an executor needs neither the addon nor Pyodide. */
  get #made() {
    const { executor, maxOperations } = this.#options;
    const options = { ...executor, autoInit: false, keepState: true, maxOperations };
    this.#executor ??= untold(new SESExecutor(options, this.#seam()));
    return this.#executor;
  }

  /** What the native side needs for Python. */
  #seam() {
    const { fsMode, workDir, mountPoint, readOnly, packages } = this.#options;
    const root = fsMode === 'nodefs' && workDir !== undefined ? resolve(workDir) : undefined;
    this.#refusal = root === undefined || readOnly ? undefined : refusalOf(root);
    return {
      pyodide: pyodideFolder(),
      guest: join(__dirname, 'guest.js'),
      prelude: join(__dirname, 'prelude'),
      modules: [...BASE_BUILTIN_MODULES],
      cache: snapshotFolder(),
      mount: root === undefined || this.#refusal !== undefined ? undefined : { root, path: mountPoint, readOnly },
      packages: packages === undefined ? undefined : resolve(packages),
    };
  }
}

/**
 * Why guests must not write in a folder, if so.
 *
 * @param {string} root absolute
 */
function refusalOf(root) {
  const folder = snapshotFolderWithin(root);
  if (folder === undefined) return undefined;
  const reason = `guests who write in ${root} could replace the snapshots in ${folder}, whose code later processes run`;
  const error = new Error(`${reason}: use another workDir, readOnly: true or mount: false`);
  return Object.assign(error, { code: 'ERR_MOUNT_REFUSED' });
}

module.exports = { IsolateEngine };

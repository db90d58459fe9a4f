// @ts-check
'use strict';

const { homedir } = require('node:os');
const { join, resolve } = require('node:path');

const { BASE_BUILTIN_MODULES } = require('./options');
const { pyodideFolder } = require('./pyodide-folder');
const { untold } = require('../contract/tracing');
const { codeFrame } = require('../ses/code-frame');
const { SESExecutor } = require('../ses/executor');

/** Python in an isolate of this package: Pyodide's own files, behind the same protocol as JavaScript. */
class IsolateEngine {
  #options;
  /** @type {SESExecutor | undefined} */
  #executor;
  /** As long as there is none. @type {import('../../index').ExecutorState} */
  #state = 'NEW';

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
    if (fsMode === 'nodefs') return this.sendVariables({ __smolagents_mount__: mountPoint });
    const permission = await directoryHandle.requestPermission({ mode: 'readwrite' });
    if (permission !== 'granted') throw new Error('readwrite permission not granted for directory');
    throw new Error('fsMode "nativefs" needs a browser: here, use fsMode "nodefs" and workDir');
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
    const isMounting = fsMode === 'nodefs' && workDir !== undefined;
    return {
      pyodide: pyodideFolder(),
      guest: join(__dirname, 'guest.js'),
      prelude: join(__dirname, 'prelude'),
      modules: [...BASE_BUILTIN_MODULES],
      cache: join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ses-executor', 'python'),
      mount: isMounting ? { root: resolve(workDir), path: mountPoint, readOnly } : undefined,
      packages: packages === undefined ? undefined : resolve(packages),
    };
  }
}

module.exports = { IsolateEngine };

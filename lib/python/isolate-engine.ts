import { resolve } from 'node:path';

import { engineSpec, remoteEngineSpec } from './engine-spec';
import { packagesFolder } from './packages-folder';
import { snapshotFolderWithin } from './snapshot-folders';
import { untraced } from '../contract/tracing';
import { codeFrame } from '../ses/code-frame';
import { SESExecutor } from '../ses/executor';
import { decode, encode } from '../ses/transfer';
import type { ExecutorState } from '../contract/executor-types';
import type { Tools } from '../contract/tool-types';
import type { EngineFolder, EngineSpec } from '../ses/native-connection';
import type { Recording } from '../ses/recording';
import type { PythonOptions } from './options';
import type { PythonRunOptions } from './options';

/** Python in an isolate of this package. Pyodide's own files run behind the same protocol as JavaScript. */
export class IsolateEngine {
  #options;
  #executor: SESExecutor | undefined;
  /** The state while no executor exists. */
  #state: ExecutorState = 'NEW';
  /** The reason why nothing is mounted, once an executor exists. */
  #refusal: Error | undefined;
  #recording;

  codeFrame = codeFrame;

  constructor(options: PythonOptions, recording?: Recording) {
    this.#options = options;
    this.#recording = recording;
  }

  get state(): ExecutorState {
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
    const permission = await directoryHandle?.requestPermission({ mode: 'readwrite' });
    if (permission !== 'granted') throw new Error('readwrite permission not granted for directory');
    throw new Error('fsMode "nativefs" needs a browser: here, use fsMode "nodefs" and workDir');
  }

  /** @throws {TypeError} if some values cannot be transferred */
  copyOf(variables: Record<string, unknown>) {
    return decode(encode(variables, 'variables', Infinity));
  }

  sendVariables(variables: Record<string, unknown>) {
    return this.#made.sendVariables(variables);
  }

  sendTools(tools: Tools) {
    return this.#made.sendTools(tools);
  }

  run(code: string, options?: PythonRunOptions) {
    return this.#made.run(code, options);
  }

  async cleanup() {
    this.#state = 'DEAD';
    await this.#executor?.cleanup();
  }

  /** Created on first use: code that only holds the object needs neither the addon nor Pyodide. */
  get #made() {
    const { executor, maxOperations } = this.#options;
    // What a run leaves that was ended in the middle of a computation cannot be replayed.
    const options = { ...executor, autoInit: false, keepState: this.#recording === undefined, maxOperations };
    this.#executor ??= untraced(new SESExecutor(options, this.#spec(), this.#recording));
    return this.#executor;
  }

  /** The settings that the native side needs for Python. */
  #spec(): EngineSpec {
    const { executor, fsMode, workDir, readOnly, packages } = this.#options;
    if (executor.isolation === 'remote') return remoteEngineSpec(packages);
    const root = fsMode === 'nodefs' && workDir !== undefined ? resolve(workDir) : undefined;
    this.#refusal = root === undefined || readOnly ? undefined : refusalOf(root);
    const folders: EngineFolder[] = [];
    if (root !== undefined && this.#refusal === undefined) folders.push({ name: 'mount', root, readOnly });
    if (packages !== undefined) folders.push(packagesFolder(packages));
    return engineSpec(folders);
  }
}

/**
 * The error that forbids guests to write to a folder; undefined if they may.
 *
 * @param root absolute
 */
function refusalOf(root: string) {
  const folder = snapshotFolderWithin(root);
  if (folder === undefined) return undefined;
  const reason = `guests that write to ${root} could replace the snapshots in ${folder}, which later processes execute`;
  const error = new Error(`${reason}: use another workDir, readOnly: true or mount: false`);
  return Object.assign(error, { code: 'ERR_MOUNT_REFUSED' });
}

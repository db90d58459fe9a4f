import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { dirname, basename } from 'node:path/posix';

import { CONFIG_FILE, HOST_FILE, LIBRARY_FILE, NO_TRUNCATION } from './compiler';
import type { ChildProcess } from 'node:child_process';
import type { Foreign } from '../contract/foreign';
import type { CheckedFile, Compiler, Found, SyntaxNode, Tree, VirtualFiles } from './compiler';

/** Node.js reports each new process here. The API of TypeScript does not tell the process of its server. */
const NEW_PROCESS = 'child_process';

/**
 * The native server of TypeScript 7, which is a process. Its API is marked as unstable, so everything that depends on
 * it is in this file.
 */
export class NativeCompiler implements Compiler {
  #modules;
  #files;
  #server: Server | undefined;
  #onStart;

  /** @param onStart receives the id of each process, so that the caller can end it */
  constructor(modules: Modules, files: VirtualFiles, onStart: (pid: number) => void) {
    this.#modules = modules;
    this.#files = files;
    this.#onStart = onStart;
  }

  /** @param packageName under which TypeScript is installed */
  static async load(packageName: string, files: VirtualFiles, onStart: (pid: number) => void) {
    const [{ API }, { SyntaxKind }] = await Promise.all([
      import(`${packageName}/unstable/async`),
      import(`${packageName}/unstable/ast`),
    ]);
    return new NativeCompiler({ API, SyntaxKind }, files, onStart);
  }

  async check(folder: string, file: string, changed: string[]): Promise<CheckedFile> {
    const server = (this.#server ??= new Server(this.#modules, this.#files, this.#onStart));
    try {
      return await server.check(folder, file, changed);
    } catch (error) {
      // The server may have ended, and its next answer may be missing.
      if (this.#server === server) await this.end();
      throw error;
    }
  }

  close(folder: string) {
    this.#server?.close(folder);
  }

  async end() {
    const server = this.#server;
    this.#server = undefined;
    await server?.end();
  }
}

/** Modules of TypeScript, whose types are those of another version than the one that this package is compiled with. */
interface Modules {
  API: Foreign;
  SyntaxKind: Foreign;
}

class Server {
  #api;
  #kinds;
  #child: ChildProcess | undefined;
  #ended: Promise<never>;
  #end: (error: Error) => void = () => {};
  #snapshot: Foreign;
  #open: Set<string> = new Set();
  #closing: string[] = [];
  #onStart;

  constructor({ API, SyntaxKind }: Modules, files: VirtualFiles, onStart: (pid: number) => void) {
    this.#kinds = SyntaxKind;
    this.#onStart = onStart;
    this.#api = new API({ cwd: '/', fs: fileSystem(files) });
    this.#ended = new Promise((_, reject) => (this.#end = reject));
    // It is raced against, and may reject while nothing waits.
    this.#ended.catch(() => {});
  }

  async check(folder: string, file: string, changed: string[]): Promise<CheckedFile> {
    const project = await this.#update(folder, changed);
    const [semantic, syntactic] = await this.#answer(
      Promise.all([project.program.getSemanticDiagnostics(file), project.program.getSyntacticDiagnostics(file)]),
    );
    return {
      semantic: semantic.map(foundOf),
      hasSyntaxErrors: syntactic.length > 0,
      tree: () => this.#treeOf(project, folder, file),
    };
  }

  close(folder: string) {
    if (this.#open.delete(folder)) this.#closing.push(folder);
  }

  async end() {
    this.#end(new Error('the server was ended'));
    const child = this.#child;
    const isRunning = child !== undefined && child.exitCode === null && child.signalCode === null;
    const exited = isRunning ? once(child, 'exit') : undefined;
    // The server does not read its input during a check. Hence closing its input would not end it.
    child?.kill('SIGKILL');
    // It may wait for an answer of the server.
    void this.#api.close().catch(() => {});
    await exited;
  }

  async #update(folder: string, changed: string[]) {
    const config = `${folder}/${CONFIG_FILE}`;
    const isNew = !this.#open.has(folder);
    const update = () =>
      this.#api.updateSnapshot({
        ...(isNew && { openProjects: [config] }),
        closeProjects: this.#closing.splice(0).map((closed) => `${closed}/${CONFIG_FILE}`),
        fileChanges: { changed },
      });
    const last = this.#snapshot;
    this.#snapshot = await this.#answer(last === undefined ? this.#started(update) : update());
    this.#open.add(folder);
    void last?.dispose().catch(() => {});
    return this.#snapshot.getProject(config);
  }

  /** Starts the process, which the first request does, and finds out which one it is. */
  async #started(first: () => Promise<unknown>) {
    const note = (message: unknown) => {
      this.#child = (message as { process: ChildProcess }).process;
      this.#child.once('exit', (status, signal) => {
        this.#end(new Error(`the server of TypeScript has ended (${signal ?? status})`));
      });
    };
    subscribe(NEW_PROCESS, note);
    try {
      const snapshot = await first();
      if (this.#child?.pid !== undefined) this.#onStart(this.#child.pid);
      return snapshot;
    } finally {
      unsubscribe(NEW_PROCESS, note);
    }
  }

  /** An answer of the server. Requests stay unanswered if the server ends. */
  #answer<T>(answer: Promise<T>): Promise<T> {
    return Promise.race([answer, this.#ended]);
  }

  async #treeOf(project: Foreign, folder: string, file: string): Promise<Tree> {
    const root = await this.#answer<SyntaxNode>(project.program.getSourceFile(file));
    return {
      root,
      kinds: this.#kinds,
      callsHost: async (call) => {
        const signature = await this.#answer<Foreign>(project.checker.getResolvedSignature(call));
        return signature?.declaration?.path === `${folder}/${HOST_FILE}`;
      },
      typesOf: async (names) => {
        const types = await this.#answer<Foreign[]>(project.checker.getTypeAtLocation(names));
        const text = (type: Foreign) =>
          type === undefined ? 'any' : project.checker.typeToString(type, undefined, NO_TRUNCATION);
        return this.#answer(Promise.all(types.map(text)));
      },
    };
  }
}

/**
 * The files that the server can read. `null` means that there is no such file. With `undefined` the server reads the
 * real file, which is right only for the declarations of the language.
 */
function fileSystem(files: VirtualFiles) {
  // The server reads its own declarations before any file of a project that a guest has written.
  let libraries: string | undefined;
  return {
    readFile: (path: string) => {
      const text = files.read(path);
      if (text !== undefined) return text;
      if (!LIBRARY_FILE.test(basename(path))) return null;
      libraries ??= dirname(path);
      return dirname(path) === libraries ? undefined : null;
    },
    fileExists: (path: string) => files.read(path) !== undefined,
    directoryExists: (path: string) => files.isFolder(path),
    getAccessibleEntries: () => ({ files: [], directories: [] }),
    realpath: (path: string) => path,
  };
}

function foundOf({ code, pos, end, text, messageChain, relatedInformation }: Foreign): Found {
  return {
    code,
    at: pos,
    end,
    text,
    reasons: reasonsIn(messageChain),
    related: (relatedInformation ?? []).map((related: Foreign) => related.code),
  };
}

function reasonsIn(chain: Foreign): Found['reasons'] {
  return (chain ?? []).flatMap(({ code, text, messageChain }: Foreign) => [{ code, text }, ...reasonsIn(messageChain)]);
}

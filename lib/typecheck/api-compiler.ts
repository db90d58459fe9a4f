import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { CONFIG_FILE, HOST_FILE, LIBRARY_FILE, NO_TRUNCATION } from './compiler';
import type ts from 'typescript';

import type { CheckedFile, Compiler, Found, Kinds, SyntaxNode, VirtualFiles } from './compiler';

/** TypeScript 5 and 6, whose API is JavaScript and works on the calling thread. */
export class ApiCompiler implements Compiler {
  #ts;
  #files;
  #libraries;
  #programs: Map<string, ts.Program> = new Map();
  #sources: Map<string, ts.SourceFile> = new Map();

  constructor(typescript: typeof ts, files: VirtualFiles) {
    this.#ts = typescript;
    this.#files = files;
    this.#libraries = dirname(typescript.getDefaultLibFilePath({}));
  }

  /** @param packageName under which TypeScript is installed */
  static async load(packageName: string, files: VirtualFiles) {
    const { default: typescript } = await import(packageName);
    return new ApiCompiler(typescript, files);
  }

  async check(folder: string, file: string, changed: string[]): Promise<CheckedFile> {
    for (const path of changed) this.#sources.delete(path);
    const program = this.#programOf(folder);
    const source = program.getSourceFile(file);
    const semantic = program.getSemanticDiagnostics(source).map((found) => this.#foundOf(found));
    const checker = program.getTypeChecker();
    return {
      semantic,
      hasSyntaxErrors: program.getSyntacticDiagnostics(source).length > 0,
      tree: async () => ({
        root: source as ts.Node as SyntaxNode,
        kinds: this.#ts.SyntaxKind as object as Kinds,
        callsHost: async (call) => {
          const signature = checker.getResolvedSignature(call as ts.Node as ts.CallLikeExpression);
          return signature?.declaration?.getSourceFile().fileName === `${folder}/${HOST_FILE}`;
        },
        typesOf: async (names) =>
          names.map((name) => {
            const type = checker.getTypeAtLocation(name as object as ts.Node);
            return checker.typeToString(type, undefined, NO_TRUNCATION);
          }),
      }),
    };
  }

  close(folder: string) {
    this.#programs.delete(folder);
    for (const path of this.#sources.keys()) if (path.startsWith(`${folder}/`)) this.#sources.delete(path);
  }

  async end() {
    this.#programs.clear();
    this.#sources.clear();
  }

  #programOf(folder: string) {
    const oldProgram = this.#programs.get(folder);
    const config = JSON.parse(this.#files.read(`${folder}/${CONFIG_FILE}`) ?? '{}');
    const options = oldProgram?.getCompilerOptions() ?? this.#optionsOf(config, folder);
    const program = this.#ts.createProgram({
      rootNames: config.files.map((name: string) => `${folder}/${name}`),
      options,
      host: this.#host(),
      oldProgram,
    });
    this.#programs.set(folder, program);
    for (const path of this.#sources.keys()) {
      if (path.startsWith(`${folder}/`) && program.getSourceFile(path) === undefined) this.#sources.delete(path);
    }
    return program;
  }

  #optionsOf(config: { compilerOptions: object }, folder: string) {
    const { options } = this.#ts.convertCompilerOptionsFromJson(config.compilerOptions, folder);
    // Only a file of options on disk sets this.
    return { ...options, pathsBasePath: folder };
  }

  #host(): ts.CompilerHost {
    return {
      fileExists: (path) => this.#files.read(path) !== undefined,
      readFile: (path) => this.#files.read(path),
      directoryExists: (path) => this.#files.isFolder(path),
      getDirectories: () => [],
      realpath: (path) => path,
      getSourceFile: (path, version) => this.#sourceOf(path, version),
      getDefaultLibFileName: (options) => this.#ts.getDefaultLibFilePath(options),
      getDefaultLibLocation: () => this.#libraries,
      getCurrentDirectory: () => '/',
      getCanonicalFileName: (path) => path,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      writeFile: () => {},
    };
  }

  #sourceOf(path: string, version: ts.ScriptTarget | ts.CreateSourceFileOptions) {
    const known = this.#sources.get(path);
    if (known !== undefined) return known;
    const text = this.#files.read(path) ?? this.#libraryText(path);
    if (text === undefined) return undefined;
    const source = this.#ts.createSourceFile(path, text, version, true);
    this.#sources.set(path, source);
    return source;
  }

  /** The text of a file with declarations of the language. */
  #libraryText(path: string) {
    const isLibrary = dirname(path) === this.#libraries && LIBRARY_FILE.test(basename(path));
    return isLibrary && existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  #foundOf({ code, start = 0, length = 0, messageText, relatedInformation }: ts.Diagnostic): Found {
    const isText = typeof messageText === 'string';
    return {
      code,
      at: start,
      end: start + length,
      text: isText ? messageText : messageText.messageText,
      reasons: isText ? [] : reasonsIn(messageText.next),
      related: (relatedInformation ?? []).map((related) => related.code),
    };
  }
}

function reasonsIn(chain: ts.DiagnosticMessageChain[] = []): Found['reasons'] {
  return chain.flatMap(({ code, messageText, next }) => [{ code, text: messageText }, ...reasonsIn(next)]);
}

// What both kinds of compilers offer: the native server of TypeScript 7, and the API of TypeScript 5 and 6.

import type { Foreign } from '../contract/foreign';

/** The numbers of kinds of nodes by their names: `SyntaxKind` of TypeScript. */
export type Kinds = Readonly<Record<string, number>>;

/** A node of a syntax tree. All versions of TypeScript have these members. */
export interface SyntaxNode {
  readonly kind: number;
  readonly pos: number;
  readonly end: number;
  readonly parent: SyntaxNode | undefined;
  forEachChild(visit: (child: SyntaxNode) => unknown): unknown;
  /** Members by the kind of the node: `name`, `expression`, … */
  readonly [member: string]: Foreign;
}

/** A diagnostic of TypeScript. Offsets are UTF-16 units. */
export interface Found {
  code: number;
  at: number;
  end: number;
  text: string;
  /** The messages below the first one, each with its code, in the order in which TypeScript prints them. */
  reasons: { code: number; text: string }[];
  /** Codes of related messages. */
  related: number[];
}

export interface Tree {
  root: SyntaxNode;
  kinds: Kinds;
  /** Whether a call is one of a function that the host has declared. */
  callsHost(call: SyntaxNode): Promise<boolean>;
  /** The types of names, as text. */
  typesOf(names: readonly SyntaxNode[]): Promise<string[]>;
}

/** A file that was checked. */
export interface CheckedFile {
  semantic: Found[];
  /** Whether the file does not parse. Syntax of TypeScript in JavaScript counts. */
  hasSyntaxErrors: boolean;
  /** Only valid until the next check. */
  tree(): Promise<Tree>;
}

export interface Compiler {
  /**
   * @param folder of the project
   * @param file to check
   * @param changed files that are not what they were when the compiler read them
   */
  check(folder: string, file: string, changed: string[]): Promise<CheckedFile>;
  /** Forgets a project. */
  close(folder: string): void;
  /** Ends without waiting for a check under way, which fails. */
  end(): Promise<void>;
}

/** The only files that a compiler can read, except the declarations of the language that come with TypeScript. */
export interface VirtualFiles {
  read(path: string): string | undefined;
  isFolder(path: string): boolean;
}

/** The name of a file with declarations of the language. */
export const LIBRARY_FILE = /^lib(?:\.[\w.]+)?\.d\.ts$/;
/** The file of a project with the declarations of the host. */
export const HOST_FILE = 'host.d.ts';
export const CONFIG_FILE = 'tsconfig.json';
/** The programs of a project, by their languages. One of them is checked. */
export const PROGRAM_FILES = { js: 'program.js', ts: 'program.ts' };
/** The file of a project with variables of earlier runs. */
export const VARIABLES_FILE = 'variables.d.ts';
/** A file without content that is a module. */
export const BLANK = 'export {};';
/** The flag of TypeScript to print types as a whole. */
export const NO_TRUNCATION = 1;

// Messages between the thread of the host and the thread that checks.

import type { Finding } from './judge';
import type { ProgramFacts } from './syntax';

export type FileLanguage = 'js' | 'ts';

/** What the thread is created with. */
export interface CheckerSettings {
  /** The package that TypeScript is. */
  packageName: string;
  /** Its major version. */
  major: number;
  /** Milliseconds for the start of the compiler. */
  startMs: number;
  /** Milliseconds for a check. */
  checkMs: number;
}

export interface CheckRequest {
  id: number;
  /** Of the project. */
  folder: string;
  /** The files of a project that the thread does not have yet. */
  files?: [name: string, text: string][];
  /** Earlier runs that the thread does not have yet. */
  runs: [name: string, text: string][];
  /** The program, within the function that contains it. */
  text: string;
  /** Declarations of variables of earlier runs. */
  variables: string;
  /** Languages that the program may have. The first one in which it parses counts. */
  languages: FileLanguage[];
  /** Whether later programs can use what this one declares. */
  isKept: boolean;
}

export interface ForgetRequest {
  folders: string[];
  runs: string[];
}

/** Ends the thread. */
export interface EndRequest {
  end: true;
}

export type Request = CheckRequest | ForgetRequest | EndRequest;

/** The answer to a check that has ended. The language is undefined for a program that does not parse. */
export type ProgramAnswer =
  { id: number; language: FileLanguage; findings: Finding[] } | { id: number; language: undefined };

/** The answer to a check. */
export type CheckAnswer = ProgramAnswer | { id: number; failed: 'late' | 'ended'; reason: string };

/** What later checks need. It follows the answer, because the run does not wait for it. */
export interface FactsMessage {
  id: number;
  facts: ProgramFacts | undefined;
}

export interface ProcessMessage {
  pid: number;
}

export type Message = CheckAnswer | FactsMessage | ProcessMessage;

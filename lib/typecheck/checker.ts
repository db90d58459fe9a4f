import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { clearTimeout, setTimeout } from '../contract/clock';
import { requirePeer } from '../contract/peer-dependency';
import type { CheckAnswer, CheckRequest, CheckerSettings, Message } from './protocol';
import type { FileLanguage } from './protocol';
import type { Finding } from './judge';
import type { ProgramFacts } from './syntax';

/** The files of a project, without its programs. Projects with equal files are one. */
export type ProjectContent = readonly (readonly [name: string, text: string])[];

/** A run whose declarations a program can use. */
export interface EarlierRun {
  /** The name of its file. */
  file: string;
  text: string;
}

export interface Check {
  project: ProjectContent;
  runs: readonly EarlierRun[];
  text: string;
  /** Declarations of variables of earlier runs. */
  variables: string;
  languages: FileLanguage[];
  /** Whether later programs can use what this one declares. */
  isKept: boolean;
}

export type CheckOutcome =
  | {
      /** Absent if the program does not parse. */
      language?: FileLanguage | undefined;
      findings: Finding[];
      /** Undefined if they are not known. Only for a program without findings. */
      facts: Promise<ProgramFacts | undefined>;
    }
  /** The program was not checked. */
  | { skipped: string };

/** Time for a check, in milliseconds. It takes 2 to 5. */
const CHECK_MS = 2_000;
/** Time for the start of the compiler. */
const START_MS = 15_000;
/** Time for a check with all checks before it. */
const WAIT_MS = 20_000;
/** The thread ends a check at its deadline by itself, unless it is busy. */
const GRACE_MS = 500;
/** Projects that the thread keeps. */
const MAX_PROJECTS = 8;
const MAX_HEAP_MB = 1_024;
/** The oldest version whose API is used. */
const OLDEST = 5;

interface Pending {
  check: Check;
  settle: (outcome: CheckOutcome) => void;
  /** Of the wait. */
  timer: ReturnType<typeof setTimeout>;
}

/** Checks programs on a thread that it starts when it is needed, and again after it has ended. */
export class Checker {
  #settings: CheckerSettings;
  #thread: Thread | undefined;
  #waiting: Pending[] = [];
  #active: Pending | undefined;

  /**
   * @param packageName under which TypeScript is installed
   * @throws {Error} if it is not installed, or too old
   */
  constructor(packageName: string, limits: { checkMs?: number; startMs?: number } = {}) {
    const major = majorOf(packageName);
    this.#settings = { packageName, major, checkMs: CHECK_MS, startMs: START_MS, ...limits };
  }

  check(check: Check): Promise<CheckOutcome> {
    return new Promise((settle) => {
      const pending = { check, settle, timer: setTimeout(() => this.#giveUp(pending), WAIT_MS) };
      this.#waiting.push(pending);
      this.#next();
    });
  }

  /** Files of runs that no later check uses. */
  forget(runs: string[]) {
    this.#thread?.forget(runs);
  }

  /** The id of the compiler's process, if it has one. */
  get pid(): number | undefined {
    return this.#thread?.pid;
  }

  /** Ends the thread. The next check starts another one. */
  async end() {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }

  #giveUp(pending: Pending) {
    const at = this.#waiting.indexOf(pending);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    pending.settle({ skipped: `it waited longer than ${WAIT_MS} ms for other checks` });
  }

  #next() {
    if (this.#active !== undefined) return;
    const pending = this.#waiting.shift();
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    this.#active = pending;
    void this.#perform(pending.check).then((outcome) => {
      this.#active = undefined;
      pending.settle(outcome);
      this.#next();
    });
  }

  async #perform(check: Check): Promise<CheckOutcome> {
    const thread = (this.#thread ??= new Thread(this.#settings));
    const { answer, facts } = await thread.check(check);
    if (thread.hasEnded && this.#thread === thread) this.#thread = undefined;
    if ('failed' in answer) return { skipped: answer.reason };
    if (answer.language === undefined) return { findings: [], facts };
    return { language: answer.language, findings: answer.findings, facts };
  }
}

interface Answers {
  answer: (answer: CheckAnswer) => void;
  facts: (facts: ProgramFacts | undefined) => void;
}

/** The thread, and what it has received. */
class Thread {
  #worker;
  #settings;
  #isStarted = false;
  #nextId = 1;
  #open: Map<number, Answers> = new Map();
  /** Folders by the content of their projects. The last one was used last. */
  #projects: Map<string, string> = new Map();
  #runs: Set<string> = new Set();
  hasEnded = false;
  pid: number | undefined;

  constructor(settings: CheckerSettings) {
    this.#settings = settings;
    this.#worker = new Worker(join(__dirname, 'worker.js'), {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      // The compiler's process inherits these, and no secrets. It gives memory back above the limit, and prints nothing
      // about programs that are too much for it.
      env: {
        ...(process.env.SystemRoot !== undefined && { SystemRoot: process.env.SystemRoot }),
        GOMEMLIMIT: `${MAX_HEAP_MB}MiB`,
        GOTRACEBACK: 'none',
      },
    });
    this.#worker.on('message', (message: Message) => this.#receive(message));
    this.#worker.once('error', (error) => this.#lost(error.message));
    this.#worker.once('exit', (status) => this.#lost(`the thread that checks has ended (${status})`));
    this.#worker.unref();
    process.on('exit', this.#kill);
  }

  /** `facts` is undefined for a program with findings, and if they cannot be found. */
  async check({ project, runs, text, variables, languages, isKept }: Check) {
    const id = this.#nextId++;
    const { folder, files } = this.#projectOf(project, id);
    const added = runs.filter(({ file }) => !this.#runs.has(file));
    for (const { file } of added) this.#runs.add(file);
    const facts = new Promise<ProgramFacts | undefined>((resolve) => {
      this.#open.set(id, { answer: () => {}, facts: resolve });
    });
    const { startMs, checkMs } = this.#settings;
    const limit = this.#isStarted ? checkMs : startMs + checkMs;
    const late = setTimeout(() => this.#abandon(), limit + GRACE_MS);
    // Without this the process could end while a run waits for an answer, or the next one for facts.
    this.#worker.ref();
    const answer = await new Promise<CheckAnswer>((resolve) => {
      (this.#open.get(id) as Answers).answer = resolve;
      const request: CheckRequest = {
        id,
        folder,
        ...(files !== undefined && { files }),
        runs: added.map((run) => [run.file, run.text]),
        text,
        variables,
        languages,
        isKept,
      };
      this.#worker.postMessage(request);
    });
    clearTimeout(late);
    this.#isStarted = !('failed' in answer);
    if (!isKept || !('findings' in answer) || answer.findings.length > 0) this.#giveFacts(id, undefined);
    return { answer, facts };
  }

  forget(runs: string[]) {
    this.#forget(
      [],
      runs.filter((run) => this.#runs.delete(run)),
    );
  }

  /** Ends it together with the process of the compiler. */
  async end() {
    if (this.hasEnded) return;
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.ref();
    this.#worker.postMessage({ end: true });
    await ended;
  }

  /** Ends it during a check that it cannot end itself. */
  #abandon() {
    this.#lost('the check did not end');
    void this.#worker.terminate();
  }

  /** @returns `files` for a project that the thread does not have yet */
  #projectOf(project: ProjectContent, id: number) {
    const key = keyOf(project);
    const known = this.#projects.get(key);
    const folder = known ?? `/c${id}`;
    this.#projects.delete(key);
    this.#projects.set(key, folder);
    const dropped = [...this.#projects].slice(0, -MAX_PROJECTS);
    for (const [other] of dropped) this.#projects.delete(other);
    this.#forget(
      dropped.map(([, other]) => other),
      [],
    );
    return {
      folder,
      files: known === undefined ? project.map(([name, text]) => [name, text] as [string, string]) : undefined,
    };
  }

  #forget(folders: string[], runs: string[]) {
    if (!this.hasEnded && folders.length + runs.length > 0) this.#worker.postMessage({ folders, runs });
  }

  #receive(message: Message) {
    if ('pid' in message) this.pid = message.pid;
    else if ('facts' in message) this.#giveFacts(message.id, message.facts);
    else this.#open.get(message.id)?.answer(message);
  }

  #giveFacts(id: number, facts: ProgramFacts | undefined) {
    this.#open.get(id)?.facts(facts);
    this.#open.delete(id);
    if (this.#open.size === 0) this.#worker.unref();
  }

  #lost(reason: string) {
    if (!this.hasEnded) {
      this.hasEnded = true;
      process.off('exit', this.#kill);
      this.#kill();
    }
    for (const [id, { answer, facts }] of this.#open) {
      answer({ id, failed: 'ended', reason });
      facts(undefined);
    }
    this.#open.clear();
  }

  /** Otherwise the process of the compiler would go on with a check until it is finished. */
  #kill = () => {
    if (this.pid === undefined) return;
    try {
      process.kill(this.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
    this.pid = undefined;
  };
}

/** Executors check many programs with the same content, which can be long. */
const keys: WeakMap<ProjectContent, string> = new WeakMap();

function keyOf(project: ProjectContent) {
  let key = keys.get(project);
  if (key === undefined) {
    key = project.flat().join('\0');
    keys.set(project, key);
  }
  return key;
}

/** @throws {Error} if it is not installed, or too old */
function majorOf(packageName: string) {
  const user = 'Type checking';
  const { version } = requirePeer(user, 'typescript', () => require(`${packageName}/package.json`));
  const major = Number.parseInt(version, 10);
  if (major >= OLDEST) return major;
  throw new Error(
    `${user} needs typescript ${OLDEST} or later, and ${version} is installed; run: npm install typescript`,
  );
}

let shared: Checker | undefined;
let sharedPackage = 'typescript';

/**
 * The checker of all executors of this thread.
 *
 * @throws {Error} if TypeScript is not installed
 */
export function sharedChecker(): Checker {
  return (shared ??= new Checker(sharedPackage));
}

/** For tests: another package is TypeScript. */
export async function useTypeScript(packageName: string) {
  sharedPackage = packageName;
  await shared?.end();
  shared = undefined;
}

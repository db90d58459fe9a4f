// The thread that checks programs, one after the other.

import { parentPort, workerData } from 'node:worker_threads';

import { ApiCompiler } from './api-compiler';
import { clearTimeout, setTimeout } from '../contract/clock';
import { BLANK, PROGRAM_FILES, VARIABLES_FILE } from './compiler';
import { judge } from './judge';
import { NativeCompiler } from './native-compiler';
import { factsOf } from './syntax';
import { ProjectFiles } from './virtual-files';
import type { CheckedFile, Compiler, SyntaxNode, Tree } from './compiler';
import type { CheckRequest, CheckerSettings, ForgetRequest, Message, ProgramAnswer, Request } from './protocol';

/** The first major version with a native server. */
const NATIVE = 7;

const settings = workerData as CheckerSettings;
const files = new ProjectFiles();
/** Files that the compiler has read and that have changed since then, by their folders. */
const changed: Map<string, Set<string>> = new Map();
let compiler: Promise<Compiler> | undefined;
let isStarted = false;
/** The work under way. Requests are answered in order. */
let last: Promise<void> = Promise.resolve();

// The library of TypeScript does not handle errors of answers that it writes to a process that has ended.
process.on('unhandledRejection', (error: NodeJS.ErrnoException) => {
  if (error?.code !== 'EPIPE' && error?.code !== 'ERR_STREAM_DESTROYED') throw error;
});

parentPort?.on('message', (request: Request) => {
  if ('end' in request) void end();
  else last = last.then(() => ('folders' in request ? forget(request) : check(request)));
});

function post(message: Message) {
  parentPort?.postMessage(message);
}

async function check(request: CheckRequest) {
  const { id } = request;
  addFiles(request);
  try {
    const { answer, checked } = await performed(request).catch((error) => {
      if (error instanceof LateError) throw error;
      // The process of the compiler may have ended since the last check.
      return performed(request);
    });
    post(answer);
    if (checked !== undefined) post({ id, facts: await factsIn(checked, request, answer.language === 'ts') });
  } catch (error) {
    const isLate = error instanceof LateError;
    post({ id, failed: isLate ? 'late' : 'ended', reason: String((error as Error)?.message ?? error) });
  }
}

async function performed(request: CheckRequest) {
  try {
    // The time for a program does not contain that for the start.
    if (!isStarted) await inTime(start(request), settings.startMs);
    isStarted = true;
    return await inTime(answerOf(request), settings.checkMs);
  } catch (error) {
    await endCompiler(request);
    throw error;
  }
}

/** The next check starts a new one. */
async function endCompiler({ folder }: CheckRequest) {
  isStarted = false;
  // It must not read this program when it starts.
  for (const name of Object.values(PROGRAM_FILES)) write(folder, name, BLANK);
  const ended = compiler;
  if ((await ended?.catch(() => undefined)) === undefined) compiler = undefined;
  await (await compiler)?.end();
}

function addFiles({ folder, files: added, runs }: CheckRequest) {
  if (added !== undefined) {
    files.addProject(folder, added);
    changed.set(folder, new Set());
  }
  for (const [name, run] of runs) files.addRun(name, run);
}

/** Starts the compiler, which reads the declarations of the language. */
async function start({ folder }: CheckRequest) {
  await checkFile(folder, `${folder}/${PROGRAM_FILES.js}`);
}

/** @returns `checked` for a program whose declarations later ones can use */
async function answerOf(request: CheckRequest): Promise<{ answer: ProgramAnswer; checked?: CheckedFile }> {
  const { id, folder, text, variables, languages, isKept } = request;
  write(folder, VARIABLES_FILE, variables);
  for (const language of languages) {
    for (const other of ['js', 'ts'] as const) write(folder, PROGRAM_FILES[other], other === language ? text : BLANK);
    const checked = await checkFile(folder, `${folder}/${PROGRAM_FILES[language]}`);
    if (checked.hasSyntaxErrors) continue;
    const findings = checked.semantic.length === 0 ? [] : await judge(checked.semantic, await checked.tree());
    const answer = { id, language, findings };
    return isKept && findings.length === 0 ? { answer, checked } : { answer };
  }
  return { answer: { id, language: undefined } };
}

function write(folder: string, name: string, text: string) {
  if (files.write(folder, name, text)) changed.get(folder)?.add(`${folder}/${name}`);
}

async function checkFile(folder: string, file: string) {
  compiler ??= load();
  const stale = changed.get(folder);
  const checked = await (await compiler).check(folder, file, [...(stale ?? [])]);
  stale?.clear();
  return checked;
}

function load(): Promise<Compiler> {
  if (settings.major >= NATIVE) return NativeCompiler.load(settings.packageName, files, (pid) => post({ pid }));
  return ApiCompiler.load(settings.packageName, files);
}

/** @returns undefined if they cannot be found */
async function factsIn(checked: CheckedFile, request: CheckRequest, isTypeScript: boolean) {
  const find = async () => {
    const tree = await checked.tree();
    return factsOf(tree, bodyIn(tree), isTypeScript);
  };
  return inTime(find(), settings.checkMs).catch(async () => {
    await endCompiler(request);
    return undefined;
  });
}

/** The body of the function that contains the program: the last one at the top level. */
function bodyIn({ root, kinds }: Tree): SyntaxNode {
  let body = root;
  root.forEachChild((statement) => {
    if (statement.kind === kinds.FunctionDeclaration) body = statement.body;
  });
  return body;
}

async function forget({ folders, runs }: ForgetRequest) {
  for (const run of runs) files.removeRun(run);
  for (const folder of folders) {
    files.removeProject(folder);
    changed.delete(folder);
    (await compiler?.catch(() => undefined))?.close(folder);
  }
}

async function end() {
  await (await compiler?.catch(() => undefined))?.end();
  process.exit();
}

class LateError extends Error {}

function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  // It may fail after its time.
  work.catch(() => {});
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError(`it took longer than ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

import { homedir } from 'node:os';
import { join } from 'node:path';
import { Recoverable, start } from 'node:repl';
import type { Key } from 'node:readline';
import { inspect } from 'node:util';

import { namesFor } from './completion';
import { errorText } from './diagnostics';
import { endServersBySignal } from './end-by-signal';
import { placeOf } from './fleet-options';
import { guestExecutor } from './guest-executor';
import { loadTools, readVariables, refuseNoFolder, utf8Of } from './input';
import { limitsOf } from './limits';
import { OpenBrackets } from './open-brackets';
import { progressText } from './progress-line';
import { isIncompletePython, pythonNamesFor } from './python-lines';
import { shownText } from './shown-text';
import { lost } from './terminal';
import { asUsage } from './usage-error';
import { ExecutorError } from '../../contract/errors';
import { outputText } from '../../contract/render';
import { visible, write } from '../../contract/terminal';
import { prepareProgram } from '../../ses/check';
import { connectServers } from '../mcp/servers';
import { toolsetOf } from '../mcp/tools';
import { HelperState, RunHelpers } from '../code-tool/helpers';
import { languageText } from '../code-tool/language';
import type { Command, CommandOptions } from './main';
import type { ExecutorOptions } from '../../contract/executor-options';
import type { Executor } from '../../contract/executor-types';
import type { LanguageText } from '../code-tool/language';
import type { Toolset } from '../mcp/toolset';
import type { Foreign } from '../../contract/foreign';

/** The file name in errors of a prompt. */
const PLACE = 'repl';
const STATE_LOST = 'The variables and functions that you have defined are gone.';

/**
 * Runs `ses-executor repl`: runs the programs that are typed, until stdin ends, `.exit` is typed, or stdout has no
 * reader. The exit status is 0.
 */
export async function repl(_file: Parameters<Command>[0], given: Parameters<Command>[1]): ReturnType<Command> {
  const { root, readOnly, vars, tools, mcpServers: commands, python } = given;
  refuseNoFolder(root, readOnly);
  const variables = vars === undefined ? undefined : readVariables(vars);
  const exported = tools === undefined ? {} : await loadTools(tools);
  endServersBySignal();
  const servers = await asUsage(() => connectServers(commands));
  for (const warning of servers.flatMap(({ warnings }) => warnings)) process.stderr.write(`ses-executor: ${warning}\n`);
  try {
    const prompt = await asUsage(
      () =>
        new Prompt({
          executor: newExecutor(given),
          language: python ? PYTHON : JAVASCRIPT,
          toolset: toolsetOf({ root, readOnly, tools: exported, servers }).toolset,
          variables,
          input: process.stdin.isTTY === true ? process.stdin : utf8Of(process.stdin, 'the standard input'),
          output: process.stdout,
          terminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
          hasColours: process.stdout.isTTY === true && process.stdout.hasColors(),
          history: historyFile(),
        }),
    );
    await Promise.race([prompt.ended, lost(process.stdout)]);
    return 0;
  } finally {
    await Promise.all(servers.map(({ close }) => close()));
  }
}

function newExecutor(options: CommandOptions) {
  const onLog: ExecutorOptions['onLog'] = ({ message }) => write(process.stdout, `${message}\n`);
  const { maxOperations, ...limits } = limitsOf(options);
  return guestExecutor(options, {
    isPython: options.python === true,
    common: { ...limits, ...placeOf(options), onLog },
    ofJavaScript: { keepState: true },
    maxOperations,
    packagesText: '--packages needs --python',
  });
}

/** The language-specific parts of a prompt. */
export interface PromptLanguage {
  text: LanguageText;
  /** Whether further lines may complete code that ends with a line break. */
  isIncomplete: (code: string) => boolean;
  /** Whether the language has the brackets of JavaScript. */
  hasBrackets: boolean;
  namesFor: typeof namesFor;
  /** Whether `null` is not shown. */
  hidesNull: boolean;
}

const JAVASCRIPT: PromptLanguage = {
  text: languageText(),
  isIncomplete,
  hasBrackets: true,
  namesFor,
  hidesNull: false,
};
const PYTHON: PromptLanguage = {
  text: languageText('python'),
  isIncomplete: isIncompletePython,
  hasBrackets: false,
  namesFor: pythonNamesFor,
  hidesNull: true,
};

/** The file that stores the history. Undefined if there is none. */
function historyFile() {
  const { SES_EXECUTOR_REPL_HISTORY: file } = process.env;
  if (file !== undefined) return file.trim() === '' ? undefined : file;
  try {
    return join(homedir(), '.ses_executor_repl_history');
  } catch {
    // The user has no home directory.
    return undefined;
  }
}

export interface PromptOptions {
  executor: Executor;
  /** The language of the programs. Default: JavaScript. */
  language?: PromptLanguage;
  toolset: Toolset;
  /** Variables of each isolate. */
  variables?: Record<string, unknown>;
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Whether the input is a terminal. */
  terminal: boolean;
  hasColours: boolean;
  /** The file that stores the history. */
  history?: string;
}

const PROMPT = '> ';
/** Ask a terminal to mark where pasted text begins and ends. */
const BRACKETED_PASTE_ON = '\x1b[?2004h';
const BRACKETED_PASTE_OFF = '\x1b[?2004l';
/** Control characters that are not part of programs. */
const CONTROLS = /[^\P{Cc}\t\r\n]/gu;
/** Where Node.js would end a line that is typed. */
const LINE_BREAK = /[\n\u2028\u2029]/;
/** Above this number of lines, a program is not parsed again for each further line while brackets are open. */
const MANY_LINES = 64;
/** Matches a line whose end is escaped, so that its string continues on the next line. */
const CONTINUED = /(?<!\\)(?:\\\\)*\\\r?\n$/;

/** Reads programs from a person, runs them one after another in one executor, and shows their results. */
export class Prompt {
  ready;
  ended;

  #executor;
  #language;
  #toolset;
  #variables;
  #hasColours;
  #terminal;
  #server;
  /** Settles with the last program that was typed. */
  #last: Promise<unknown> = Promise.resolve();
  #helpers = new HelperState();
  /** Aborts the current run. */
  #run: AbortController | undefined;
  /** The number of programs that were typed and whose results are not shown yet. */
  #waiting = 0;
  /** The lines so far of an incomplete program. */
  #begun = '';
  /** The last line that was typed. */
  #line = '';
  /** The open brackets of the incomplete program. */
  #brackets = new OpenBrackets();
  #lines = 0;
  /** The number of lines at which the program is parsed again although brackets are open. */
  #parsedAgainAt = 0;
  #mayExit = false;
  /** The pasted text so far: undefined if the keys are typed, null if a person has dropped the text. */
  #paste: string | null | undefined;
  /** Whether the loss of the session's variables has been shown. */
  #isLossShown = false;

  constructor({
    executor,
    language = JAVASCRIPT,
    toolset,
    variables,
    input,
    output,
    terminal,
    hasColours,
    history,
  }: PromptOptions) {
    this.#executor = executor;
    this.#language = language;
    this.#toolset = toolset;
    this.#variables = variables;
    this.#hasColours = hasColours;
    this.#terminal = terminal;
    const server = start({
      prompt: terminal ? PROMPT : '',
      input,
      output,
      terminal,
      useColors: hasColours,
      eval: (code, _context, _file, done) => this.#evaluate(code, done),
      // The prompt shows results itself, because the next programs may be typed before the results arrive.
      ignoreUndefined: true,
      completer: (line: string, done: (error: Error | null, result: [string[], string]) => void) =>
        void this.#complete(line, done),
    });
    this.#server = server;
    if (!terminal) server.displayPrompt = () => {};
    else this.#takePastedText(output);
    server.prependListener('line', (line) => (this.#line = line));
    this.#setUpCommands();
    // The default handler would end the session at the second Ctrl-C, even during a run.
    server.removeAllListeners('SIGINT');
    server.on('SIGINT', () => this.#interrupt());
    /** Settles when the history of earlier sessions is loaded. */
    this.ready = new Promise((resolve) => {
      if (!terminal || history === undefined) return resolve(undefined);
      // A history that cannot be read is treated as missing.
      server.setupHistory(history, () => resolve(undefined));
    });
    /** Settles when the session has ended. */
    this.ended = new Promise((resolve, reject) => {
      let end: () => Promise<void> = () => this.#end();
      // An error of the input.
      server.once('error', (error) => {
        this.#begun = '';
        end = async () => {
          await this.#end();
          throw error;
        };
        server.close();
      });
      server.once('exit', () => end().then(resolve, reject));
    });
  }

  /**
   * Inserts pasted text as a whole, as one line with line breaks in it, which runs when a person presses Enter.
   * Otherwise the first line would run alone, and a line such as `.map(double)` would be a command of the prompt. Keys
   * of pasted text are characters: Ctrl-D does not end the session, and tabs do not complete names.
   */
  #takePastedText(output: NodeJS.WritableStream) {
    const server = this.#server as Foreign;
    const type: (text: string, key?: Key) => void = server._ttyWrite.bind(server);
    server._ttyWrite = (text: string, key: Key | undefined) => {
      const name = key?.name;
      if (name === 'paste-start') {
        this.#paste = '';
      } else if (this.#paste === undefined) {
        type(text, key);
      } else if (name === 'c' && key?.ctrl) {
        // The rest of the text may still arrive. If its end never arrives, the next Ctrl-C ends it.
        const isDropped = this.#paste === null;
        type(text, key);
        this.#paste = isDropped ? undefined : null;
      } else if (name === 'paste-end') {
        const pasted = (this.#paste ?? '').replace(CONTROLS, '').replace(/\r\n?/g, '\n');
        this.#paste = undefined;
        if (LINE_BREAK.test(pasted)) this.#insert(pasted);
        else if (pasted !== '') type(pasted);
      } else if (this.#paste !== null) {
        this.#paste += key?.sequence ?? text;
      }
    };
    output.write(BRACKETED_PASTE_ON);
    server.once('exit', () => output.write(BRACKETED_PASTE_OFF));
  }

  /** Inserts text with line breaks at the cursor. */
  #insert(text: string) {
    const server = this.#server as Foreign;
    const { isCompletionEnabled, cursor, line } = server;
    const isAtEnd = cursor === line.length;
    // Node.js 24 recognizes line breaks only in text that is inserted before other text, as one key.
    server.isCompletionEnabled = true;
    if (isAtEnd) server.line += ' ';
    server._insertString(text);
    if (isAtEnd) server._deleteRight();
    server.isCompletionEnabled = isCompletionEnabled;
  }

  #setUpCommands() {
    const server = this.#server;
    // `.clear` clears a context that programs do not run in.
    delete (server.commands as Record<string, unknown>).clear;
    server.defineCommand('tools', {
      help: 'Show what the code can call',
      action: () =>
        this.#enqueue(async () =>
          this.#toolset.isEmpty
            ? 'There are no tools.'
            : this.#toolset.catalogIn(this.#language.text, { maxChars: Infinity }).text(),
        ),
    });
    server.defineCommand('reset', {
      help: 'Forget all variables and functions',
      action: () =>
        this.#enqueue(async () => {
          await this.#executor.cleanup();
          return 'The session is empty.';
        }),
    });
  }

  #evaluate(code: string, done: (error: Error | null, result: undefined) => void) {
    this.#mayExit = false;
    const before = this.#begun;
    this.#begun = '';
    if (before === '' && code.trim() === '') return done(null, undefined);
    if (this.#goesOn(code, before)) {
      this.#begun = code;
      return done(new Recoverable(new SyntaxError('it goes on')), undefined);
    }
    this.#enqueue(() => this.#runCode(code));
    done(null, undefined);
  }

  /**
   * Whether further lines may complete code. Parsing thousands of lines again for each line would take quadratic time.
   *
   * @param before the code without its last lines
   */
  #goesOn(code: string, before: string) {
    if (!this.#language.hasBrackets) return this.#language.isIncomplete(code);
    // Reading `code` itself would force Node.js to join all lines for each line.
    const line = `${this.#line}\n`;
    const isLonger = before !== '' && code.length === before.length + line.length;
    if (!isLonger) {
      this.#brackets = new OpenBrackets();
      this.#lines = 0;
      this.#parsedAgainAt = MANY_LINES;
    }
    const added = isLonger ? line : code;
    this.#brackets.add(added);
    this.#lines += added.split('\n').length - 1;
    if (this.#lines > MANY_LINES && this.#lines < this.#parsedAgainAt && this.#brackets.areOpen) return true;
    // Open brackets are only a guess, so the code is parsed from time to time.
    this.#parsedAgainAt = Math.ceil(this.#lines * 1.25);
    return this.#language.isIncomplete(code);
  }

  /** Shows the result of a call after the results of earlier calls, then shows a prompt again. */
  #enqueue(call: () => Promise<string | undefined>) {
    this.#waiting++;
    this.#server.setPrompt('');
    this.#last = this.#last.then(call).then(
      (text) => this.#show(text),
      (error) => this.#show(this.#red(String(error?.message ?? error))),
    );
  }

  #show(text: string | undefined) {
    if (text !== undefined) this.#say(text);
    if (--this.#waiting > 0) return;
    this.#server.setPrompt(PROMPT);
    this.#server.displayPrompt(true);
  }

  async #runCode(code: string) {
    const colors = this.#hasColours;
    const controller = new AbortController();
    this.#run = controller;
    const { tools, end } = this.#toolset.forRun(controller.signal, this.#language.text);
    let helpers: RunHelpers | undefined;
    try {
      await this.#makeReady();
      helpers = this.#helpersOf(code, Object.keys(tools));
      const sent = { ...helpers.tools, ...tools };
      if (Object.keys(sent).length > 0) await this.#executor.sendTools(sent);
      const { output } = await this.#executor.run(code, { signal: controller.signal });
      this.#sayShown(helpers);
      if (output === null && this.#language.hidesNull) return undefined;
      // As in other prompts, a string is quoted to distinguish it from other values.
      return typeof output === 'object' ? outputText(output, { colors }) : inspect(output, { colors });
    } catch (error) {
      if (!(error instanceof ExecutorError)) throw error;
      if (helpers !== undefined) this.#sayShown(helpers);
      const text = controller.signal.aborted ? 'Interrupted.' : errorText(error, PLACE, code).trimEnd();
      this.#isLossShown = this.#executor.state === 'DIRTY';
      return this.#red(this.#isLossShown ? `${text}\n${STATE_LOST}` : text);
    } finally {
      end();
      helpers?.end();
      this.#run = undefined;
    }
  }

  /** `display` and `progress`, for programs that use them and do not declare the names. */
  #helpersOf(code: string, tools: string[]) {
    return new RunHelpers(code, {
      state: this.#helpers,
      // Long outputs are printed, so none are kept.
      taken: () => [...tools, ...Object.keys(this.#variables ?? {}), 'outputs'],
      onProgress: (message, fraction) => this.#say(progressText(message, fraction)),
    });
  }

  #sayShown({ content }: RunHelpers) {
    if (content.blocks.length > 0) this.#say(shownText(content.blocks).replace(/\n$/, ''));
  }

  async #makeReady() {
    if (this.#executor.state === 'DIRTY') {
      // The worker process ended while no program was running. For example, the system was short of memory.
      if (!this.#isLossShown) this.#say(this.#red(STATE_LOST));
      await this.#executor.cleanup();
    }
    if (!['NEW', 'DEAD'].includes(this.#executor.state)) return;
    await this.#executor.init();
    this.#helpers.clear();
    this.#isLossShown = false;
    if (this.#variables !== undefined) await this.#executor.sendVariables(this.#variables);
  }

  /**
   * Handles Ctrl-C. It ends the current run, otherwise discards the current input. Without either, the second Ctrl-C
   * ends the session.
   */
  #interrupt() {
    const server = this.#server;
    if (this.#run !== undefined) return this.#run.abort(new Error('interrupted'));
    const isTyping = server.line !== '' || this.#begun !== '' || server.editorMode || this.#paste !== undefined;
    if (!isTyping && this.#mayExit) return server.close();
    this.#mayExit = !isTyping;
    this.#begun = '';
    (server as Foreign).editorMode = false;
    server.setPrompt(PROMPT);
    server.clearBufferedCommand();
    (server as Foreign).clearLine();
    if (!isTyping) this.#say('(To exit, press Ctrl+C again or Ctrl+D or type .exit)');
    server.displayPrompt();
  }

  async #complete(line: string, done: (error: Error | null, result: [string[], string]) => void) {
    const nothing = [[], line] as [string[], string];
    if (line.trimStart().startsWith('.')) return done(null, [this.#commandsLike(line.trimStart()), line.trimStart()]);
    // Completion needs names from the isolate, which is busy.
    if (this.#waiting > 0) return done(null, nothing);
    const found = this.#last.then(async () => {
      await this.#makeReady();
      const { tools, end } = this.#toolset.forRun(undefined, this.#language.text);
      if (!this.#toolset.isEmpty) await this.#executor.sendTools(tools);
      end();
      return this.#language.namesFor(line, this.#executor);
    });
    this.#last = found.catch(() => {});
    done(null, await found.catch(() => nothing));
  }

  #commandsLike(start: string) {
    return Object.keys(this.#server.commands)
      .map((name) => `.${name}`)
      .filter((name) => name.startsWith(start));
  }

  async #end() {
    // A person who leaves does not wait for the current run.
    if (this.#terminal) this.#run?.abort(new Error('the session has ended'));
    else if (this.#begun !== '') this.#evaluateRest();
    await this.#last;
    await this.#executor.cleanup();
  }

  /** Runs the rest of the input. A program that ends before it is complete is an error. */
  #evaluateRest() {
    const code = this.#begun;
    this.#enqueue(() => this.#runCode(code));
  }

  #say(text: string) {
    this.#server.output.write(`${this.#terminal ? visible(text) : text}\n`);
  }

  #red(text: string) {
    // `styleText` is not used, because Node.js provides it only since 20.12.
    return this.#hasColours ? `\x1b[31m${text}\x1b[39m` : text;
  }
}

/**
 * Whether code ends before it is complete, so that further lines may complete it.
 *
 * @param code code that ends with a line break
 */
function isIncomplete(code: string) {
  const lines = code.trimEnd().split('\n').length;
  return prepareProgram(code).diagnostics.some(
    ({ rule, message, location }) =>
      rule === 'syntax_valid' &&
      ((location !== undefined && location.line > lines) ||
        message === 'Unterminated template' ||
        (message === 'Unterminated string constant' && CONTINUED.test(code))),
  );
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomUUID } from 'node:crypto';

import { describe } from '../../contract/describe';
import { isExecutor, refuseOtherOptions } from '../../contract/executor';
import { NO_LIMIT, OPTION_NAMES, optionsOf } from '../../contract/options';
import { requirePeer } from '../../contract/peer-dependency';
import { OWN_OPTIONS } from '../code-tool/settings';
import { checkDurableOptions, isId } from '../../durable/options';
import { refuseWrongOptions } from '../../ses/check-options';
import { checkpointStore } from './checkpoint-store';
import { SESExecutor } from '../../ses/executor';
import type { Executor } from '../../contract/executor-types';
import type { Foreign } from '../../contract/foreign';
import type { CodeMiddleware } from './middleware-types';

/** Loaded for the first session: most hosts have none in a checkpointer. */
const durable = () => require('../../durable') as typeof import('../../durable');

const OWN = ['state', 'open', 'checkpointer', 'keys', 'onEnd', 'maxSessions'];
type State = 'thread' | 'turn' | 'call';
const STATES = ['thread', 'turn', 'call'];
const MAX_SESSIONS = 100;
/** Key of the agent's state that has the id of the turn. Agents neither take nor return keys with this prefix. */
const TURN = '_codeTurn';

/** The parts of the options, checked. */
export function middlewareOptions(options: unknown) {
  const given = optionsOf(options, 'options', [...OWN, ...OWN_OPTIONS, ...OPTION_NAMES]);
  const { state = 'thread', open, checkpointer, keys, onEnd, maxSessions = MAX_SESSIONS, ...others } = given;
  if (!STATES.includes(state)) {
    throw new TypeError(`options.state must be "thread", "turn" or "call", got ${describe(state)}`);
  }
  if ('executor' in others) throw new TypeError('options.executor is not an option; use options.open');
  for (const [name, value] of Object.entries({ open, onEnd })) {
    if (value === undefined || typeof value === 'function') continue;
    throw new TypeError(`options.${name} must be a function, got ${describe(value)}`);
  }
  if (!Number.isSafeInteger(maxSessions) || maxSessions < 1) {
    throw new RangeError(`options.maxSessions must be an integer >= 1, got ${describe(maxSessions)}`);
  }
  const isOfTool = ([name]: [string, unknown]) => OWN_OPTIONS.includes(name) || name === 'language';
  const entries = Object.entries(others);
  // The language of a session that `open` returns must be known before.
  const toolOptions = Object.fromEntries(entries.filter(isOfTool));
  const executorOptions = Object.fromEntries(entries.filter((entry) => !OWN_OPTIONS.includes(entry[0])));
  if (open !== undefined) refuseOtherOptions(omitLanguage(executorOptions), [...OWN, ...OWN_OPTIONS]);
  if (open !== undefined && checkpointer !== undefined) {
    throw new TypeError('options.checkpointer cannot be combined with options.open, which opens the sessions');
  }
  if (keys !== undefined && checkpointer === undefined) throw new TypeError('options.keys needs options.checkpointer');
  const sessions =
    checkpointer === undefined
      ? { open: open ?? defaultOpen(executorOptions), onEnd }
      : sessionsIn(checkpointer, keys, executorOptions, onEnd);
  return { state: state as State, ...sessions, maxSessions: maxSessions as number, toolOptions };
}

/** Durable sessions whose journals are in a checkpointer. */
function sessionsIn(checkpointer: Foreign, keys: Foreign, options: Foreign, onEnd?: (id: string) => unknown) {
  const store = checkpointStore(checkpointer);
  const opening = { store, keys, executor: executorOptionsOf(options) };
  checkDurableOptions('id', opening);
  return {
    open: (id: string): Promise<Executor> => durable().DurableSession.open(journalIdOf(id), opening),
    onEnd: async (id: string) => {
      await store.remove(journalIdOf(id));
      await onEnd?.(id);
    },
  };
}

/** The ids of threads and calls may be too long for a journal, or have other characters. */
function journalIdOf(id: string) {
  return isId(id) ? id : createHash('sha256').update(id).digest('hex');
}

function omitLanguage({ language: _, ...others }: Foreign) {
  return others;
}

/** A session that is open, and how many calls use it. */
interface Session {
  executor: Promise<Executor>;
  users: number;
}

/** The sessions of a middleware, by id. The one that was used last is the last one. */
export class AgentSessions {
  #open;
  #onEnd;
  #max;
  #sessions: Map<string, Session> = new Map();
  #current: AsyncLocalStorage<Session> = new AsyncLocalStorage();
  /** Executors that are being cleaned up. */
  #ending: Map<string, Promise<void>> = new Map();

  constructor({
    open,
    onEnd,
    maxSessions,
  }: Pick<ReturnType<typeof middlewareOptions>, 'open' | 'onEnd' | 'maxSessions'>) {
    this.#open = open;
    this.#onEnd = onEnd;
    this.#max = maxSessions;
  }

  /** The executor of the call that the caller works for. */
  executor(): Promise<Executor> {
    const session = this.#current.getStore();
    if (session === undefined) throw new Error('the code tool of a middleware can only be called by its agent');
    return session.executor;
  }

  /** Calls the tool with a session. */
  async within<T>(id: string, work: () => Promise<T>): Promise<T> {
    const session = this.#sessions.get(id) ?? { executor: this.#opened(id), users: 0 };
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.users++;
    try {
      await session.executor;
      await this.#evict();
      return await this.#current.run(session, work);
    } catch (error) {
      session.users--;
      // Opening may succeed the next time. After an interrupt, another process may continue the program.
      await this.release(id).catch(() => {});
      session.users++;
      throw error;
    } finally {
      session.users--;
    }
  }

  /** Gives a session free for other processes if its state is in a journal. */
  async release(id: string) {
    const session = this.#sessions.get(id);
    if (session === undefined || session.users > 0) return;
    const executor: Foreign = await session.executor.catch(() => undefined);
    const isFree = session.users === 0 && this.#sessions.get(id) === session;
    if (isFree && (executor === undefined || typeof executor.answer === 'function')) await this.#free(id);
  }

  /** The state of a session is not needed any more. */
  async end(id: string) {
    await this.#free(id);
    await this.#onEnd?.(id);
  }

  async cleanup() {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#free(id)));
  }

  async #opened(id: string): Promise<Executor> {
    await this.#ending.get(id)?.catch(() => {});
    const executor = await this.#open(id);
    if (!isExecutor(executor)) throw new TypeError(`options.open must return an executor, got ${describe(executor)}`);
    return executor;
  }

  async #evict() {
    const unused = [...this.#sessions].filter(([, { users }]) => users === 0).map(([id]) => id);
    await Promise.all(unused.slice(0, Math.max(0, this.#sessions.size - this.#max)).map((id) => this.#free(id)));
  }

  async #free(id: string) {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    const ending = session.executor.then(
      (executor) => executor.cleanup(),
      () => {},
    );
    this.#ending.set(id, ending);
    try {
      await ending;
    } finally {
      if (this.#ending.get(id) === ending) this.#ending.delete(id);
    }
  }
}

/**
 * The hooks of a middleware.
 *
 * @param tool the code tool, whose executors are those of the sessions
 */
export function middlewareOf(tool: Foreign, state: State, sessions: AgentSessions): CodeMiddleware {
  const user = 'createCodeMiddleware of ses-executor/langchain';
  const { createMiddleware } = requirePeer(user, 'langchain', () => require('langchain'));
  const { z } = requirePeer(user, 'zod', () => require('zod'));
  const turnId = (its: Foreign, { configurable }: Foreign) => idOf(configurable?.thread_id, its?.[TURN]);
  const middleware = createMiddleware({
    name: 'CodeMiddleware',
    tools: [tool],
    stateSchema: z.object({ [TURN]: z.string().optional() }),
    // Not called when an interrupted turn is resumed.
    beforeAgent: () => ({ [TURN]: randomUUID() }),
    wrapToolCall: async (request: Foreign, handler: Foreign) => {
      const { toolCall, runtime } = request;
      if (toolCall.name !== tool.name) return handler(request);
      const call = () => handler(request).catch((error: Foreign) => wrongInputMessage(error, toolCall));
      const thread = runtime.configurable?.thread_id;
      if (state === 'thread' && typeof thread === 'string') return sessions.within(thread, call);
      if (state !== 'call') return sessions.within(turnId(request.state, runtime), call);
      // Models give calls of different conversations the same id.
      const id = idOf(thread ?? request.state?.[TURN], toolCall.id);
      const result = await sessions.within(id, call);
      // After an interrupt, the call is made again with its state.
      await sessions.end(id);
      return result;
    },
    afterAgent: async (its: Foreign, runtime: Foreign) => {
      const thread = runtime.configurable?.thread_id;
      if (state === 'thread' && typeof thread === 'string') await sessions.release(thread);
      else if (state !== 'call') await sessions.end(turnId(its, runtime));
    },
  });
  return Object.assign(middleware, { cleanup: () => sessions.cleanup() });
}

/**
 * What the model is told about wrong input. Agents do that themselves, but they do not know the error if LangChain's
 * packages are loaded in both module formats.
 *
 * @throws the error if it is another one
 */
function wrongInputMessage(error: Foreign, { id, name }: Foreign) {
  if (error?.constructor?.name !== 'ToolInputParsingException') throw error;
  const { ToolMessage } = require('@langchain/core/messages');
  return new ToolMessage({ content: error.message, status: 'error', tool_call_id: id, name });
}

function idOf(thread: unknown, own: unknown) {
  return typeof thread === 'string' ? `${thread}.${own}` : String(own);
}

/** The function that opens sessions if the caller has none. */
function defaultOpen(given: Foreign): () => Executor {
  const options = executorOptionsOf(given);
  return () => new SESExecutor(options);
}

/** Wrong options are rejected here. */
function executorOptionsOf(options: Foreign) {
  const { language } = options;
  if (language === 'python') throw new TypeError('Python needs options.open, which returns a PyodideExecutor');
  refuseWrongOptions(options, OWN);
  return { maxOperations: NO_LIMIT, ...options };
}

import { randomUUID } from 'node:crypto';

import { clearTimeout, setTimeout } from '../../contract/clock';
import { onAbort } from '../../contract/signals';
import { answerOf, questionAbout } from './elicitation';
import { PersonNeeded } from './person-needed';
import type { Foreign } from '../../contract/foreign';
import type { Answer, WaitingCall } from '../../contract/waiting-types';
import type { ServedTool, ToolRequest } from './served';

/** The extension of protocol 2026-07-28 by which a server answers calls that take long with a task. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** Milliseconds after which a call becomes a task. */
const TASK_AFTER_MS = 5_000;
/** Tasks of one server that clients can still ask about. */
const MAX_TASKS = 64;
/** How long a task is kept, in milliseconds from its beginning. Its work ends then. */
const TTL_MS = 60 * 60_000;
/** Milliseconds after which a client should ask again. */
const POLL_MS = 500;
const INTERNAL_ERROR = -32_603;

interface Task {
  id: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** of its end */
  outcome: { result?: Foreign; error?: { code: number; message: string } };
  createdAt: string;
  lastUpdatedAt: string;
  /** Questions to the person at the client, by their keys. */
  questions: Map<string, { call: WaitingCall; answer: (answer: Answer | undefined) => void }>;
  controller: AbortController;
  /** Ends the task when its time is over. */
  timer: NodeJS.Timeout;
}

/** The calls of a server that its clients poll. The SDK passes the messages on, and has no runtime for them. */
export class ModernTasks {
  #tasks: Map<string, Task> = new Map();
  /** Of calls under way. */
  #working: Set<AbortController> = new Set();
  #afterMs;

  constructor(afterMs: number = TASK_AFTER_MS) {
    this.#afterMs = afterMs;
  }

  /** Calls a tool. If that takes long, the result is a task. */
  async call(call: ServedTool['call'], args: Foreign, request: ToolRequest): Promise<Foreign> {
    if (this.#tasks.size >= MAX_TASKS && this.#firstEnded() === undefined) return await call(args, request);
    const controller = new AbortController();
    this.#working.add(controller);
    const stopListening = onAbort(request.signal, () => controller.abort(request.signal.reason));
    if (request.signal.aborted) controller.abort(request.signal.reason);
    let task: Task | undefined;
    const work = call(args, {
      ...request,
      signal: controller.signal,
      // The request of a task has ended: nothing can be sent in its name.
      sendNotification: async (notification) =>
        task === undefined ? request.sendNotification(notification) : undefined,
      ask: async (waiting) => {
        try {
          return await request.ask(waiting);
        } catch (error) {
          if (task === undefined || !(error instanceof PersonNeeded)) throw error;
          return await ask(task, waiting);
        }
      },
    });
    const forget = () => void this.#working.delete(controller);
    work.then(forget, forget);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, this.#afterMs, undefined)));
    const result = await Promise.race([work, late]).finally(() => {
      clearTimeout(timer);
      stopListening();
    });
    if (result !== undefined) return result;
    const begun = (task = this.#begin(controller));
    work.then(
      (result) => end(begun, 'completed', { result }),
      (error) => end(begun, 'failed', { error: { code: INTERNAL_ERROR, message: String(error?.message ?? error) } }),
    );
    // The SDK checks that results of tools have data of their schema. Clients of the extension do not read it.
    return { resultType: 'task', content: [], structuredContent: { logs: '' }, ...shown(begun) };
  }

  /** @throws {Error} if there is no such task */
  get(id: string): Foreign {
    return shown(this.#found(id));
  }

  /**
   * Passes on answers of the person at the client.
   *
   * @throws {Error} if there is no such task
   */
  update(id: string, responses: Record<string, unknown>): Foreign {
    const task = this.#found(id);
    for (const [key, { call, answer }] of [...task.questions]) {
      if (!Object.hasOwn(responses, key)) continue;
      task.questions.delete(key);
      answer(answerOf(responses[key], call));
    }
    if (task.status === 'input_required' && task.questions.size === 0) change(task, 'working');
    return {};
  }

  /** @throws {Error} if there is no such task */
  cancel(id: string): Foreign {
    const task = this.#found(id);
    end(task, 'cancelled', {});
    task.controller.abort(new Error('the client has cancelled the task'));
    return {};
  }

  /** Ends the work of all calls, and forgets the tasks. */
  end() {
    for (const task of this.#tasks.values()) this.#forget(task);
    for (const controller of this.#working) controller.abort(new Error('the server has ended'));
  }

  #begin(controller: AbortController): Task {
    const createdAt = new Date().toISOString();
    const id = randomUUID();
    const forget = () => {
      this.#forget(task);
      controller.abort(new Error('the task has taken too long'));
    };
    const timer = setTimeout(forget, TTL_MS).unref();
    const task: Task = {
      ...{ id, status: 'working', outcome: {}, createdAt, lastUpdatedAt: createdAt, questions: new Map() },
      ...{ controller, timer },
    };
    const ended = this.#tasks.size >= MAX_TASKS ? this.#firstEnded() : undefined;
    if (ended !== undefined) this.#forget(ended);
    this.#tasks.set(id, task);
    return task;
  }

  #forget({ id, timer }: Task) {
    this.#tasks.delete(id);
    clearTimeout(timer);
  }

  /** The task that makes room for another one. */
  #firstEnded(): Task | undefined {
    return [...this.#tasks.values()].find((task) => !isOpen(task));
  }

  #found(id: string): Task {
    const task = this.#tasks.get(id);
    if (task === undefined) throw new Error('there is no such task: it was forgotten, or the id is wrong');
    return task;
  }
}

/** Waits for a person. Without an answer the program goes on waiting, and the task ends. */
function ask(task: Task, call: WaitingCall): Promise<Answer | undefined> {
  const { signal } = task.controller;
  // The client may have cancelled the task meanwhile.
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    task.questions.set(call.key, { call, answer: resolve });
    change(task, 'input_required');
    onAbort(signal, () => resolve(undefined));
  });
}

/** A task that has ended stays as it is. */
function end(task: Task, status: Task['status'], outcome: Task['outcome']) {
  if (!isOpen(task)) return;
  task.questions.clear();
  task.outcome = outcome;
  change(task, status);
}

function isOpen({ status }: Task) {
  return status === 'working' || status === 'input_required';
}

function change(task: Task, status: Task['status']) {
  task.status = status;
  task.lastUpdatedAt = new Date().toISOString();
}

/** A task as clients get it. */
function shown({ id, status, outcome, createdAt, lastUpdatedAt, questions }: Task) {
  const { inputRequired } = require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
  const asked = [...questions].map(([key, { call }]) => [key, inputRequired.elicit(questionAbout(call) as Foreign)]);
  return {
    ...{ taskId: id, status, createdAt, lastUpdatedAt, ttlMs: TTL_MS, pollIntervalMs: POLL_MS },
    ...outcome,
    ...(status === 'input_required' && { inputRequests: Object.fromEntries(asked) }),
  };
}

import { InMemoryTaskStore } from '../../bundled/mcp';
import type { Foreign } from '../../contract/foreign';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** Maximum number of tasks of one session that a client can still ask about. */
const MAX_TASKS = 16;
/**
 * How long a task is kept, by default and at most, in milliseconds. A task that has ended is kept for this long again.
 */
const TTL_MS = 10 * 60_000;
const MAX_TTL_MS = 60 * 60_000;
/** Milliseconds after which a client should ask again. */
const POLL_MS = 500;

/**
 * The tasks of one session. The SDK answers the requests `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel`
 * from a store. Its own store has no limit on the number of tasks, and it does not end the work of a cancelled task.
 */
export class Tasks {
  readonly store = new BoundedStore();

  /**
   * Starts a task, and returns before it ends.
   *
   * @param store the store as the SDK passes it to the handler of the request
   * @param asked.ttl how long the client wants the task to be kept, in milliseconds
   */
  async start(
    store: Foreign,
    { ttl = TTL_MS }: { ttl?: number | null | undefined },
    work: (signal: AbortSignal) => Promise<CallToolResult>,
  ) {
    const kept = Math.min(Math.max(1, ttl ?? MAX_TTL_MS), MAX_TTL_MS);
    const task = await store.createTask({ ttl: kept, pollInterval: POLL_MS });
    const { signal } = this.store.begin(task.taskId);
    const settle = async (result: CallToolResult) => {
      const isOpen = this.store.finish(task.taskId);
      // A cancelled or forgotten task has no result.
      if (isOpen) await store.storeTaskResult(task.taskId, result.isError ? 'failed' : 'completed', result);
    };
    work(signal)
      .then(settle)
      .catch(() => {});
    return { task };
  }

  /** Ends all tasks. */
  end() {
    this.store.end();
  }
}

class BoundedStore extends InMemoryTaskStore {
  /** Tasks whose work has not ended. */
  #working: Map<string, AbortController> = new Map();

  override async createTask(...[params, id, request, session]: Parameters<InMemoryTaskStore['createTask']>) {
    if (this.getAllTasks().length >= MAX_TASKS || this.#working.size >= MAX_TASKS) {
      throw new Error(`there are ${MAX_TASKS} tasks: wait until one is forgotten`);
    }
    // The request has the code, which nobody asks for again.
    return await super.createTask(params, id, { method: request.method }, session);
  }

  override async updateTaskStatus(...args: Parameters<InMemoryTaskStore['updateTaskStatus']>) {
    await super.updateTaskStatus(...args);
    const [id, status] = args;
    if (status === 'cancelled') this.#working.get(id)?.abort();
  }

  begin(id: string) {
    const controller = new AbortController();
    this.#working.set(id, controller);
    return controller;
  }

  /** @returns whether the result of the task is wanted */
  finish(id: string): boolean {
    const controller = this.#working.get(id);
    this.#working.delete(id);
    return controller?.signal.aborted === false && this.getAllTasks().some(({ taskId }) => taskId === id);
  }

  end() {
    for (const controller of this.#working.values()) controller.abort();
    this.cleanup();
  }
}

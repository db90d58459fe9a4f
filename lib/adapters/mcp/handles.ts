import { randomUUID } from 'node:crypto';

import { clearTimeout, setTimeout } from '../../contract/clock';
import { z } from '../../bundled/mcp';
import type { Foreign } from '../../contract/foreign';
import type { Served, ServedTool, ToolRequest } from './served';

/** The argument that begins a session which later calls can continue. */
const NEW = 'new';
const MAX_HANDLE_CHARS = 100;

const ABOUT = `By default, each call runs in a new session that ends with the call. If "session" is "new", the session continues, \
and the result contains its handle: pass the handle as "session" in later calls.`;

/** Sessions that exist at the same time, in all versions of the protocol. */
export class Slots {
  #max;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Undefined if a session may begin, otherwise why not. */
  get refusal(): string | undefined {
    if (this.#used < this.#max) return undefined;
    return `all ${this.#max} sessions are in use: end one, or try again later`;
  }

  take() {
    this.#used++;
  }

  free() {
    this.#used--;
  }
}

interface Kept {
  served: Served;
  /** Calls that have not ended. */
  open: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Sessions of clients whose requests stand alone. A session lives on only if a call asks for it. The server then mints
 * a handle, which later calls pass as an argument.
 */
export class HandleSessions {
  #options;
  #kept: Map<string, Kept> = new Map();
  #ending: Set<Promise<unknown>> = new Set();

  /** @param options.idleMs milliseconds without a call after which a session ends */
  constructor(options: { slots: Slots; open: () => Served; idleMs: number; onerror: (error: Error) => void }) {
    this.#options = options;
  }

  /** The tools of a session, with an argument for the handle. */
  toolsOf({ tools, instructions }: Served): Pick<Served, 'tools' | 'instructions'> {
    return {
      tools: tools.map((tool) => (tool.name === 'reset' ? this.#resetTool(tool) : this.#handleTool(tool))),
      instructions: `${instructions} ${ABOUT}`,
    };
  }

  async close() {
    for (const handle of [...this.#kept.keys()]) this.#end(handle);
    await Promise.all(this.#ending);
  }

  #handleTool(tool: ServedTool): ServedTool {
    const session = z.string().max(MAX_HANDLE_CHARS).optional();
    return {
      ...tool,
      description: `${tool.description}\n\n${ABOUT}`,
      inputShape: { ...tool.inputShape, session: session.describe('"new", or the handle of a session') },
      outputShape: { ...tool.outputShape, session: session.describe('The handle of the session') },
      call: ({ session: given, ...args }, request) => this.#call(tool.name, given, args, request),
    };
  }

  #resetTool(tool: ServedTool): ServedTool {
    const handle = z.string().max(MAX_HANDLE_CHARS).describe('The handle of the session');
    return {
      ...tool,
      title: 'End a session',
      description: 'Ends a session: its variables and functions are gone, and its handle is no longer valid.',
      inputShape: { session: handle },
      call: async ({ session }) => {
        this.#found(session);
        await this.#end(session);
        return { content: [{ type: 'text', text: 'The session has ended.' }] };
      },
    };
  }

  async #call(name: string, given: string | undefined, args: Foreign, request: ToolRequest) {
    if (given !== undefined && given !== NEW) return await this.#inSession(given, name, args, request);
    const { slots, open } = this.#options;
    if (slots.refusal !== undefined) throw new Error(slots.refusal);
    const kept: Kept = { served: open(), open: 0, timer: undefined };
    slots.take();
    const handle = randomUUID();
    this.#kept.set(handle, kept);
    try {
      const result = await this.#inSession(handle, name, args, request);
      if (given !== NEW) return result;
      return {
        ...result,
        content: [...result.content, { type: 'text' as const, text: `session: ${handle}` }],
        structuredContent: { ...result.structuredContent, session: handle },
      };
    } catch (error) {
      // Nobody knows the handle.
      await this.#end(handle);
      throw error;
    } finally {
      if (given !== NEW || request.signal.aborted) await this.#end(handle);
    }
  }

  async #inSession(handle: string, name: string, args: Foreign, request: ToolRequest) {
    const kept = this.#found(handle);
    const tool = kept.served.tools.find((it) => it.name === name) as ServedTool;
    clearTimeout(kept.timer);
    kept.open++;
    try {
      return await tool.call(args, request);
    } finally {
      kept.open--;
      if (kept.open === 0 && this.#kept.get(handle) === kept) {
        kept.timer = setTimeout(() => void this.#end(handle), this.#options.idleMs).unref();
      }
    }
  }

  #found(handle: string): Kept {
    const kept = this.#kept.get(handle);
    if (kept !== undefined) return kept;
    throw new Error('there is no such session: it has ended, or the handle is wrong. Use "new" to begin a session');
  }

  async #end(handle: string) {
    const kept = this.#kept.get(handle);
    if (kept === undefined) return;
    this.#kept.delete(handle);
    clearTimeout(kept.timer);
    const ending = kept.served
      .close()
      .catch(this.#options.onerror)
      .finally(() => {
        this.#options.slots.free();
        this.#ending.delete(ending);
      });
    this.#ending.add(ending);
    await ending;
  }
}

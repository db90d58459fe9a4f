import { isModern, modernServer } from './modern-server';
import { ModernTasks } from './modern-tasks';
import type { Foreign } from '../../contract/foreign';
import type { legacyServer } from './legacy-server';
import type { Served } from './served';

/**
 * Serves one client over a transport, in the version of the protocol that the client speaks. Requests of protocol
 * 2026-07-28 name it. All other messages go to the server of the earlier versions. Both servers have the same session.
 */
export async function connectBothProtocols(
  served: Pick<Served, 'tools' | 'instructions'>,
  legacy: ReturnType<typeof legacyServer>,
  transport: Foreign,
  tasks: ModernTasks = new ModernTasks(),
) {
  await legacy.connect(new SharedTransport(transport, served, tasks) as Foreign);
}

/** The transport of the server of earlier versions. It passes messages of protocol 2026-07-28 on to another server. */
class SharedTransport {
  #transport: Foreign;
  #served;
  #tasks;
  #modern: Channel | undefined;
  onmessage: Foreign;
  onerror: Foreign;
  onclose: Foreign;

  constructor(transport: Foreign, served: Pick<Served, 'tools' | 'instructions'>, tasks: ModernTasks) {
    this.#transport = transport;
    this.#served = served;
    this.#tasks = tasks;
  }

  get sessionId() {
    return this.#transport.sessionId;
  }

  async start() {
    const given = pick(this.#transport);
    Object.assign(this.#transport, {
      onmessage: (message: Foreign, extra: Foreign) => {
        given.onmessage?.(message, extra);
        if (isModern(message)) this.#toModern(message, extra);
        else this.onmessage?.(message, extra);
      },
      onerror: (error: Error) => {
        given.onerror?.(error);
        this.onerror?.(error);
      },
      onclose: () => {
        given.onclose?.();
        this.#tasks.end();
        this.#modern?.onclose?.();
        this.onclose?.();
      },
    });
    await this.#transport.start();
  }

  send(message: Foreign, options: Foreign) {
    return this.#transport.send(message, options);
  }

  close() {
    return this.#transport.close();
  }

  setProtocolVersion(version: string) {
    this.#transport.setProtocolVersion?.(version);
  }

  #toModern(message: Foreign, extra: Foreign) {
    if (this.#modern === undefined) {
      const { serveStdio } = require('../../bundled/mcp-modern') as typeof import('../../bundled/mcp-modern');
      const channel = new Channel(this.#transport);
      this.#modern = channel;
      serveStdio(() => modernServer(this.#served, this.#tasks), {
        transport: channel as Foreign,
        legacy: 'reject',
        onerror: (error) => this.onerror?.(error),
      });
    }
    this.#modern.onmessage?.(message, extra);
  }
}

/** The part of a transport that one of its servers has. */
class Channel {
  #transport: Foreign;
  onmessage: Foreign;
  onerror: Foreign;
  onclose: Foreign;

  constructor(transport: Foreign) {
    this.#transport = transport;
  }

  async start() {}

  send(message: Foreign, options: Foreign) {
    return this.#transport.send(message, options);
  }

  async close() {
    this.onclose?.();
  }
}

function pick({ onmessage, onerror, onclose }: Foreign) {
  return { onmessage, onerror, onclose };
}

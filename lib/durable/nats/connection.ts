import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

import { performance } from '../../contract/clock';
import { describeThrown } from '../../contract/errors';
import { requirePeer } from '../../contract/peer-dependency';
import type { NatsConnection } from '@nats-io/transport-node';
import type { JetStreamApiError, JetStreamClient, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import type { NatsSettings } from './options';

/** An open connection, and the streams of the store. */
export interface Open {
  connection: NatsConnection;
  client: JetStreamClient;
  manager: JetStreamManager;
  waiting: KV;
  /** How long one request may take, in milliseconds. */
  requestMs: number;
  /** The most bytes that a message may have. */
  maxMessageBytes: number;
}

/** How long one attempt waits for an answer, in milliseconds. */
const REQUEST_MS = 2_000;
/** Between attempts, and between attempts to connect. */
const RETRY_MS = 50;
/** A broker that is silent for twice as long is given up. */
const PING_MS = 5_000;
/** A session that no longer waits stays known to watchers for so long: an hour. */
const MARKER_MS = 3_600_000;
/** Left of the largest message for its headers: 1 KiB. */
const HEADER_BYTES = 1 << 10;
/** The largest message even if the broker takes larger ones: 1 MiB. */
const MAX_MESSAGE_BYTES = 1 << 20;

/** The connection of a store: opened when it is needed, and again after it was lost. */
export class Connection {
  #settings;
  #open: Promise<Open> | undefined;

  constructor(settings: NatsSettings) {
    this.#settings = settings;
  }

  /**
   * Does a work that needs the broker, and repeats it while the broker is away. The work must lead to the same when it
   * is repeated.
   *
   * @throws {Error} if the broker is away for too long, or refuses
   */
  async attempt<T>(work: (open: Open) => Promise<T>): Promise<T> {
    const { timeoutMs, servers } = this.#settings;
    const end = performance.now() + timeoutMs;
    for (;;) {
      try {
        return await work(await this.open());
      } catch (error) {
        if (!isAway(error)) throw error;
        if (performance.now() + RETRY_MS < end) {
          await delay(RETRY_MS);
          continue;
        }
        const { message } = describeThrown(error);
        throw new Error(`the broker at ${servers.join(', ')} did not answer within ${timeoutMs} ms: ${message}`, {
          cause: error,
        });
      }
    }
  }

  /** The connection, which is shared by all operations. */
  open(): Promise<Open> {
    this.#open ??= this.#connect();
    return this.#open;
  }

  async close() {
    const open = this.#open;
    this.#open = undefined;
    const opened = await open?.catch(() => undefined);
    await opened?.connection.close();
  }

  #connect(): Promise<Open> {
    const opening = connect(this.#settings, () => {
      if (this.#open === opening) this.#open = undefined;
    });
    // The next operation tries again.
    opening.catch(() => {
      if (this.#open === opening) this.#open = undefined;
    });
    return opening;
  }
}

async function connect(settings: NatsSettings, onClosed: () => void): Promise<Open> {
  const { servers, user, password, token, isTls, tls, timeoutMs, name, replicas } = settings;
  const { transport, jetstream, kv } = loadPeers();
  const requestMs = Math.min(REQUEST_MS, timeoutMs);
  const connection = await transport.connect({
    servers,
    name: 'ses-executor journals',
    user,
    pass: password,
    token,
    ...(settings.credentials !== undefined && {
      // Read again for each connection: a file that was renewed is used.
      authenticator: transport.credsAuthenticator(() => readFileSync(String(settings.credentials))),
    }),
    ...((isTls || tls !== undefined) && { tls: tls ?? {} }),
    timeout: requestMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    reconnectJitter: RETRY_MS,
    reconnectJitterTLS: RETRY_MS,
    pingInterval: PING_MS,
    noAsyncTraces: true,
  });
  void connection.closed().then(onClosed);
  try {
    const client = jetstream.jetstream(connection, { timeout: requestMs });
    const manager = await jetstream.jetstreamManager(connection, { timeout: requestMs, checkAPI: false });
    for (const config of streamsOf(name, replicas)) await makeStream(manager, config);
    const bucket = { replicas, history: 1, markerTTL: MARKER_MS, timeout: requestMs };
    const kvm = new kv.Kvm(client);
    const isThere = (await infoOf(manager, `KV_${name}-waiting`)) !== undefined;
    const waiting = await (isThere ? kvm.open(`${name}-waiting`, bucket) : kvm.create(`${name}-waiting`, bucket));
    const largest = Math.min(connection.info?.max_payload ?? MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES + HEADER_BYTES);
    return { connection, client, manager, waiting, requestMs, maxMessageBytes: largest - HEADER_BYTES };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The streams of a store: entries, and chunks of large values, of which the last one of each subject counts. */
function streamsOf(name: string, replicas: number): (Partial<StreamConfig> & { name: string })[] {
  const shared = { retention: 'limits', discard: 'new', num_replicas: replicas, allow_direct: true } as const;
  return [
    { ...shared, name, subjects: [`${name}.*`] },
    { ...shared, name: `${name}-blobs`, subjects: [`${name}-blobs.*.*.*`], max_msgs_per_subject: 1 },
  ];
}

/** @returns undefined for a stream that does not exist */
async function infoOf(manager: JetStreamManager, stream: string) {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Creates a stream if it does not exist, and checks that one that exists keeps what it gets. */
async function makeStream(manager: JetStreamManager, wanted: Partial<StreamConfig> & { name: string }) {
  const { streams } = manager;
  const { config } = (await infoOf(manager, wanted.name)) ?? (await streams.add(wanted));
  const { retention, discard, max_age: maxAge, max_bytes: maxBytes, max_msgs: maxMessages } = config;
  const isLimited = maxBytes > 0 || maxMessages > 0;
  const isLossy = retention !== 'limits' || maxAge > 0 || (discard !== 'new' && isLimited);
  if (isLossy || config.max_msgs_per_subject > 0 !== 'max_msgs_per_subject' in wanted) {
    throw new Error(`the stream ${wanted.name} exists, and its limits would remove parts of journals`);
  }
}

function loadPeers() {
  // Bundlers of programs that use other stores must not look for these packages.
  const load = createRequire(__filename);
  return requirePeer('natsStore()', '@nats-io/transport-node @nats-io/jetstream @nats-io/kv', () => ({
    transport: load('@nats-io/transport-node') as typeof import('@nats-io/transport-node'),
    jetstream: load('@nats-io/jetstream') as typeof import('@nats-io/jetstream'),
    kv: load('@nats-io/kv') as typeof import('@nats-io/kv'),
  }));
}

const AWAY_NAMES = ['TimeoutError', 'ConnectionError', 'ClosedConnectionError', 'NoRespondersError'];
const AWAY_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
/** The code of JetStream for a number that is not the expected one. */
const WRONG_SEQUENCE = 10_071;
const STREAM_MISSING = 10_059;

/** Whether an error says that the broker cannot be asked now, so that asking again may help. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, cause, message } = error;
  // A broker without TLS stays one.
  if (message.startsWith('server does not support')) return false;
  const { code, status } = error as { code?: unknown; status?: unknown };
  if (AWAY_NAMES.includes(name) || AWAY_CODES.includes(String(code))) return true;
  // A cluster without a leader, and a broker that has not loaded its streams yet.
  if (name === 'JetStreamApiError' && status === 503) return true;
  return cause !== undefined && cause !== error && isAway(cause);
}

function isMissing(error: unknown) {
  return (error as JetStreamApiError | undefined)?.code === STREAM_MISSING;
}

export function isWrongSequence(error: unknown): boolean {
  return (error as JetStreamApiError | undefined)?.code === WRONG_SEQUENCE;
}

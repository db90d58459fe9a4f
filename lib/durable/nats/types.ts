import type { AwaitUsing } from '../../contract/await-using';
import type { JournalStore, WaitingNote } from '../store';

/** Options of {@link natsStore}. */
export interface NatsStoreOptions {
  /**
   * Addresses of the broker: one, several separated by commas, or an array. `nats://host:4222`, `tls://host:4222`, and
   * with a user and password or a token before the `@`.
   */
  servers: string | readonly string[];
  /** The path of a file with credentials (JWT and NKey). */
  credentials?: string | undefined;
  /** PEM files for TLS: certificate authorities that the system does not know, and the certificate of this client. */
  tls?: { caFile?: string | undefined; certFile?: string | undefined; keyFile?: string | undefined } | undefined;
  /**
   * The name of the streams: ASCII letters, digits, `-` and `_`. They are created if they do not exist. Default
   * `"ses-journals"`.
   */
  name?: string | undefined;
  /** How many servers of a cluster keep each stream that is created: 1, 3 or 5. Default 1. */
  replicas?: 1 | 3 | 5 | undefined;
  /** How long an operation waits for a broker that is away, in milliseconds. Default 10,000. */
  timeoutMs?: number | undefined;
}

/** A session with a run that waits. The list is not signed: open the session before you decide about a call. */
export interface WaitingSession extends WaitingNote {
  id: string;
  /** When the run began to wait, as ISO 8601. */
  since: string;
}

/** A store of journals on JetStream. */
export interface NatsStore extends JournalStore, AwaitUsing {
  /** The sessions that wait now. */
  listWaiting(): AsyncIterable<WaitingSession>;
  /**
   * The sessions that wait now, then each change, until `signal` is aborted or the store is closed. A session that no
   * longer waits is reported without calls.
   */
  watchWaiting(options?: {
    signal?: AbortSignal | undefined;
  }): AsyncIterable<WaitingSession | { id: string; calls: undefined }>;
  /** Closes the connection, which keeps the process alive. The next operation opens it again. */
  close(): Promise<void>;
}

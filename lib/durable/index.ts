/**
 * Sessions that survive the end of their process: `DurableSession` keeps a journal, from which the session is rebuilt
 * without a call of a tool.
 *
 * @packageDocumentation
 */

export { currentCall } from '../contract/current-call';
export { durable, waitForAnswer } from './calls';
export { fileStore } from './file-store';
export { memoryStore } from './memory-store';
export { natsStore } from './nats/store';
export { DurableSession } from './session';
export { sqliteStore } from './sqlite-store';
export { journalConflict } from './store';
export type { DurableOptions, JournalKeys } from './options';
export type { NatsStore, NatsStoreOptions, WaitingSession } from './nats/types';
export type { JournalStore, WaitingNote } from './store';
export type {
  Answer,
  CurrentCall,
  Durability,
  DurableTool,
  Finished,
  ForkOptions,
  JournalEntry,
  LeftOut,
  Recovery,
  RevertedCall,
  Stale,
  Waiting,
  WaitingCall,
} from './types';
export type { InDoubt, Revert } from '../contract/tool-traits';

import type { z } from '../../bundled/mcp';
import type { Foreign } from '../../contract/foreign';
import type { Answer, WaitingCall } from '../../contract/waiting-types';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** The request that calls a tool, in any version of the protocol. */
export interface ToolRequest {
  signal: AbortSignal;
  /** Has the token for progress reports, if the client asked for them. */
  _meta?: { progressToken?: string | number };
  sendNotification: (notification: Foreign) => Promise<void>;
  /** Whether an earlier request was the same, and the person at the client has been asked since. */
  isRepeated?: boolean;
  /** Whether the client takes a task in place of a result. */
  takesTasks?: boolean;
  /** Whether the client can ask a person. Then a call of a tool cannot decide in place of the person. */
  canAsk: boolean;
  /**
   * Asks the person at the client about a call that waits. Undefined if the client cannot ask, or if nobody decides. In
   * protocol 2026-07-28 it throws: the client asks after the request has ended, and repeats the request.
   */
  ask: (call: WaitingCall) => Promise<Answer | undefined>;
}

/** A tool that the server has, for any version of the protocol. */
export interface ServedTool {
  name: string;
  title: string;
  description: string;
  inputShape?: z.ZodRawShape;
  outputShape?: z.ZodRawShape;
  annotations: object;
  /** Whether a client may call it as a task. */
  canBeTask?: true;
  call: (args: Foreign, request: ToolRequest) => Promise<CallToolResult>;
}

/** What one session serves. */
export interface Served {
  tools: ServedTool[];
  instructions: string;
  /** Ends the session. */
  close: () => Promise<unknown>;
}

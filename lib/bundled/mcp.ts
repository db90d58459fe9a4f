// The packages that the command line's server and client of the Model Context Protocol need. `scripts/pack.mjs` bundles
// them into this file of the published package.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  JSONRPCErrorResponseSchema,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  JSONRPCResultResponseSchema,
  ListToolsRequestSchema,
  McpError,
  PingRequestSchema,
  ToolSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** Schemas of the requests that the server answers. */
export const REQUEST_SCHEMAS = [
  InitializeRequestSchema,
  PingRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
];

export {
  CallToolRequestSchema,
  Client,
  ErrorCode,
  InMemoryTaskStore,
  JSONRPCErrorResponseSchema,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  JSONRPCResultResponseSchema,
  ListToolsRequestSchema,
  McpError,
  Server,
  StreamableHTTPServerTransport,
  ToolSchema,
  serializeMessage,
  z,
};

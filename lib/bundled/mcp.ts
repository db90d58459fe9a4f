// The packages that the command line's server and client of the Model Context Protocol need. `scripts/pack.mjs` bundles
// them into this file of the published package.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  JSONRPCErrorResponseSchema,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  JSONRPCResultResponseSchema,
  ListToolsRequestSchema,
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
  Client,
  JSONRPCErrorResponseSchema,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  JSONRPCResultResponseSchema,
  McpServer,
  StreamableHTTPServerTransport,
  ToolSchema,
  serializeMessage,
  z,
};

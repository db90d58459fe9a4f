// What the command line's server of the Model Context Protocol, and its client of other servers, are made of. See `scripts/pack.mjs`: the published package has
// these packages in this file.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
  ToolSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** Of the requests that the server answers. */
export const REQUEST_SCHEMAS = [
  InitializeRequestSchema,
  PingRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
];

export { Client, JSONRPCMessageSchema, JSONRPCRequestSchema, McpServer, ToolSchema, serializeMessage, z };

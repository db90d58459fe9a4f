// @ts-check
'use strict';

// What the command line's server of the Model Context Protocol, and its client of other servers, are made of. See `scripts/pack.mjs`: the published package has
// these packages in this file.

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { serializeMessage } = require('@modelcontextprotocol/sdk/shared/stdio.js');
const {
  CallToolRequestSchema,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
  ToolSchema,
} = require('@modelcontextprotocol/sdk/types.js');
const { z } = require('zod');

/** Of the requests that the server answers. */
const REQUEST_SCHEMAS = [InitializeRequestSchema, PingRequestSchema, ListToolsRequestSchema, CallToolRequestSchema];

module.exports = {
  Client,
  JSONRPCMessageSchema,
  JSONRPCRequestSchema,
  McpServer,
  REQUEST_SCHEMAS,
  ToolSchema,
  serializeMessage,
  z,
};

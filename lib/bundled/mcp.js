// @ts-check
'use strict';

// What the command line's server of the Model Context Protocol, and its client of other servers, are made of. See `scripts/pack.mjs`: the published package has
// these packages in this file.

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { deserializeMessage, serializeMessage } = require('@modelcontextprotocol/sdk/shared/stdio.js');
const { z } = require('zod');

module.exports = { Client, McpServer, StdioClientTransport, deserializeMessage, serializeMessage, z };

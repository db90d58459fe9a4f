// The packages for protocol 2026-07-28 of the Model Context Protocol. They are loaded for the first message of a client
// that speaks it, and for servers at an address. `scripts/pack.mjs` bundles them into this file of the published
// package.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer, createMcpHandler, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/** A schema that accepts any result. */
export const anything: z.ZodAny = z.any();

export { Client, McpServer, StreamableHTTPClientTransport, createMcpHandler, inputRequired, serveStdio, z };

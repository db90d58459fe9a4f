import { WorkBudget, inSlices } from '../../contract/budget';
import { isPlainObject } from '../../contract/describe';
import { isMcpBlock } from '../code-tool/mcp-result';
import type { Foreign } from '../../contract/foreign';
import type { CodeToolDefinition } from '../code-tool/types';
import type { OtherServer } from './servers';

/** Limits of one list: pages, and entries of all pages. */
const MAX_PAGES = 100;
const MAX_ENTRIES = 10_000;

/** Kinds of bytes that have content blocks in the protocol. */
const MEDIA = /^(image|audio)\//;

const NOTHING = { type: 'object', properties: {}, additionalProperties: false };
const STRING = { type: 'string' };
const ENTRY = {
  type: 'object',
  properties: { name: STRING, title: STRING, description: STRING, mimeType: STRING },
  required: ['name'],
};

/**
 * The functions for the resources and prompts of a server. A server that does not have them has no functions for them.
 *
 * @param capabilities what the server says that it can do
 */
export function memberDefinitions(server: OtherServer, capabilities: Foreign): Record<string, CodeToolDefinition> {
  return {
    ...(isPlainObject(capabilities?.resources) && resourceDefinitions(server)),
    ...(isPlainObject(capabilities?.prompts) && promptDefinitions(server)),
  };
}

function resourceDefinitions(server: OtherServer): Record<string, CodeToolDefinition> {
  return {
    listResources: listOf(server, 'resources', 'Lists the resources of this server.', {
      ...ENTRY,
      properties: { uri: STRING, ...ENTRY.properties, size: { type: 'number' } },
      required: ['uri', 'name'],
    }),
    listResourceTemplates: listOf(server, 'resourceTemplates', 'Lists the URI templates of further resources.', {
      ...ENTRY,
      properties: { uriTemplate: STRING, ...ENTRY.properties },
      required: ['uriTemplate', 'name'],
    }),
    readResource: {
      description:
        'Reads a resource. Text is in `text`, an image or audio is a content block, other bytes are in `blob`.',
      inputSchema: { type: 'object', properties: { uri: STRING }, required: ['uri'], additionalProperties: false },
      outputSchema: {
        type: 'array',
        items: {
          type: 'object',
          properties: { uri: STRING, mimeType: STRING, text: STRING, type: STRING, data: STRING, blob: STRING },
          required: ['uri'],
        },
      },
      execute: async ({ uri }: Foreign, { signal }) => {
        const { contents } = await plain(server.request('resources/read', { uri }, signal));
        return await checked(contents, 'contents', contentOf, signal);
      },
    },
  };
}

function promptDefinitions(server: OtherServer): Record<string, CodeToolDefinition> {
  const argument = { type: 'object', properties: { name: STRING, description: STRING, required: { type: 'boolean' } } };
  return {
    listPrompts: listOf(server, 'prompts', 'Lists the prompts of this server.', {
      type: 'object',
      properties: { name: STRING, title: STRING, description: STRING, arguments: { type: 'array', items: argument } },
      required: ['name'],
    }),
    getPrompt: {
      description: 'Returns the messages of a prompt.',
      inputSchema: {
        type: 'object',
        properties: { name: STRING, arguments: { type: 'object', additionalProperties: STRING } },
        required: ['name'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: {
          description: STRING,
          messages: {
            type: 'array',
            items: { type: 'object', properties: { role: STRING, content: { type: 'object' } }, required: ['role'] },
          },
        },
        required: ['messages'],
      },
      execute: async (input: Foreign, { signal }) => {
        const { description, messages } = await plain(server.request('prompts/get', input, signal));
        const valid = await checked(messages, 'messages', promptMessage, signal);
        return { ...(typeof description === 'string' && { description }), messages: valid };
      },
    },
  };
}

/** A function that returns all pages of a list. */
function listOf(
  server: OtherServer,
  key: 'resources' | 'resourceTemplates' | 'prompts',
  description: string,
  items: object,
): CodeToolDefinition {
  const method = key === 'resourceTemplates' ? 'resources/templates/list' : `${key}/list`;
  return {
    description,
    inputSchema: NOTHING,
    outputSchema: { type: 'array', items },
    execute: async (_input, { signal }) => {
      const all: Foreign[] = [];
      let cursor: unknown;
      for (let page = 0; page < MAX_PAGES; page++) {
        const params = cursor === undefined ? undefined : { cursor };
        const result = await plain(server.request(method, params, signal));
        for (const one of await checked(result[key], key, plainEntry, signal)) all.push(one);
        if (all.length > MAX_ENTRIES) throw new Error(`the server lists more than ${MAX_ENTRIES} entries`);
        cursor = result.nextCursor;
        if (typeof cursor !== 'string') return all;
      }
      throw new Error(`the server lists more than ${MAX_PAGES} pages`);
    },
  } as CodeToolDefinition;
}

async function plain(asked: Promise<Foreign>): Promise<Foreign> {
  const result = await asked;
  if (isPlainObject(result)) return result;
  throw new Error('its answer is not valid: Invalid input: expected object');
}

/**
 * Checks the entries of a list in slices.
 *
 * @param read returns what code receives; undefined for an entry that is not valid
 */
async function checked(list: Foreign, key: string, read: (entry: Foreign) => Foreign, signal: AbortSignal) {
  if (!Array.isArray(list)) throw new Error(`its answer is not valid: ${key}: Invalid input: expected array`);
  const budget = new WorkBudget();
  return await inSlices(reading(list, key, read, budget), budget, signal);
}

function* reading(list: Foreign[], key: string, read: (entry: Foreign) => Foreign, budget: WorkBudget) {
  const all: Foreign[] = [];
  for (const [at, entry] of list.entries()) {
    const value = isPlainObject(entry) ? read(entry) : undefined;
    if (value === undefined) throw new Error(`its answer is not valid: ${key}.${at}: Invalid input`);
    all.push(value);
    budget.addPart();
    if (budget.shouldPause) yield;
  }
  return all;
}

function plainEntry(entry: Foreign): Foreign {
  return typeof entry.name === 'string' ? entry : undefined;
}

function contentOf({ uri, mimeType, text, blob }: Foreign): Foreign {
  if (typeof uri !== 'string') return undefined;
  const about = { uri, ...(typeof mimeType === 'string' && { mimeType }) };
  if (typeof text === 'string') return { ...about, text };
  if (typeof blob !== 'string') return undefined;
  const [, type] = MEDIA.exec(String(about.mimeType)) ?? [];
  return type === undefined ? { ...about, blob } : { type, data: blob, ...about };
}

function promptMessage({ role, content }: Foreign): Foreign {
  return typeof role === 'string' && isMcpBlock(content) ? { role, content } : undefined;
}

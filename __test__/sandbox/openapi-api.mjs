// Small OpenAPI documents, and an API that records what it is asked.
import { anyState, registryFromOpenApi } from '../../build/sandbox/index.js';
import { managerOf } from './market.mjs';

/** A document of one operation per path: `method` is `get` by default, and `responses` need not be given. */
export const documentOf = (paths, others = {}) => ({
  openapi: '3.0.3',
  info: { title: 't', version: '1' },
  ...others,
  paths: Object.fromEntries(
    Object.entries(paths).map(([path, { method = 'get', ...operation }]) => [
      path,
      { [method]: { responses: { 200: { description: 'ok' } }, ...operation } },
    ]),
  ),
});

/** Names of all methods, as guests call them. */
export const methodsOf = ({ registry }) =>
  registry.sources.flatMap(({ name, methods }) => methods.map((method) => `${name}.${method.name}`));

/**
 * A manager for a document, and what its API was asked. `answer` makes the answers; by default they are `{}`.
 */
export async function apiOf(document, { answer = () => Response.json({}), ...options } = {}) {
  const requests = [];
  const fetch = async (url, { method, headers, body }) => {
    requests.push({ method, url: String(url), headers: Object.fromEntries(headers), body });
    return answer({ method, url: new URL(url), headers, body });
  };
  const api = await registryFromOpenApi(document, { baseUrl: 'https://api.test', fetch, ...options });
  const manager = managerOf({ ...api, stateSchema: anyState });
  const call = (code) => manager.executeCode(code);
  return {
    ...api,
    manager,
    requests,
    call,
    paths: () => requests.map(({ url }) => url.slice('https://api.test'.length)),
  };
}

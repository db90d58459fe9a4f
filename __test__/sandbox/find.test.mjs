// `spec.find` by words: what programs look for in their own words, over documents of APIs.
import { describe, expect, test } from 'vitest';

import { Finder } from '../../build/catalog/finder.js';
import { WorkBudget, atOnce } from '../../build/contract/budget.js';
import { registryFromOpenApi } from '../../build/sandbox/index.js';
import { cpuMs } from '../cpu-time.mjs';
import { managerOf } from './market.mjs';

/** An operation of each line: method, path, operationId, its parameters if it has any, and its summary. */
const documentOf = (lines) => {
  const paths = {};
  for (const line of lines.trim().split('\n')) {
    const [, method, path, tag, id, params = '', summary] = /^\s*(\w+) (\S+) (\w+)\/(\S+?)(?:\((.*?)\))? "(.*)"$/.exec(
      line,
    );
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inQuery = params.split(',').filter((param) => param !== '');
    (paths[path] ??= {})[method.toLowerCase()] = {
      tags: [tag],
      operationId: `${tag}/${id}`,
      summary,
      parameters: [
        ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
        ...inQuery.map((param) => {
          const [name, description = ''] = param.split(':');
          return { name: name.trim(), in: 'query', description: description.trim(), schema: { type: 'string' } };
        }),
      ],
      responses: {},
    };
  }
  return { openapi: '3.0.3', info: { title: 'test', version: '1' }, servers: [{ url: 'http://localhost:1' }], paths };
};

const tracker = documentOf(`
  GET /user accounts/get-authenticated "Get the authenticated user"
  PATCH /user accounts/update-authenticated(bio,email) "Update the authenticated user"
  GET /users/{login} accounts/get-by-login "Get a user"
  GET /user/repos repos/list-for-authenticated-user "List repositories for the authenticated user"
  GET /users/{login}/repos repos/list-for-user "List repositories for a user"
  GET /repos/{repo} repos/get "Get a repository"
  PATCH /repos/{repo} repos/update(name,visibility) "Update a repository"
  DELETE /repos/{repo} repos/delete "Delete a repository"
  GET /repos/{repo}/branches repos/list-branches "List branches"
  GET /repos/{repo}/branches/{branch} repos/get-branch "Get a branch"
  POST /repos/{repo}/branches/{branch}/rename repos/rename-branch(new_name) "Rename a branch"
  GET /repos/{repo}/commits repos/list-commits(sha: The branch to start from,path,since) "List commits"
  GET /repos/{repo}/commits/{sha} repos/get-commit "Get a commit"
  GET /repos/{repo}/commits/{sha}/branches repos/list-branches-for-commit "List branches that have a commit"
  GET /repos/{repo}/stargazers repos/list-stargazers "List stargazers"
  PUT /user/starred/{repo} repos/star "Star a repository for the authenticated user"
  DELETE /user/starred/{repo} repos/unstar "Unstar a repository for the authenticated user"
  GET /repos/{repo}/issues issues/list(state,assignee) "List issues"
  POST /repos/{repo}/issues issues/create(title,body) "Create an issue"
  GET /repos/{repo}/issues/{number} issues/get "Get an issue"
  PATCH /repos/{repo}/issues/{number} issues/update(state,title) "Update an issue"
  PUT /repos/{repo}/issues/{number}/lock issues/lock "Lock an issue"
  GET /repos/{repo}/issues/{number}/comments issues/list-comments "List comments of an issue"
  POST /repos/{repo}/issues/{number}/comments issues/create-comment "Create a comment"
  POST /repos/{repo}/issues/{number}/labels issues/add-labels "Add labels to an issue"
  DELETE /repos/{repo}/issues/{number}/labels/{label} issues/remove-label "Remove a label from an issue"
  GET /notifications activity/list-notifications "List notifications of the authenticated user"
  GET /rate-limit meta/rate-limit "Get the rate limit"
`);

const shop = documentOf(`
  GET /me customers/getCurrent "Get the current customer"
  GET /orders orders/listOrders(status,created_after) "List orders"
  POST /orders orders/placeOrder(items) "Place an order"
  GET /orders/{id} orders/getOrder "Get an order"
  POST /orders/{id}/cancel orders/cancelOrder "Cancel an order"
  POST /orders/{id}/refund orders/refundOrder(amount) "Refund an order"
  GET /orders/{id}/invoice orders/getInvoice "Get the invoice of an order"
  GET /products products/listProducts(q,category,max_price) "List products"
  GET /products/{id} products/getProduct "Get a product"
  PUT /products/{id}/price products/setPrice(amount,currency) "Set the price of a product"
  PUT /products/{id}/image products/uploadImage "Upload an image of a product"
  GET /products/{id}/reviews reviews/listReviews "List reviews of a product"
  POST /products/{id}/reviews reviews/createReview "Review a product"
  GET /customers customers/listCustomers(email) "List customers"
  GET /customers/{id} customers/getCustomer "Get a customer"
  PATCH /customers/{id} customers/updateCustomer(name,email) "Update a customer"
  GET /carts/{id} carts/getCart "Get a cart"
  POST /carts/{id}/items carts/addItem(product,quantity) "Add an item to a cart"
  DELETE /carts/{id}/items/{item} carts/removeItem "Remove an item from a cart"
  GET /shipments/{id} shipments/getShipment "Get a shipment"
  GET /shipments/{id}/events shipments/listEvents "List events of a shipment"
  POST /webhooks webhooks/createWebhook(url) "Create a webhook"
`);

// Without summaries, as some vendors write documents.
const chat = documentOf(`
  GET /users/@me api/get_my_user ""
  GET /users/@me/guilds api/list_my_guilds ""
  GET /users/{id} api/get_user ""
  GET /guilds/{guild} api/get_guild ""
  GET /guilds/{guild}/channels api/list_guild_channels ""
  POST /guilds/{guild}/channels api/create_guild_channel ""
  GET /guilds/{guild}/members api/list_guild_members ""
  PUT /guilds/{guild}/bans/{user} api/ban_user_from_guild ""
  DELETE /guilds/{guild}/bans/{user} api/unban_user_from_guild ""
  PATCH /channels/{channel} api/update_channel(name,topic) ""
  DELETE /channels/{channel} api/delete_channel ""
  GET /channels/{channel}/messages api/list_messages ""
  POST /channels/{channel}/messages api/create_message(content) ""
  PATCH /channels/{channel}/messages/{message} api/update_message(content) ""
  DELETE /channels/{channel}/messages/{message} api/delete_message ""
  PUT /channels/{channel}/messages/{message}/reactions/{emoji} api/add_my_message_reaction ""
  POST /channels/{channel}/threads api/create_thread(name) ""
  PUT /channels/{channel}/thread-members/@me api/join_thread ""
`);

/** The methods that searches give, by query. */
const foundIn = async (document, queries) => {
  const manager = managerOf(await registryFromOpenApi(document));
  const found = await manager.executeSearch(
    `${JSON.stringify(queries)}.map((text) => spec.find(text).map((it) => it.method))`,
  );
  return Object.fromEntries(queries.map((query, at) => [query, found[at]]));
};

describe.each([
  [
    'tracker',
    tracker,
    {
      'who am I': 'accounts.getAuthenticated',
      'my repositories': 'repos.listForAuthenticatedUser',
      'which repos do I own': 'repos.listForAuthenticatedUser',
      'get a repository': 'repos.get',
      'show me the repo': 'repos.get',
      'rename a repository': 'repos.update',
      'delete the repo': 'repos.delete',
      'list the branches of a repository': 'repos.listBranches',
      'list commits on a branch': 'repos.listCommits',
      'list issues': 'issues.list',
      'open a new issue': 'issues.create',
      'close an issue': 'issues.update',
      'comment on an issue': 'issues.createComment',
      'add a label to an issue': 'issues.addLabels',
      'who starred my repo': 'repos.listStargazers',
      'star a repository': 'repos.star',
      'my notifications': 'activity.listNotifications',
      'how many calls are left': 'meta.rateLimit',
    },
  ],
  [
    'shop',
    shop,
    {
      'who am I': 'customers.getCurrent',
      'buy something': 'orders.placeOrder',
      'list purchases': 'orders.listOrders',
      'cancel my order': 'orders.cancelOrder',
      'change the price of a product': 'products.setPrice',
      'search products by category': 'products.listProducts',
      'upload a picture of a product': 'products.uploadImage',
      'bill of an order': 'orders.getInvoice',
      'find a client by email': 'customers.listCustomers',
      'put a product into the cart': 'carts.addItem',
      'history of a shipment': 'shipments.listEvents',
      'register a callback': 'webhooks.createWebhook',
      'subscribe to changes': 'webhooks.createWebhook',
    },
  ],
  [
    'chat',
    chat,
    {
      'who am I': 'api.getMyUser',
      'which servers am I in': 'api.listMyGuilds',
      'send a message': 'api.createMessage',
      'edit messages': 'api.updateMessage',
      'list channels of a server': 'api.listGuildChannels',
      'rename a channel': 'api.updateChannel',
      'react to a message': 'api.addMyMessageReaction',
      'banning a user': 'api.banUserFromGuild',
      'start a thread': 'api.createThread',
      'joined threads': 'api.joinThread',
    },
  ],
])('in the API of a %s', (_, document, wanted) => {
  test('natural queries find their method among the first five', async () => {
    const found = await foundIn(document, Object.keys(wanted));
    const ranks = Object.entries(wanted).map(([query, method]) => [query, method, found[query].indexOf(method)]);
    expect(ranks.filter(([, , rank]) => rank === -1 || rank >= 5)).toStrictEqual([]);
  });

  test('the host finds the same in the same order', async () => {
    const { registry } = await registryFromOpenApi(document);
    const methods = registry.sources.flatMap(({ name: source, methods }) =>
      methods.map(({ name, description, params }) => ({ source, name, description, params: JSON.stringify(params) })),
    );
    const finder = atOnce(Finder.making(methods, new WorkBudget()));
    const found = await foundIn(document, Object.keys(wanted));
    const onHost = (query) => finder.find(query).map(({ source, name }) => `${source}.${name}`);
    expect(Object.fromEntries(Object.keys(wanted).map((query) => [query, onHost(query)]))).toStrictEqual(found);
  });

  test('a name or a summary is found first by its words', async () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const { registry } = await registryFromOpenApi(document);
    const ids = registry.sources.flatMap(({ name, methods }) => methods.map((method) => `${name}.${method.name}`));
    const byId = await foundIn(document, ids);
    for (const id of ids) expect(byId[id][0]).toBe(id);
    const summaries = operations.map(({ summary }) => summary).filter((summary) => summary !== '');
    const bySummary = await foundIn(document, summaries);
    const descriptions = new Map(
      registry.sources.flatMap(({ name, methods }) =>
        methods.map((method) => [`${name}.${method.name}`, method.description]),
      ),
    );
    for (const summary of summaries) expect(descriptions.get(bySummary[summary][0])).toMatch(`${summary} (`);
  });
});

test('methods with all words come before those with most of them, which fill up to ten', async () => {
  const methods = [
    ...Array.from({ length: 12 }, (_, n) => ({ name: `ship${n}`, description: `Invoice number ${n}` })),
    { name: 'archive', description: 'Cancels an overdue invoice' },
    { name: 'listOrders', description: 'List orders' },
  ];
  const manager = managerOf({ registry: { sources: [{ name: 'api', methods }] } });
  const find = (text) => manager.executeSearch(`spec.find(${JSON.stringify(text)}).map((it) => it.name)`);
  // `overdue` is rarer than `invoice`, and an invoice alone is less than most of the words.
  expect(await find('overdue invoice')).toStrictEqual(['archive']);
  // Other invoices have all but the verb.
  const cancelled = await find('cancel an invoice');
  expect(cancelled[0]).toBe('archive');
  expect(cancelled.length).toBe(10);
  // Only verbs are no partial match if there are full ones.
  expect(await find('list orders')).toStrictEqual(['listOrders']);
  expect((await find('invoice')).length).toBe(13);
});

test('a method that has the rarest word in another form fills up, although it lacks the others', async () => {
  const tasks = ['get', 'create', 'update', 'delete'].map((verb) => ({
    name: `${verb}Task`,
    description: `${verb} a task`,
  }));
  const methods = [
    ...tasks,
    { name: 'listAttachments', description: 'Get attachments of a task', params: { properties: { file: {} } } },
    { name: 'createAttachment', description: 'Upload an attachment' },
    ...Array.from({ length: 30 }, (_, n) => ({ name: `tag${n}`, description: `Tag number ${n}` })),
  ];
  const manager = managerOf({ registry: { sources: [{ name: 'api', methods }] } });
  const find = (text) => manager.executeSearch(`spec.find(${JSON.stringify(text)}).map((it) => it.name)`);
  expect(await find('attach a file to a task')).toContain('createAttachment');
});

test('parameters count a little: their names find methods, ranked after methods whose own name matches', async () => {
  const params = (name) => ({ type: 'object', properties: { [name]: { type: 'string' } } });
  const methods = [
    { name: 'listTrips', description: 'Lists trips', params: params('departureHarbour') },
    { name: 'getTrip', description: 'Gets a trip', params: params('id') },
    { name: 'listHarbours', description: 'Lists harbours' },
  ];
  const manager = managerOf({ registry: { sources: [{ name: 'api', methods }] } });
  const find = (text) => manager.executeSearch(`spec.find(${JSON.stringify(text)}).map((it) => it.name)`);
  expect((await find('trips from a harbour'))[0]).toBe('listTrips');
  expect((await find('list harbours'))[0]).toBe('listHarbours');
  expect((await find('departure'))[0]).toBe('listTrips');
});

test('a search takes no time that grows with the square of the methods', async () => {
  const registryOf = (count) => ({
    sources: [
      {
        name: 'api',
        methods: Array.from({ length: count }, (_, n) => ({
          name: `updateThing${n}Of${n % 50}`,
          description: `Update the thing ${n} of the kind kind${n % 50} in its place`,
          params: { type: 'object', properties: { [`key${n % 100}`]: {} } },
        })),
      },
    ],
  });
  const queries = ['update a thing', 'close kind7', 'who am I', 'key12 of kind3', 'list my things', 'nothing at all'];
  /** Processor time of a search that finds all queries so often: the least of three. */
  const least = async (manager, times) => {
    const code = `for (let i = 0; i < ${times}; i++) for (const text of ${JSON.stringify(queries)}) spec.find(text)`;
    let ms = Infinity;
    for (let i = 0; i < 3; i++) {
      const before = cpuMs();
      await manager.executeSearch(`${code}; 0`);
      ms = Math.min(ms, cpuMs() - before);
    }
    return ms;
  };
  const durationOf = async (count, times) => {
    const manager = managerOf({ registry: registryOf(count) });
    return ((await least(manager, 1 + times)) - (await least(manager, 1))) / times;
  };
  const [small, large] = [await durationOf(500, 16), await durationOf(4_000, 4)];
  // Eight times as many methods, so 64 times as long if the work were quadratic.
  expect(large / small).toBeLessThan(32);
});

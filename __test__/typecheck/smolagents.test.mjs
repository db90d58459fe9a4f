// Tools of smolagents take their inputs one by one, or as one object that names them. Both forms are checked.

import { SmolagentsExecutor, toHostTools } from 'ses-executor/smolagents';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';

import { NATIVE, WITH_API, found, sharedChecker, useTypeScript } from './helpers.mjs';

const calls = [];
const tool = (name, inputs, output_type, result) => ({
  name,
  inputs,
  output_type,
  forward: async (args) => {
    calls.push([name, args]);
    return result;
  },
});

const tools = [
  tool('population', { city: { type: 'string' }, year: { type: 'integer', default: 2020 } }, 'integer', 5),
  tool('resize', { width: { type: 'number' }, height: { type: 'number' }, name: { type: 'string', nullable: true } }),
  tool('volume', { a: { type: 'number' }, b: { type: 'number' }, c: { type: 'number' } }, 'number', 6),
  tool('late', { limit: { type: 'integer', default: 3 }, query: { type: 'string' } }),
  tool('save', { record: { type: 'object' }, path: { type: 'string', nullable: true } }),
  tool('merge', { left: { type: 'dict' }, right: { type: 'dict' } }),
  tool('sort', {
    items: { type: 'array', items: { type: 'string' } },
    order: { type: 'string', enum: ['asc', 'desc'] },
  }),
  tool('either', { value: { type: ['string', 'integer'] }, more: { anyOf: [{ type: 'boolean' }], default: true } }),
  tool('anything', { value: { type: 'any' }, note: { type: 'string', default: '' } }, 'any', { a: 1 }),
  tool('draw', { picture: { type: 'image' }, sound: { type: 'audio', nullable: true } }, 'image', { data: 1 }),
  tool('now', {}, 'string', 'noon'),
  tool('odd', { class: { type: 'string' }, 'max-age': { type: 'integer', default: 1 } }),
  tool('Weather.today', { city: { type: 'string' } }, 'object', { sun: true }),
  { name: 'helper', run: async (task) => task },
];

const correct = `
await population('Oslo')
await population('Oslo', 2010)
await population('Oslo', undefined)
await population({ city: 'Oslo' })
await population({ city: 'Oslo', year: 2010 })
await population({ city: 'Oslo', year: undefined })
(await population('Oslo')).toFixed(1)
await Promise.all(['Oslo', 'Rome'].map((city) => population(city)))
await Promise.all([['Oslo', 2010], ['Rome', 2020]].map(([city, year]) => population(city, year)))
const given = ['Oslo', 2010]; await population(...given)
const named = { city: 'Oslo' }; named.year = 2010; await population(named)
const options = { year: 2010 }; await population({ city: 'Oslo', ...options })
const one = JSON.parse('{"city":"Oslo"}'); await population(one)
const f = population; await f('Oslo')
const filled = {}; filled.city = 'Oslo'; await population(filled)
const later: any = {}; later.city = 'Oslo'; await population(later)
const typed: Record<string, string> = { city: 'Oslo' }; await population(typed)
const year: number | string = 2010; await population('Oslo', year)
const city = Math.random() < 2 ? 'Oslo' : null; await population(city)
const lines = 'Oslo Rome'.split(' '); await population(lines.find((line) => line === 'Rome'))
for (const place of new Set(['Oslo'])) await population(place)
for (const [place, when] of Object.entries({ Oslo: 2010 })) await population(place, when)
const call = (...args) => population(...args); await call('Oslo', 2010)
await population.call(null, 'Oslo'); await population.apply(null, ['Oslo', 2010])
const jobs = [() => population('Oslo'), () => now()]; for (const job of jobs) await job()
await resize(2, 3)
await resize(2, 3, 'x')
await resize(2, 3, null)
await resize({ width: 2, height: 3 })
await resize({ width: 2, height: 3, name: null })
await volume(1, 2, 3)
await volume({ a: 1, b: 2, c: 3 })
const sizes = [1, 2, 3]; await volume(...sizes)
await late(undefined, 'x')
await late(3, 'x')
await late({ query: 'x' })
await late({ query: 'x', limit: 2 })
await save({ a: 1 })
await save({ record: { a: 1 } })
await save({ record: { a: 1 }, path: 'x' })
await save({ a: 1 }, 'x')
await save({ a: 1 }, null)
await merge({ a: 1 }, { b: 2 })
await merge({ left: { a: 1 }, right: {} })
await sort(['a'], 'asc')
await sort({ items: ['a'], order: 'desc' })
const order = 'asc'; await sort(['a'].map(String), order)
await either('x')
await either(5)
await either('x', false)
await either({ value: 5, more: false })
await anything(5)
await anything({ any: 'member' })
await anything({ value: 5 })
await anything([1], 'x')
(await anything(5)).a
await draw(new Uint8Array(1))
await draw(await draw('x'), 'y')
await draw({ picture: 'x' })
await now()
(await now()).length
await odd('x')
await odd('x', 2)
await odd({ class: 'x', 'max-age': 2 })
(await Weather.today('Oslo')).sun
await Weather.today({ city: 'Oslo' })
await helper('go')
await helper('go', { a: 1 })
await helper({ task: 'go', additional_args: { a: 1 } })
`;

const mistakes = `
await population(5)
await population('Oslo', '2010')
await population()
await population('Oslo', 2010, 1)
await population({ city: 5 })
await population({ town: 'Oslo' })
await population({ city: 'Oslo', yaer: 2010 })
await population({ city: 'Oslo', year: '2010' })
await population({ year: 2010 })
await population({ city: 'Oslo' }, 2010)
population('Oslo').toFixed(1)
(await population('Oslo')).length.foo
await resize(2)
await resize('2', 3)
await resize(2, 3, 4)
await resize({ width: 2 })
await volume(1, 2)
await late('x')
await late(3)
await save('x')
await save({ a: 1 }, 5)
await merge({ a: 1 })
await sort(['a'], 'up')
await sort([1], 'asc')
await either(true)
await now(5)
await odd(5)
await odd({ class: 'x', 'max-age': 'y' })
await Weather.today(5)
await Weather.today({ town: 'Oslo' })
await Weather.tomorrow('Oslo')
await helper(5)
`;

const programsOf = (text) => text.trim().split('\n');

describe.each([
  ['TypeScript 7', NATIVE],
  ['TypeScript 5', WITH_API],
])('with %s', (_, packageName) => {
  let executor;
  beforeEach(async () => {
    await useTypeScript(packageName);
    calls.length = 0;
    executor = new SmolagentsExecutor({ tools, typecheck: 'error' });
    await executor.sendTools({}, {});
  });
  afterEach(() => executor.cleanup());
  afterAll(() => sharedChecker().end());

  test('correct calls in both forms run', async () => {
    const failures = [];
    for (const code of programsOf(correct)) {
      await executor.run(`{ ${code} }`).catch(({ message }) => failures.push(`${code}: ${message}`));
    }
    expect(failures).toStrictEqual([]);
  });

  test('wrong calls in both forms are refused before a tool is called', async () => {
    const accepted = [];
    for (const code of programsOf(mistakes)) {
      const error = await executor.run(`await now(); ${code}`).catch((thrown) => thrown);
      if (error.code !== 'ERR_VALIDATION_FAILED') accepted.push(code);
    }
    expect({ accepted, calls }).toStrictEqual({ accepted: [], calls: [] });
  });

  test.each([
    [
      "await population('Oslo', '2010')",
      "type_error 1:26 Argument of type 'string' is not assignable to parameter of type 'number'.",
    ],
    [
      'await population(5)',
      "type_error 1:18 Argument of type 'number' is not assignable to parameter of type 'string | { city: string; year?: number; }'.",
    ],
    [
      "await population({ town: 'Oslo' })",
      "type_error 1:20 Object literal may only specify known properties, and 'town' does not exist in type '{ city: string; year?: number; }'.",
    ],
    ['await population()', 'type_error 1:7 Expected 1-2 arguments, but got 0.'],
  ])('%s has a message that names the mistake', async (code, message) => {
    const error = await executor.run(code).catch((thrown) => thrown);
    expect(found(error.details.diagnostics)).toStrictEqual([message]);
  });
});

test('an executor that gets tools of smolagents from `toHostTools` knows their inputs', async () => {
  await useTypeScript(NATIVE);
  const executor = new SESExecutor({ autoInit: true, typecheck: 'error' });
  await executor.sendTools(toHostTools(tools));
  await expect(executor.run('await population(5)')).rejects.toMatchObject({ code: 'ERR_VALIDATION_FAILED' });
  expect((await executor.run("await population({ city: 'Oslo' })")).output).toBe(5);
  await executor.cleanup();
  await sharedChecker().end();
});

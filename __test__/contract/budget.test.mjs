import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const { BudgetError, WorkBudget, asyncSlices, inSlices } = require('../../build/contract/budget.js');

/** Counts `parts` parts. */
function* count(budget, parts) {
  for (let part = 0; part < parts; part++) {
    budget.addPart();
    if (budget.shouldPause) yield;
  }
  return parts;
}

/** Turns of the event loop while `promise` is pending. */
async function turnsUntil(promise) {
  let isSettled = false;
  let turns = 0;
  const settled = promise.finally(() => (isSettled = true));
  while (!isSettled) {
    turns++;
    await setImmediate();
  }
  await settled;
  return turns;
}

test('short work returns its result without a turn of the event loop', async () => {
  const budget = new WorkBudget();
  let turns = 0;
  const immediate = setImmediate().then(() => turns++);
  expect(await inSlices(count(budget, 10), budget)).toBe(10);
  expect(turns).toBe(0);
  await immediate;
});

test('long work lets the event loop turn', async () => {
  const budget = new WorkBudget({ parts: 1e7 });
  expect(await turnsUntil(inSlices(count(budget, 1e7), budget))).toBeGreaterThan(3);
});

test('many pieces of work at the same time share the turns of the event loop', async () => {
  const all = Promise.all(
    Array.from({ length: 200 }, () => {
      const budget = new WorkBudget({ parts: 1e6 });
      return inSlices(count(budget, 3e5), budget);
    }),
  );
  expect(await turnsUntil(all)).toBeGreaterThan(10);
  expect(await all).toHaveLength(200);
});

/** Takes something of the budget once. */
function* once(take) {
  yield;
  take();
}

test.each([
  ['parts', { parts: 5 }, (budget) => count(budget, 6)],
  ['bytes', { bytes: 100 }, (budget) => once(() => budget.addPart(101))],
  ['steps', { steps: 3 }, (budget) => once(() => budget.spend(4))],
  ['ms', { ms: 1, parts: 1e9 }, (budget) => count(budget, 1e9)],
])('work beyond its limit of %s rejects with a BudgetError that names the limit', async (limit, limits, work) => {
  const budget = new WorkBudget(limits);
  const error = await inSlices(work(budget), budget).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(BudgetError);
  expect({ ...error }).toStrictEqual({ name: 'BudgetError', limit, max: limits[limit] });
});

/** Computes for longer than a slice lasts. */
function computeForASlice() {
  const end = performance.now() + 6;
  while (performance.now() < end);
}

test('asynchronous work goes on in turns of the event loop that begin no other slice', async () => {
  const log = [];
  const stepsOf = async (name) => {
    const pause = asyncSlices();
    for (let step = 1; step <= 3; step++) {
      log.push(`${name}${step}`);
      computeForASlice();
      await pause();
    }
  };
  let isOver = false;
  const works = Promise.all([stepsOf('a'), stepsOf('b')]).finally(() => (isOver = true));
  while (!isOver) {
    await setImmediate();
    log.push('turn');
  }
  await works;
  expect(log.join(' ').replace(/( turn)+/g, ' |')).toBe('a1 b1 a2 | b2 | a3 | b3 |');
});

test('asynchronous work whose slice is not over goes on without a turn, and other work runs after it', async () => {
  expect(asyncSlices()()).toBeUndefined();
  const pause = asyncSlices();
  computeForASlice();
  await pause();
  const budget = new WorkBudget();
  expect(await inSlices(count(budget, 10), budget)).toBe(10);
});

test('work ends with the reason of its signal', async () => {
  const budget = new WorkBudget({ parts: 1e9 });
  const controller = new AbortController();
  const work = inSlices(count(budget, 1e9), budget, controller.signal);
  controller.abort(new Error('enough'));
  await expect(work).rejects.toThrow('enough');
});

test('a budget keeps only the first errors', () => {
  const budget = new WorkBudget({ errors: 2 });
  expect([1, 2, 3].map((error) => budget.addError(error))).toStrictEqual([false, true, true]);
  expect(budget.errors).toStrictEqual([1, 2]);
});

// What guests get of a tool's error besides name, message and code: cause, errors, status and data.

import { expect, test } from 'vitest';

/** What guest code sees of an error. In Python, see contract-tool-programs.mjs. */
const SHOW = `const present = (parts) => Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
const show = (e) => e && present({ isAggregate: e instanceof AggregateError, name: e.name, message: e.message, code: e.code, status: e.status, data: e.data, cause: show(e.cause), errors: e.errors?.map(show) });
let seen;`;
export const showing = (call) => `${SHOW} try { ${call}; } catch (error) { seen = show(error); } seen`;
export const COUNT_CAUSES =
  'let count = 0; try { deep(); } catch (error) { for (let at = error.cause; at; at = at.cause) count++; } count';
export const COUNT_ERRORS =
  'let last; try { wide(); } catch (error) { last = [error.errors.length, error.errors[20].message]; } last';

/** @param {import('./index.mjs').Subject} subject */
export function describeToolErrorDetails({ withExecutor }) {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', path: '/etc/secret' });
  const failed = new TypeError('fetch failed', { cause: refused });
  const data = { retryAfter: 30, tags: ['a', 'b'], deep: { isRetryable: true } };
  const outer = Object.assign(new Error('the service is away', { cause: failed }), { status: 503, data });
  const all = new AggregateError([Object.assign(new RangeError('one'), { status: 'LOW' }), failed], 'all failed');
  const fails = (thrown) => ({
    sync: () => {
      throw thrown;
    },
    later: async () => {
      throw thrown;
    },
    promise: () => Promise.reject(thrown),
  });
  const CALLS = ['sync()', 'await later()', 'await promise()'];
  const shownRefused = { isAggregate: false, name: 'Error', message: 'refused', code: 'ECONNREFUSED' };
  const shownFailed = { isAggregate: false, name: 'TypeError', message: 'fetch failed', cause: shownRefused };

  test.each(CALLS)(
    '%s throws an error with the causes, the status and the data of the error of the tool',
    async (call) => {
      await withExecutor({}, fails(outer), async (executor) => {
        const { output } = await executor.run(showing(call));
        expect(output).toStrictEqual({
          isAggregate: false,
          name: 'Error',
          message: 'the service is away',
          status: 503,
          data,
          cause: shownFailed,
        });
      });
    },
  );

  test.each(CALLS)('%s throws an AggregateError if the tool has thrown one', async (call) => {
    await withExecutor({}, fails(all), async (executor) => {
      const { output } = await executor.run(showing(call));
      expect(output).toStrictEqual({
        isAggregate: true,
        name: 'AggregateError',
        message: 'all failed',
        errors: [{ isAggregate: false, name: 'RangeError', message: 'one', status: 'LOW' }, shownFailed],
      });
      const error = await executor.run(call).catch((thrown) => thrown);
      expect([error.code, error.details.name, error.cause]).toStrictEqual([
        'ERR_TOOL_PROXY_FAIL',
        'AggregateError',
        all,
      ]);
    });
  });

  test('a chain of causes ends after eight, and a list of errors after twenty', async () => {
    let chain = new Error('innermost');
    for (let depth = 0; depth < 10_000; depth++) chain = new Error('caused', { cause: chain });
    const tools = { deep: fails(chain).sync, wide: fails(new AggregateError(Array(1e6).fill(failed))).sync };
    await withExecutor({}, tools, async (executor) => {
      expect((await executor.run(COUNT_CAUSES)).output).toBe(8);
      expect((await executor.run(COUNT_ERRORS)).output).toStrictEqual([21, 'errors left out: 999980']);
    });
  });

  test('the largest details cross', async () => {
    const long = (mark) => mark.repeat(16_000);
    const wide = Object.assign(new Error('wide', { cause: long('\u4e00') }), { data: [long('a'), 1] });
    await withExecutor({}, fails(wide), async (executor) => {
      const { output } = await executor.run(showing('sync()'));
      expect(output.data).toStrictEqual([long('a'), 1]);
    });
  });
}

// `onToolCall`: what the host decides on each tool call, before it is made.

import { expect, test } from 'vitest';

import { deferred, expectCode } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeApproval({ withExecutor, can }) {
  test('onToolCall is asked about each call, in order, and returning nothing allows the call', async () => {
    const told = [];
    const id = expect.stringMatching(can.outlives ? /^s\/1\/\d+$/ : /^\d+$/);
    const onToolCall = ({ signal, ...call }) => {
      told.push({ ...call, signal: signal instanceof AbortSignal && signal.aborted });
    };
    const tools = { add: (a, b) => a + b, Host: { later: async (value) => value } };
    await withExecutor({ onToolCall }, tools, async (executor) => {
      const { output } = await executor.run('[add(1, 2), await Host.later({ x: [3] })]');
      expect(output).toStrictEqual([3, { x: [3] }]);
    });
    expect(told).toStrictEqual([
      { name: 'add', args: [1, 2], id, signal: false },
      { name: 'Host.later', args: [{ x: [3] }], id, signal: false },
    ]);
    expect(told[0].id).not.toBe(told[1].id);
  });

  test('an error that onToolCall throws or rejects with reaches the guest, and the tool is not called', async () => {
    const denial = Object.assign(new RangeError('deleting is not allowed'), { code: 'E_DENIED' });
    for (const onToolCall of [
      () => {
        throw denial;
      },
      async () => {
        throw denial;
      },
    ]) {
      const called = [];
      const tools = { remove: () => called.push('sync'), later: async () => called.push('async') };
      await withExecutor({ onToolCall }, tools, async (executor) => {
        const { output } = await executor.run(`
          const caught = [];
          try { remove('a'); } catch (error) { caught.push([error.name, error.message, error.code]); }
          try { await later(); } catch (error) { caught.push([error.name, error.message, error.code]); }
          caught`);
        const expected = ['RangeError', 'deleting is not allowed', 'E_DENIED'];
        expect(output).toStrictEqual([expected, expected]);
        const error = await expectCode(executor.run('remove("a")'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.message).toBe('Tool execution failed: RangeError: deleting is not allowed');
        expect(error.cause).toBe(denial);
      });
      expect(called).toStrictEqual([]);
    }
  });

  test('{ args } and { result } replace a part of the call, synchronously or asynchronously', async () => {
    const decisions = {
      half: { args: [21] },
      given: { result: 'given' },
      promised: { result: Promise.resolve('promised') },
      nothing: { result: undefined },
    };
    const called = [];
    const note =
      (name) =>
      (...args) => {
        called.push([name, args]);
        return args[0] * 2;
      };
    const tools = Object.fromEntries(
      Object.keys(decisions).flatMap((name) => [
        [name, note(name)],
        [`${name}Async`, async (...args) => note(name)(...args)],
      ]),
    );
    for (const onToolCall of [
      ({ name }) => decisions[name.replace('Async', '')],
      async ({ name }) => decisions[name.replace('Async', '')],
    ]) {
      await withExecutor({ onToolCall }, tools, async (executor) => {
        const { output } = await executor.run(`
          const promise = promised();
          [half(1, 2), given(1), await promise, nothing(1),
            await halfAsync(1), await givenAsync(1), await promisedAsync(1), await nothingAsync(1), promise instanceof Promise]`);
        const all = [42, 'given', 'promised', undefined];
        expect(output).toStrictEqual([...all, ...all, true]);
      });
    }
    expect(called).toStrictEqual(Array.from({ length: 4 }, () => ['half', [21]]));
  });

  test('P22 a run with a plan makes no tool call that is not in the plan', async () => {
    const called = [];
    const note = (name) => (input) => (called.push([name, input]), name);
    const tools = { add: note('add'), remove: note('remove'), later: async (input) => note('later')(input) };
    const call = (...args) => ({ line: 1, column: 1, times: 'once', conditional: false, arguments: args });
    const planned = (name, ...calls) => ({ name, times: { atMost: 2 }, conditional: false, certain: true, calls });
    const plan = {
      version: 1,
      complete: true,
      tools: [planned('add', call({ value: 1 })), planned('later', call({ any: true }), call({ value: 'a' }))],
      unresolved: [],
    };
    await withExecutor({}, tools, async (executor) => {
      const code = `
        const outcomes = [];
        for (const make of [() => add(1), () => add(2), () => remove(1), () => later('a'), () => later('b'), () => later('a')]) {
          try { outcomes.push(await make()); } catch ({ name, code }) { outcomes.push([name, code]); }
        }
        outcomes`;
      const refused = ['PlanError', 'ERR_CALL_NOT_PLANNED'];
      const { output } = await executor.run(code, { plan });
      expect(output).toStrictEqual(['add', refused, refused, 'later', 'later', refused]);
      const { details } = await expectCode(executor.run('remove(1)', { plan }), 'ERR_TOOL_PROXY_FAIL');
      expect(details).toMatchObject({ code: 'ERR_CALL_NOT_PLANNED', tool: 'remove', bridge: true });
      expect((await executor.run('remove(1)')).output).toBe('remove');
    });
    expect(called).toStrictEqual([
      ['add', 1],
      ['later', 'a'],
      ['later', 'b'],
      ['remove', 1],
    ]);
  });

  test('a promise of onToolCall makes the guest wait, also for a synchronous tool, while the host continues', async () => {
    const asked = deferred();
    const decision = deferred();
    const onToolCall = () => {
      asked.resolve();
      return decision.promise;
    };
    await withExecutor({ onToolCall }, { add: (a, b) => a + b }, async (executor) => {
      const run = executor.run('const sum = add(1, 2); [sum, sum instanceof Promise]');
      await asked.promise;
      decision.resolve();
      expect((await run).output).toStrictEqual([3, false]);
    });
  });

  test('a call is not made if the run ends before the decision, and its signal is aborted', async () => {
    const asked = deferred();
    const decision = deferred();
    const called = [];
    const onToolCall = (call) => {
      asked.resolve(call.signal);
      return decision.promise;
    };
    await withExecutor({ onToolCall }, { remove: async () => called.push('remove') }, async (executor) => {
      const controller = new AbortController();
      const run = executor.run('await remove()', { signal: controller.signal });
      const signal = await asked.promise;
      expect(signal.aborted).toBe(false);
      controller.abort(new Error('enough'));
      await expectCode(run, 'ERR_EXEC_TIMEOUT');
      expect(signal.aborted).toBe(true);
      decision.resolve();
      await decision.promise;
      await new Promise((resolve) => setImmediate(resolve));
      expect(called).toStrictEqual([]);
    });
  });

  test.each([
    [false, 'false'],
    [true, 'true'],
    [null, 'null'],
    ['allow', '"allow"'],
    [{ args: 'a' }, 'an object'],
  ])('any other return value of onToolCall refuses the call: %o', async (decision, described) => {
    const called = [];
    for (const onToolCall of [() => decision, async () => decision]) {
      await withExecutor({ onToolCall }, { remove: () => called.push('remove') }, async (executor) => {
        const error = await expectCode(executor.run('remove()'), 'ERR_TOOL_PROXY_FAIL');
        expect(error.message).toBe(
          'Tool execution failed: TypeError: onToolCall must return nothing, { args }, an array, or { result }, or ' +
            `throw to refuse the call; it returned ${described}`,
        );
        expect(error.cause).toBeInstanceOf(TypeError);
      });
    }
    expect(called).toStrictEqual([]);
  });
}

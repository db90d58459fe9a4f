// The option `approvePlan` of code modes: a person decides on the plan of a program, and the run is held to that plan.

import { describe, expect, test } from 'vitest';

import { SESCodemodeExecutor } from 'ses-executor/codemode';
import { SESCodeModeTransport } from 'ses-executor/mastra';
import { createSESIsolateDriver } from 'ses-executor/tanstack-ai';

/** Runs code that can call `warn(input)` and `look(input)` by the names that each code mode gives them. */
const MODES = {
  'TanStack AI': {
    prefix: 'external_',
    make: createSESIsolateDriver,
    run: async (driver, code, tools) => {
      const bindings = Object.entries(tools).map(([name, execute]) => [`external_${name}`, { name, execute }]);
      const context = await driver.createContext({ bindings: Object.fromEntries(bindings) });
      const { value, error } = await context.execute(code);
      await context.dispose();
      return { value, error: error?.message };
    },
  },
  Mastra: {
    prefix: 'external_',
    make: (options) => new SESCodeModeTransport(options),
    run: async (transport, program, tools) => {
      const dispatch = async (id, input) => tools[id](input);
      const { result, error } = await transport.run({ program, toolIds: Object.keys(tools), dispatch, timeout: 5_000 });
      return { value: result, error: error?.message };
    },
  },
  codemode: {
    prefix: 'codemode.',
    make: (options) => new SESCodemodeExecutor(options),
    run: async (executor, code, tools) => {
      const { result, error } = await executor.execute(code, tools);
      return { value: result, error };
    },
  },
};

describe.each(Object.entries(MODES))('%s', (_, { prefix, make, run }) => {
  const warn = `${prefix}warn`;

  /** Runs code whose plan gets `decision`. An error is thrown. */
  async function decided(code, decision, options = {}) {
    const warned = [];
    const requests = [];
    const approvePlan = async (request) => {
      requests.push(request);
      if (decision instanceof Error) throw decision;
      return decision;
    };
    const tools = { warn: async (input) => (warned.push(input), 'sent'), look: async () => 'seen' };
    return { ...(await run(make({ approvePlan, ...options }), code, tools)), warned, requests };
  }

  test('a program runs if its plan is approved', async () => {
    const code = `async () => ${warn}({ city: 'Oslo' })`;
    const { value, warned, requests } = await decided(code, true);
    expect({ value, warned }).toStrictEqual({ value: 'sent', warned: [{ city: 'Oslo' }] });
    expect(requests).toHaveLength(1);
    const [{ plan }] = requests;
    expect(plan.complete).toBe(true);
    expect(plan.tools).toMatchObject([
      { name: warn, times: 'once', calls: [{ line: 1, arguments: [{ value: { city: 'Oslo' } }] }] },
    ]);
  });

  test.each([false, undefined, 'plan', 1])('a program does not run if the answer is %j', async (decision) => {
    const { value, error, warned } = await decided(`async () => ${warn}({ city: 'Oslo' })`, decision);
    expect({ value, error, warned }).toStrictEqual({
      value: undefined,
      error: 'The plan of this program was not approved. None of the code has run.',
      warned: [],
    });
  });

  test('an error of the decision is the failure of the program', async () => {
    const { error, warned } = await decided(`async () => ${warn}({})`, new Error('nobody is there'));
    expect({ error, warned }).toStrictEqual({ error: 'nobody is there', warned: [] });
  });

  test('a call that is not in the approved plan is refused', async () => {
    const warned = [];
    const approvePlan = (request) => {
      for (const tool of request.plan.tools) Object.assign(tool.calls[0], { arguments: [{ value: { city: 'Rome' } }] });
      return true;
    };
    const tools = { warn: async (input) => warned.push(input) };
    const { error } = await run(make({ approvePlan }), `async () => ${warn}({ city: 'Oslo' })`, tools);
    expect(error).toContain('ERR_TOOL_PROXY_FAIL');
    expect(error).toContain(`The call of ${warn} is not in the plan`);
    expect(warned).toStrictEqual([]);
  });

  test('calls in a loop are in the plan', async () => {
    const code = `async () => { for (const city of ['a', 'b']) await ${warn}({ city }); return 5; }`;
    const { value, warned, requests } = await decided(code, true);
    expect({ value, warned }).toStrictEqual({ value: 5, warned: [{ city: 'a' }, { city: 'b' }] });
    expect(requests[0].plan.tools.map(({ name, times }) => [name, times])).toStrictEqual([[warn, { atMost: 2 }]]);
  });

  test('programs that cannot be read are refused', async () => {
    const run = async () => ({ output: 1, logs: '', is_final_answer: false });
    const nothing = async () => {};
    const executor = {
      state: 'READY',
      init: nothing,
      sendVariables: nothing,
      sendTools: nothing,
      run,
      cleanup: nothing,
    };
    const { error, warned } = await decided('1', true, { executor });
    expect({ error, warned }).toStrictEqual({
      error: 'options.approvePlan needs a JavaScript executor of this package: other programs have no plans',
      warned: [],
    });
  });

  test('the option must be a function', () => {
    expect(() => make({ approvePlan: true })).toThrow('options.approvePlan must be a function, got true');
  });
});

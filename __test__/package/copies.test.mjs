// Two copies of the package in one process, as two versions of it, or two packages that have it as a dependency, bring
// about.

import { createRequire } from 'node:module';

import { expect, onTestFinished, test } from 'vitest';

import { ROOT, expectCode } from '../helpers.mjs';

const require = createRequire(import.meta.url);

/** All that a copy has: it shares nothing with another one but the addon. */
function copy() {
  for (const path of Object.keys(require.cache)) {
    if (path.startsWith(ROOT) && !path.includes('/node_modules/') && !path.endsWith('.node'))
      delete require.cache[path];
  }
  return { ...require(`${ROOT}/index.js`), ...require('ses-executor/code-tool') };
}

const [one, other] = [copy(), copy()];

function executorOf({ SESExecutor }, options) {
  const executor = new SESExecutor({ autoInit: true, ...options });
  onTestFinished(() => executor.cleanup());
  return executor;
}

test('an error of one copy is an ExecutorError of the other, and other errors are not', async () => {
  expect(one.ExecutorError).not.toBe(other.ExecutorError);
  for (const { ExecutorError } of [one, other]) {
    const error = await executorOf(one)
      .run('null.x')
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ExecutorError);
    for (const value of [new Error('x'), { code: 'ERR_EXEC_TIMEOUT' }, null, undefined, 'text']) {
      expect(value instanceof ExecutorError).toBe(false);
    }
    class Own extends ExecutorError {}
    expect([error instanceof Own, new Own('m', error) instanceof Own]).toStrictEqual([false, true]);
  }
});

// It rejected with the error, as if that were one of the host.
test('a code tool of one copy reports failures of an executor of the other', async () => {
  const { execute } = other.createCodeTool({ tools: { f: async () => 1 }, executor: executorOf(one) });
  expect(await execute('await f()')).toMatchObject({ output: 1 });
  expect((await execute('null.x')).error.code).toBe('ERR_RUNTIME_EXCEPTION');
});

// They were tools like others: without a limit, and with a promise for a value.
test('blocking and limited tools of one copy have these traits for an executor of the other', async () => {
  const executor = executorOf(other);
  const never = () => new Promise(() => {});
  await executor.sendTools({ five: one.blocking(async () => 5), late: one.withTimeout(one.blocking(never), 5) });
  expect((await executor.run('five() + 1')).output).toBe(6);
  const error = await expectCode(executor.run('late()'), 'ERR_TOOL_PROXY_FAIL');
  expect(error.message).toBe('Tool execution failed: TimeoutError: late did not answer within 5 ms');
});

import { expect, test } from 'vitest';

import { BASE_BUILTIN_MODULES, PyodideExecutor } from '../../build/python/index.js';
import { expectCode } from '../helpers.mjs';
import { describePython } from './suite.mjs';

describePython('plain Pyodide in the host', { engine: 'host' }, { startsFast: false, mounts: true });

test('an executor in the host refuses limits that it cannot enforce', () => {
  expect(() => new PyodideExecutor([], { engine: 'host', timeoutMs: 1000 })).toThrow(
    new TypeError('options.timeoutMs needs an isolate: engine "host" runs Python unprotected, without limits'),
  );
});

test('an illegal call says what to do instead', async () => {
  const executor = new PyodideExecutor([], { engine: 'host', autoInit: false });
  const early = await expectCode(executor.run('1'), 'ERR_INVALID_STATE');
  expect(early.details).toMatchObject({ state: 'NEW', operation: 'run', hint: 'await init() first' });
  await executor.init();
  const run = executor.run('1');
  const second = await expectCode(executor.run('2'), 'ERR_INVALID_STATE');
  expect(second.details).toMatchObject({ state: 'RUNNING', operation: 'run', hint: 'a run is under way; wait for it' });
  await run;
  await executor.cleanup();
});

test('cleanup() ends init(), and a new one can begin', async () => {
  const executor = new PyodideExecutor([], { engine: 'host', autoInit: false, mount: false });
  const init = executor.init();
  expect(executor.state).toBe('INITIALIZING');
  await executor.cleanup();
  expect(executor.state).toBe('DEAD');
  const { details } = await expectCode(init, 'ERR_INVALID_STATE');
  expect(details).toStrictEqual({ state: 'DEAD', operation: 'init', hint: 'cleanup() was called' });
  await executor.init();
  expect((await executor.run('1 + 1')).output).toBe(2);
  await executor.cleanup();
});

test('the default imports are allowed', () => {
  expect(BASE_BUILTIN_MODULES).toStrictEqual(
    'collections datetime itertools json math queue random re stat statistics time unicodedata'.split(' '),
  );
});

test.each([
  [[1], undefined, 'authorizedImports must be an array of module names, got an array'],
  [undefined, 1, 'options must be an object, got 1'],
  [undefined, { max_operations: 0 }, 'options.max_operations must be a positive integer or Infinity, got 0'],
  [undefined, { mountPoint: 'mnt' }, 'options.mountPoint must be an absolute path, got "mnt"'],
  [undefined, { engine: 'worker' }, 'options.engine must be "isolate" or "host", got "worker"'],
  [undefined, Promise.resolve({}), 'options must be a plain object, got a promise; await it first'],
  [undefined, { maxOperations: 1 }, 'options.maxOperations is not an option; did you mean options.max_operations?'],
  [undefined, { timeoutMS: 1 }, 'options.timeoutMS is not an option; did you mean options.timeoutMs?'],
  [undefined, { recover: true }, 'options.recover is not an option; did you mean options.remote?'],
  ...['hibernate', 'toString'].map((name) => [
    undefined,
    { [name]: true },
    `options.${name} is not an option; the options are authorized_imports, max_operations, max_while_iterations, ` +
      'allowed_dangerous_builtins, fsMode, workDir, mountPoint, directoryHandle, engine, mount, readOnly, packages, ' +
      'timeoutMs, toolTimeoutMs, runConcurrency, maxQueuedRuns, maxLogBytes, collectConsoleLevels, memoryLimitMb, ' +
      'maxCodeBytes, maxToolCalls, maxTransferBytes, maxCpuMs, network, owner, maxParkedMb, warmPool, isolation, remote, sandbox, spares, ' +
      'autoInit, onToolCall, onLog',
  ]),
])('wrong options are refused: %j, %j', (imports, options, message) => {
  expect(() => new PyodideExecutor(imports, options)).toThrow(new TypeError(message));
});

test.each([64, 65])('a memoryLimitMb of %d is accepted for Python', (memoryLimitMb) => {
  expect(new PyodideExecutor([], { memoryLimitMb }).state).toBe('NEW');
});

test.each([4, 8, 63])('a memoryLimitMb of %d is refused for Python', (memoryLimitMb) => {
  expect(() => new PyodideExecutor([], { memoryLimitMb })).toThrow(
    new RangeError(`options.memoryLimitMb must be an integer >= 64 for Python, got ${memoryLimitMb}`),
  );
});

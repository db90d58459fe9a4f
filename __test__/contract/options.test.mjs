// Sections 3.1 and 3.3: options are checked in the constructor, and messages name option, bound and value.
import { createRequire } from 'node:module';

import { describe, expect, test } from 'vitest';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { OPTIONS } = require('../../build/contract/option-table.js');
const {
  checkAnyLanguage,
  checkOptions,
  checkRows,
  checkRunOptions,
  checkSome,
  closest,
} = require('../../build/contract/options.js');

const LEVELS = ['log', 'info', 'warn', 'error', 'debug'];
const oneOfLevels = LEVELS.map((level) => `"${level}"`).join(' or ');

test('absent options have their defaults', () => {
  const defaults = {
    maxOperations: 50_000,
    timeoutMs: 10_000,
    runConcurrency: 'reject',
    maxQueuedRuns: 0,
    authorizedImports: [],
    globals: [],
    network: undefined,
    maxLogBytes: 262_144,
    collectConsoleLevels: LEVELS,
    memoryLimitMb: 128,
    autoInit: false,
    recover: false,
    language: 'auto',
    modules: {},
    typecheck: 'off',
    onToolCall: undefined,
    onLog: undefined,
    maxCodeBytes: 1_048_576,
    maxToolCalls: 1_000,
    maxConcurrentToolCalls: 64,
    maxTransferBytes: 67_108_864,
    hardenToolResults: false,
    keepState: false,
    toolTimeoutMs: undefined,
    maxCpuMs: undefined,
    owner: '',
    maxParkedMb: 2_048,
    warmPool: undefined,
    isolation: 'thread',
    sandbox: 'best-effort',
    remote: undefined,
    spares: undefined,
  };
  expect(checkOptions(undefined)).toStrictEqual(defaults);
  expect(checkOptions({})).toStrictEqual(defaults);
  expect(checkOptions({ maxOperations: undefined, onLog: undefined })).toStrictEqual(defaults);
});

test('given options are kept', () => {
  const onLog = () => {};
  const onToolCall = () => {};
  const authorizedImports = ['a', '@scope/b'];
  const checked = checkOptions({
    maxOperations: 1,
    timeoutMs: 2,
    runConcurrency: 'queue',
    maxQueuedRuns: 3,
    globals: ['timers', 'fetch'],
    network: { allow: ['api.example.com'] },
    authorizedImports,
    maxLogBytes: 1024,
    collectConsoleLevels: [],
    memoryLimitMb: 8,
    autoInit: true,
    recover: true,
    language: 'typescript',
    modules: { a: '' },
    typecheck: 'warn',
    onToolCall,
    onLog,
    maxCodeBytes: 4,
    maxToolCalls: 0,
    maxConcurrentToolCalls: 5,
    maxTransferBytes: 2048,
    hardenToolResults: true,
    keepState: true,
    toolTimeoutMs: 8,
    maxCpuMs: 6,
    owner: 'tenant',
    maxParkedMb: 7,
    warmPool: 64,
    isolation: 'remote',
    remote: { servers: 'nats://a, tls://b:1', pool: 'p' },
    sandbox: 'required',
    spares: 2,
  });
  expect(checked).toStrictEqual({
    maxOperations: 1,
    timeoutMs: 2,
    runConcurrency: 'queue',
    maxQueuedRuns: 3,
    globals: ['timers', 'fetch'],
    network: expect.objectContaining({ allow: ['api.example.com'], methods: ['GET', 'HEAD'], maxRequests: 100 }),
    authorizedImports: ['a', '@scope/b'],
    maxLogBytes: 1024,
    collectConsoleLevels: [],
    memoryLimitMb: 8,
    autoInit: true,
    recover: true,
    language: 'typescript',
    modules: { a: '' },
    typecheck: 'warn',
    onToolCall,
    onLog,
    maxCodeBytes: 4,
    maxToolCalls: 0,
    maxConcurrentToolCalls: 5,
    maxTransferBytes: 2048,
    hardenToolResults: true,
    keepState: true,
    toolTimeoutMs: 8,
    maxCpuMs: 6,
    owner: 'tenant',
    maxParkedMb: 7,
    warmPool: 64,
    isolation: 'remote',
    remote: { servers: ['nats://a', 'tls://b:1'], pool: 'p', credentials: undefined },
    sandbox: 'required',
    spares: 2,
  });
  // A copy: what the caller does to its own array later changes nothing.
  expect(checked.authorizedImports).not.toBe(authorizedImports);
});

const INTEGERS = OPTIONS.filter(({ type }) => type === 'integer');
test.each(INTEGERS.map(({ name, min, max }) => [name, min, max]))('%s accepts %d to %d', (name, min, max) => {
  for (const value of [min, max]) expect(checkOptions({ [name]: value })[name]).toBe(value);
  const refusal = (bound, value) => new RangeError(`options.${name} must be an integer ${bound}, got ${value}`);
  expect(() => checkOptions({ [name]: min - 1 })).toThrow(refusal(`>= ${min}`, min - 1));
  expect(() => checkOptions({ [name]: min + 0.5 })).toThrow(refusal(`>= ${min}`, min + 0.5));
  expect(() => checkOptions({ [name]: max + 1 })).toThrow(refusal(`<= ${max}`, max + 1));
});

test('default lists are copied for each executor', () => {
  const [one, other] = [checkOptions({}), checkOptions({})];
  for (const name of ['authorizedImports', 'collectConsoleLevels']) expect(one[name]).not.toBe(other[name]);
});

test('a hole in a list is refused as undefined', () => {
  expect(() => checkOptions({ authorizedImports: ['a', , 'b'] })).toThrow(
    new TypeError('options.authorizedImports[1] must be a non-empty string, got undefined'),
  ); // prettier-ignore
});

test('each option is read once', () => {
  let reads = 0;
  const options = Object.defineProperty({}, 'timeoutMs', { enumerable: true, get: () => ++reads });
  expect([checkOptions(options).timeoutMs, reads]).toStrictEqual([1, 1]);
});

test.each([
  ['timeoutMS', 'timeoutMs'],
  ['maxOps', 'maxOperations'],
  ['abcd', 'xbcd'],
  ['abcuvw', 'xyzuvw'],
  ['opqrstu', undefined],
  // Five units that begin alike are most of six, and not of ten.
  ['limits', 'limitValue'],
  ['limitOther', undefined],
])('the closest name to %s is %s', (name, expected) => {
  const known = ['timeoutMs', 'maxOperations', 'xbcd', 'xyzuvw', 'wxyzstu', 'limitValue'];
  expect(closest(name, known)).toBe(expected);
});

test.each([
  ['V', ['to', 'vars'], undefined],
  ['ad', ['add', 'list'], 'add'],
  ['exec', ['check', 'repl'], undefined],
  ['x.js', ['vars', 'to'], undefined],
  ['rnu', ['run', 'mcp'], 'run'],
  ['rn', ['run', 'mcp'], 'run'],
])('at most half of %s, rounded up, is edited for a suggestion', (name, known, expected) => {
  expect(closest(name, known)).toBe(expected);
});

test('the closest of several names has the same beginning, or the fewest edits', () => {
  expect(closest('timeouts', ['dimeouts', 'timeoutMs'])).toBe('timeoutMs');
  expect(closest('abcd', ['abxx', 'abcx'])).toBe('abcx');
});

// An edit distance takes time in proportion to the product of the lengths.
test('the closest name is one of the first 200 names of a similar length', () => {
  const others = (count, length) => Array.from({ length: count }, () => 'z'.repeat(length));
  expect(closest('abcd', [...others(199, 6), 'abxx'])).toBe('abxx');
  expect(closest('abcd', [...others(200, 6), 'abxx'])).toBeUndefined();
  expect(closest('abcd', [...others(2_000, 7), 'abxx'])).toBe('abxx');
});

test('checkSome checks only the named options', () => {
  expect(checkSome({ timeoutMs: 5 }, ['timeoutMs', 'owner'])).toStrictEqual({ timeoutMs: 5, owner: '' });
  expect(() => checkSome({ owner: 5 }, ['owner'])).toThrow(new TypeError('options.owner must be a string, got 5'));
});

test('checkRows checks options by its rows and passes on the names that it is given', () => {
  const rows = [{ name: 'size', type: 'integer', min: 1, max: 3, fallback: 2 }];
  expect(checkRows({ other: 'x' }, rows, ['other'])).toStrictEqual({ other: 'x', size: 2 });
  expect(() => checkRows({ size: 4 }, rows)).toThrow(new RangeError('options.size must be an integer <= 3, got 4'));
  expect(() => checkRows({ other: 'x' }, rows)).toThrow(
    new TypeError('options.other is not an option; the options are size'),
  );
});

test('checkAnyLanguage accepts Python too', () => {
  for (const language of [undefined, 'python', 'typescript']) checkAnyLanguage(language);
  expect(() => checkAnyLanguage('perl')).toThrow(
    new RangeError('options.language must be "auto" or "javascript" or "typescript" or "python", got "perl"'),
  );
});

test.each([0, -1, 1.5, NaN, Infinity, 2 ** 53])(
  'a limit of %s is accepted and left to the diagnostics of the run',
  (value) => {
    expect(checkOptions({ maxOperations: value, timeoutMs: value })).toMatchObject({
      maxOperations: value,
      timeoutMs: value,
    });
    expect(checkRunOptions({ maxOperations: value, timeoutMs: value })).toMatchObject({
      maxOperations: value,
      timeoutMs: value,
    });
  },
);

describe('options of a wrong type are refused with a TypeError', () => {
  test.each([
    [null, 'options must be an object, got null'],
    ['fast', 'options must be an object, got "fast"'],
    [[], 'options must be an object, got an array'],
    [{ maxOperations: '5' }, 'options.maxOperations must be a number, got "5"'],
    [{ maxOperations: 5n }, 'options.maxOperations must be a number, got 5n'],
    [{ timeoutMs: null }, 'options.timeoutMs must be a number, got null'],
    [{ runConcurrency: true }, 'options.runConcurrency must be "reject" or "queue", got true'],
    [{ maxQueuedRuns: '1' }, 'options.maxQueuedRuns must be a number, got "1"'],
    [{ authorizedImports: 'fs' }, 'options.authorizedImports must be an array, got "fs"'],
    [{ authorizedImports: [1] }, 'options.authorizedImports[0] must be a non-empty string, got 1'],
    [{ maxLogBytes: {} }, 'options.maxLogBytes must be a number, got an object'],
    [{ collectConsoleLevels: 'log' }, 'options.collectConsoleLevels must be an array, got "log"'],
    [
      { collectConsoleLevels: ['log', Symbol('x')] },
      `options.collectConsoleLevels[1] must be ${oneOfLevels}, got a symbol`,
    ],
    [{ memoryLimitMb: false }, 'options.memoryLimitMb must be a number, got false'],
    [{ language: 1 }, 'options.language must be "auto" or "javascript" or "typescript", got 1'],
    [{ autoInit: 1 }, 'options.autoInit must be a boolean, got 1'],
    [{ onToolCall: true }, 'options.onToolCall must be a function, got true'],
    [{ onLog: {} }, 'options.onLog must be a function, got an object'],
    [{ timeoutMS: 1 }, 'options.timeoutMS is not an option; did you mean options.timeoutMs?'],
    [{ maxOps: 1 }, 'options.maxOps is not an option; did you mean options.maxOperations?'],
    [{ memory: 64 }, 'options.memory is not an option; did you mean options.memoryLimitMb?'],
    [{ maxOperation: 1 }, 'options.maxOperation is not an option; did you mean options.maxOperations?'],
    [
      { container: true },
      'options.container is not an option; the options are maxOperations, timeoutMs, toolTimeoutMs, runConcurrency, ' +
        'maxQueuedRuns, authorizedImports, maxLogBytes, collectConsoleLevels, memoryLimitMb, maxCodeBytes, maxToolCalls, ' +
        'maxConcurrentToolCalls, maxTransferBytes, hardenToolResults, keepState, maxCpuMs, owner, maxParkedMb, warmPool, isolation, remote, sandbox, spares, ' +
        'autoInit, recover, language, modules, typecheck, globals, network, onToolCall, onLog',
    ],
  ])('such as %o', (options, message) => {
    expect(() => checkOptions(options)).toThrow(new TypeError(message));
  });
});

class Limits {
  #given = 10;
  get maxOperations() {
    return this.#given;
  }
}

// Limits were lost without a word: only an object's own properties are copied.
describe('options that are not a plain object are refused', () => {
  const { signal } = new AbortController();

  test.each([
    [Promise.resolve({ maxOperations: 10 }), 'options must be a plain object, got a promise; await it first'],
    [new Map([['maxOperations', 10]]), 'options must be a plain object, got an instance of Map'],
    [new Date(0), 'options must be a plain object, got an instance of Date'],
    [new Limits(), 'options must be a plain object, got an instance of Limits'],
    [
      Object.assign(new Limits(), { timeoutMs: 5 }),
      'options.maxOperations must be a property of options itself, and not of its class',
    ],
    [Object.create({ maxOperations: 10 }), 'options must be a plain object, got an instance of Object'],
  ])('such as %o', (options, message) => {
    expect(() => checkOptions(options)).toThrow(new TypeError(message));
    expect(() => checkRunOptions(options)).toThrow(new TypeError(message));
  });

  test('a signal in place of options is refused, for runs with a hint to pass { signal }', () => {
    expect(() => checkOptions(signal)).toThrow(new TypeError('options must be a plain object, got an AbortSignal'));
    expect(() => checkRunOptions(signal)).toThrow(
      new TypeError('options must be a plain object, got an AbortSignal; pass { signal }'),
    );
  });

  test('options that are own properties of an instance are accepted', () => {
    class Config {
      maxOperations = 10;
      get label() {
        return 'strict';
      }
    }
    expect(checkOptions(new Config()).maxOperations).toBe(10);
    expect(checkRunOptions(Object.assign(Object.create(null), { maxOperations: 10 })).maxOperations).toBe(10);
  });
});

describe('options out of range are refused with a RangeError', () => {
  test.each([
    [{ runConcurrency: 'parallel' }, 'options.runConcurrency must be "reject" or "queue", got "parallel"'],
    [{ language: 'ts' }, 'options.language must be "auto" or "javascript" or "typescript", got "ts"'],
    [{ isolation: 'container' }, 'options.isolation must be "thread" or "process" or "remote", got "container"'],
    [{ sandbox: 'on' }, 'options.sandbox must be "required" or "best-effort" or "off", got "on"'],
    [{ spares: 17 }, 'options.spares must be an integer <= 16, got 17'],
    [{ maxQueuedRuns: -1 }, 'options.maxQueuedRuns must be an integer >= 0, got -1'],
    [{ maxQueuedRuns: 1.5 }, 'options.maxQueuedRuns must be an integer >= 0, got 1.5'],
    [{ authorizedImports: ['a', ''] }, 'options.authorizedImports[1] must be a non-empty string, got ""'],
    [{ maxLogBytes: 1023 }, 'options.maxLogBytes must be an integer >= 1024, got 1023'],
    [{ maxLogBytes: 2 ** 29 }, 'options.maxLogBytes must be an integer <= 268435456, got 536870912'],
    [{ collectConsoleLevels: ['trace'] }, `options.collectConsoleLevels[0] must be ${oneOfLevels}, got "trace"`],
    [{ memoryLimitMb: 7 }, 'options.memoryLimitMb must be an integer >= 8, got 7'],
    [{ memoryLimitMb: NaN }, 'options.memoryLimitMb must be an integer >= 8, got NaN'],
    [{ memoryLimitMb: 1e6 }, 'options.memoryLimitMb must be an integer <= 65536, got 1000000'],
  ])('such as %o', (options, message) => {
    expect(() => checkOptions(options)).toThrow(new RangeError(message));
  });
});

describe('options of a run', () => {
  test('fall back to the limits of the executor', () => {
    expect(checkRunOptions(undefined)).toStrictEqual({
      maxOperations: null,
      timeoutMs: null,
      toolTimeoutMs: null,
      signal: undefined,
      plan: undefined,
      language: null,
      typecheck: null,
    });
  });

  test('may contain a signal', () => {
    const { signal } = new AbortController();
    expect(checkRunOptions({ signal }).signal).toBe(signal);
  });

  test.each([
    [5, 'options must be an object, got 5'],
    [{ timeoutMs: '5' }, 'options.timeoutMs must be a number, got "5"'],
    [{ signal: {} }, 'options.signal must be an AbortSignal, got an object'],
    [{ signal: null }, 'options.signal must be an AbortSignal, got null'],
    [{ timeout: 5 }, 'options.timeout is not an option; did you mean options.timeoutMs?'],
  ])('are validated: %o', (options, message) => {
    expect(() => checkRunOptions(options)).toThrow(new TypeError(message));
  });
});

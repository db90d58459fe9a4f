// `ses-executor/opentelemetry` with the SDK of OpenTelemetry.

import { tracingChannel } from 'node:diagnostics_channel';

import { SpanStatusCode, context, diag, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

import { instrument } from 'ses-executor/opentelemetry';

import { expectCode, neverTool, rejection, withExecutor } from '../helpers.mjs';

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = tracerProvider.getTracer('test');
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
afterAll(() => context.disable());
beforeEach(() => exporter.reset());

/** Finished spans by name. */
const spans = () => Object.fromEntries(exporter.getFinishedSpans().map((span) => [span.name, span]));
const parentOf = (span) => span.parentSpanContext?.spanId;

/** A tool may throw what its guest has passed. */
let parts = ['a'];
for (let i = 0; i < 26; i++) parts = [parts, parts];
const graph = { message: parts, code: parts, name: parts };

/** Calls `fn` within a span called `caller`. */
const within = (fn) =>
  tracer.startActiveSpan('caller', async (span) => {
    try {
      return await fn();
    } finally {
      span.end();
    }
  });

async function instrumented(options, fn) {
  const stop = instrument({ tracerProvider, ...options });
  try {
    return await fn();
  } finally {
    stop();
  }
}

describe('spans', () => {
  const tools = {
    add: (a, b) => a + b,
    find: async (id) => within(async () => ({ id })),
  };

  test('are nested: caller, run, tool, and work of the tool', () =>
    withExecutor({}, tools, async (executor) => {
      const root = tracer.startSpan('root');
      await context.with(trace.setSpan(context.active(), root), () =>
        instrumented({}, () => executor.run('[add(1, 2), await find("x")]')),
      );
      root.end();
      const { 'ses_executor.run': run, 'execute_tool add': add, 'execute_tool find': find, caller } = spans();
      expect(parentOf(run)).toBe(root.spanContext().spanId);
      expect(parentOf(add)).toBe(run.spanContext().spanId);
      expect(parentOf(find)).toBe(run.spanContext().spanId);
      expect(parentOf(caller)).toBe(find.spanContext().spanId);
      expect(add.attributes).toStrictEqual({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'add',
        'gen_ai.tool.call.id': expect.stringMatching(/^\d+$/),
        'gen_ai.tool.type': 'function',
      });
      expect(run.attributes).toStrictEqual({
        'ses_executor.code.length': 28,
        'ses_executor.is_final_answer': false,
        'ses_executor.operations': 0,
        'ses_executor.tool_calls': 2,
        'ses_executor.heap_used_bytes': expect.any(Number),
      });
    }));

  test('have content only on request', () =>
    withExecutor({}, tools, async (executor) => {
      await instrumented({ captureContent: true }, () => executor.run('await find(new Map([["a", 1n]]))'));
      const { 'ses_executor.run': run, 'execute_tool find': find } = spans();
      expect(run.attributes).toMatchObject({
        'ses_executor.code': 'await find(new Map([["a", 1n]]))',
        'ses_executor.output': "{ id: Map(1) { 'a' => 1n } }",
      });
      expect(find.attributes).toMatchObject({
        'gen_ai.tool.call.arguments': "[ Map(1) { 'a' => 1n } ]",
        'gen_ai.tool.call.result': "{ id: Map(1) { 'a' => 1n } }",
      });
    }));

  test('end once, even if an earlier subscriber ends the run during the call', () =>
    withExecutor({}, { never: neverTool().tool }, async (executor) => {
      const said = [];
      const say = (text) => said.push(text);
      diag.setLogger({ error: say, warn: say, info() {}, debug() {}, verbose() {} });
      const { end } = tracingChannel('ses-executor:tool-call');
      const cleanUp = () => void executor.cleanup();
      end.subscribe(cleanUp);
      try {
        await instrumented({}, () => rejection(executor.run('await never()')));
      } finally {
        end.unsubscribe(cleanUp);
        diag.disable();
      }
      expect(spans()['execute_tool never'].status).toStrictEqual({
        code: SpanStatusCode.ERROR,
        message: 'the run has ended',
      });
      expect(said).toStrictEqual([]);
    }));

  test('have the status and attributes of failures', () =>
    withExecutor({}, { fails: () => Promise.reject(new RangeError('no')) }, async (executor) => {
      await instrumented({}, () => expectCode(executor.run('await fails()'), 'ERR_TOOL_PROXY_FAIL'));
      const { 'ses_executor.run': run, 'execute_tool fails': tool } = spans();
      expect(run.status).toStrictEqual({
        code: SpanStatusCode.ERROR,
        message: 'Tool execution failed: RangeError: no',
      });
      expect(run.attributes['error.type']).toBe('ERR_TOOL_PROXY_FAIL');
      expect(tool.status).toStrictEqual({ code: SpanStatusCode.ERROR, message: 'no' });
      expect(tool.attributes['error.type']).toBe('RangeError');
      expect(tool.events.map(({ name, attributes }) => [name, attributes['exception.message']])).toStrictEqual([
        ['exception', 'no'],
      ]);
    }));

  test.each([
    ['a value that cannot be printed', () => Object.create(null), 'Error', '{}'],
    ['a symbol', () => Symbol('s'), 'symbol', 'Symbol(s)'],
    [
      'a message that throws',
      () => ({
        message: {
          toString: () => {
            throw new Error('no');
          },
        },
      }),
      'Error',
      '{}',
    ],
    [
      'a code that is not a string',
      () => Object.assign(new RangeError('x'), { code: Object.create(null) }),
      'RangeError',
      'x',
    ],
    [
      'a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            get() {
              throw new Error('no');
            },
          },
        ),
      'Error',
      'a proxy',
    ],
    ['a value that expands to 2^26 parts', () => graph, 'Error', 'an array'],
  ])('are recorded for tools that throw %s', (_, thrown, type, message) =>
    withExecutor(
      {},
      {
        fail: () => {
          throw thrown();
        },
      },
      async (executor) => {
        await instrumented({}, () => expectCode(executor.run('fail()'), 'ERR_TOOL_PROXY_FAIL'));
        const { 'execute_tool fail': tool, 'ses_executor.run': run } = spans();
        expect(tool.status).toStrictEqual({ code: SpanStatusCode.ERROR, message });
        expect(tool.attributes['error.type']).toBe(type);
        expect(run.attributes['error.type']).toBe('ERR_TOOL_PROXY_FAIL');
      },
    ),
  );

  test('end with their run, and no later ones begin', () =>
    withExecutor({}, { never: async () => new Promise(() => {}) }, async (executor) => {
      await instrumented({}, () => executor.run('never(); 1'));
      expect(spans()['execute_tool never'].status).toStrictEqual({
        code: SpanStatusCode.ERROR,
        message: 'the run has ended',
      });
      exporter.reset();
      await executor.run('1');
      expect(exporter.getFinishedSpans()).toStrictEqual([]);
    }));
});

test('wrong options of the instrumentation are refused', () => {
  expect(() => instrument({ capture: true })).toThrow(
    new TypeError('options.capture is not an option; did you mean options.captureContent?'),
  );
});

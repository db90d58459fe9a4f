// @ts-check
'use strict';

const { tracingChannel } = require('node:diagnostics_channel');

const { describeThrown } = require('../../contract/errors');
const { modelText } = require('../../contract/model-text');
const { record } = require('../../contract/options');
const { requirePeer } = require('../../contract/peer-dependency');
const { version } = require('../../../package.json');

/**
 * Makes spans of all runs and tool calls of this process from now on. Documented in `index.d.ts`.
 *
 * @param {import('./index').InstrumentOptions} [options]
 * @returns {() => void}
 */
function instrument(options) {
  const { tracerProvider, captureContent = false } = record(options, 'options', ['tracerProvider', 'captureContent']);
  const api = requirePeer('ses-executor/opentelemetry', '@opentelemetry/api', () => require('@opentelemetry/api'));
  const tracer = (tracerProvider ?? api.trace).getTracer('ses-executor', version);
  const kinds = /** @type {const} */ ([
    ['ses-executor:run', runSpan],
    ['ses-executor:tool-call', toolSpan],
  ]);
  const subscriptions = kinds.map(([name, kind]) => {
    const channel = tracingChannel(name);
    const handlers = new Spans(api, tracer, kind(captureContent)).handlers;
    channel.subscribe(/** @type {any} */ (handlers));
    return () => channel.unsubscribe(/** @type {any} */ (handlers));
  });
  return () => subscriptions.forEach((unsubscribe) => unsubscribe());
}

/**
 * What the spans of one channel say.
 *
 * @typedef {object} Kind
 * @property {(message: any) => string} name
 * @property {(message: any) => import('@opentelemetry/api').Attributes} atStart
 * @property {(message: any) => import('@opentelemetry/api').Attributes} atEnd of what has succeeded
 */

/** The spans of one channel. */
class Spans {
  #api;
  #tracer;
  #kind;
  /** @type {WeakMap<object, import('@opentelemetry/api').Span>} */
  #open = new WeakMap();

  /**
   * @param {typeof import('@opentelemetry/api')} api
   * @param {import('@opentelemetry/api').Tracer} tracer
   * @param {Kind} kind
   */
  constructor(api, tracer, kind) {
    this.#api = api;
    this.#tracer = tracer;
    this.#kind = kind;
  }

  get handlers() {
    const settled = (/** @type {any} */ message) => 'result' in message || 'error' in message;
    return {
      start: (/** @type {any} */ message) => this.#start(message),
      // What is over at once ends here.
      end: (/** @type {any} */ message) => settled(message) && this.#end(message),
      asyncEnd: (/** @type {any} */ message) => this.#end(message),
    };
  }

  /** @param {any} message */
  #start(message) {
    const { context, trace } = this.#api;
    const span = this.#tracer.startSpan(this.#kind.name(message), { attributes: this.#kind.atStart(message) });
    this.#open.set(message, span);
    // Spans that begin within are its children.
    message.call = context.bind(trace.setSpan(context.active(), span), message.call);
  }

  /** @param {any} message */
  #end(message) {
    const span = this.#open.get(message);
    // It began before anybody listened, or is over already.
    if (span === undefined) return;
    this.#open.delete(message);
    if ('error' in message) {
      const exception = exceptionOf(message.error);
      span.setAttribute('error.type', String(exception.code ?? exception.name));
      span.recordException(exception);
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: exception.message });
    } else {
      span.setAttributes(this.#kind.atEnd(message));
    }
    span.end();
  }
}

/**
 * What was thrown, as texts. Tools throw anything, also what guests have passed them, and an error of a listener ends the process.
 *
 * @param {unknown} thrown
 */
function exceptionOf(thrown) {
  const { name, message, code } = describeThrown(thrown);
  const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
  const stack = stackOf(thrown);
  return {
    name: isObject ? name : typeof thrown,
    message,
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack }),
  };
}

/** @param {unknown} thrown */
function stackOf(thrown) {
  try {
    const { stack } = /** @type {Error} */ (thrown);
    return thrown instanceof Error && typeof stack === 'string' ? stack : undefined;
  } catch {
    // Of a proxy, or by a getter.
    return undefined;
  }
}

/**
 * @param {boolean} captureContent
 * @returns {Kind}
 */
function runSpan(captureContent) {
  return {
    name: () => 'ses_executor.run',
    atStart: ({ code }) => ({
      'ses_executor.code.length': code.length,
      ...(captureContent && { 'ses_executor.code': code }),
    }),
    atEnd: ({ result: { output, is_final_answer: isFinal, stats } }) => ({
      'ses_executor.is_final_answer': isFinal,
      'ses_executor.operations': stats?.operations,
      'ses_executor.tool_calls': stats?.toolCalls,
      'ses_executor.heap_used_bytes': stats?.heapUsedBytes,
      ...(captureContent && { 'ses_executor.output': modelText(output) }),
    }),
  };
}

/**
 * By the semantic conventions for generative AI.
 *
 * @param {boolean} captureContent
 * @returns {Kind}
 */
function toolSpan(captureContent) {
  return {
    name: ({ name }) => `execute_tool ${name}`,
    atStart: ({ name, args, id }) => ({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': 'function',
      ...(captureContent && { 'gen_ai.tool.call.arguments': modelText(args) }),
    }),
    atEnd: ({ result }) => (captureContent ? { 'gen_ai.tool.call.result': modelText(result) } : {}),
  };
}

module.exports = { instrument };

/**
 * `ses-executor/opentelemetry`: records runs and tool calls as spans. It needs `@opentelemetry/api`.
 *
 * @packageDocumentation
 */

import { tracingChannel } from 'node:diagnostics_channel';

import { describeThrown } from '../../contract/errors';
import { modelText } from '../../contract/model-text';
import { record } from '../../contract/options';
import { requirePeer } from '../../contract/peer-dependency';
import { version } from '../../../package.json';
import type { Foreign } from '../../contract/foreign';
import type { TracingChannelSubscribers } from 'node:diagnostics_channel';
import type { Attributes, Span, Tracer, TracerProvider } from '@opentelemetry/api';

export interface InstrumentOptions {
  /** Default: the global provider at the time when a span begins. */
  tracerProvider?: TracerProvider | undefined;
  /**
   * Whether spans contain code, outputs, arguments and results, cut at 20,000 characters. Default `false`, because they
   * may be private.
   */
  captureContent?: boolean | undefined;
}

/**
 * Records spans for all later runs and tool calls of this process.
 *
 * A run is a span `ses_executor.run` within the span that is active when `run()` is called. A tool call is a span
 * `execute_tool <name>` within the span of its run. It has the attributes of the semantic conventions for generative
 * AI. Spans that the tool begins are its children. A failure sets the status, `error.type` (the error's code) and an
 * exception event.
 *
 * @returns a function that stops the recording
 * @throws `TypeError` for wrong options; an `Error` that names the package to install
 */
export function instrument(options?: InstrumentOptions): () => void {
  const { tracerProvider, captureContent = false } = record(options, 'options', ['tracerProvider', 'captureContent']);
  const api = requirePeer('ses-executor/opentelemetry', '@opentelemetry/api', () => require('@opentelemetry/api'));
  const tracer = (tracerProvider ?? api.trace).getTracer('ses-executor', version);
  const kinds = [
    ['ses-executor:run', runSpan],
    ['ses-executor:tool-call', toolSpan],
  ] as const;
  const subscriptions = kinds.map(([name, kind]) => {
    const channel = tracingChannel(name);
    const { handlers } = new Spans(api, tracer, kind(captureContent));
    channel.subscribe(handlers);
    return () => void channel.unsubscribe(handlers);
  });
  return () => subscriptions.forEach((unsubscribe) => unsubscribe());
}

/** The content of the spans of one channel. */
interface Kind {
  name: (message: Foreign) => string;
  atStart: (message: Foreign) => Attributes;
  /** Attributes of a successful operation. */
  atEnd: (message: Foreign) => Attributes;
}

/** The spans of one channel. */
class Spans {
  #api;
  #tracer;
  #kind;
  #open: WeakMap<object, Span> = new WeakMap();

  constructor(api: typeof import('@opentelemetry/api'), tracer: Tracer, kind: Kind) {
    this.#api = api;
    this.#tracer = tracer;
    this.#kind = kind;
  }

  /** A channel may have handlers for some of its events. */
  get handlers(): TracingChannelSubscribers<object> {
    const settled = (message: Foreign) => 'result' in message || 'error' in message;
    return {
      start: (message: Foreign) => this.#start(message),
      // Ends spans of operations that settle synchronously.
      end: (message: Foreign) => settled(message) && this.#end(message),
      asyncEnd: (message: Foreign) => this.#end(message),
    } as TracingChannelSubscribers<object>;
  }

  #start(message: Foreign) {
    const { context, trace } = this.#api;
    const span = this.#tracer.startSpan(this.#kind.name(message), { attributes: this.#kind.atStart(message) });
    this.#open.set(message, span);
    // Spans that begin during the call are children of this span.
    message.call = context.bind(trace.setSpan(context.active(), span), message.call);
  }

  #end(message: Foreign) {
    const span = this.#open.get(message);
    // The operation began before the subscription, or it has already ended.
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
 * Describes a thrown value in strings. Tools may throw any value, including guest values, and an error in a listener
 * ends the process.
 */
function exceptionOf(thrown: unknown) {
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

function stackOf(thrown: unknown) {
  try {
    const { stack } = thrown as Error;
    return thrown instanceof Error && typeof stack === 'string' ? stack : undefined;
  } catch {
    // A proxy or a getter threw.
    return undefined;
  }
}

function runSpan(captureContent: boolean): Kind {
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

/** Follows the semantic conventions for generative AI. */
function toolSpan(captureContent: boolean): Kind {
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

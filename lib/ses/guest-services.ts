import { clearTimeout, setTimeout } from '../contract/clock';
import { currentScope } from '../contract/run-scope';
import { PYTHON_REQUEST } from '../contract/tool-registry';
import type { CheckedNetwork } from '../contract/network-policy';
import type { CheckedOptions } from '../contract/options';
import type { RunScope } from '../contract/run-scope';
import type { Tool, ToolRegistry } from '../contract/tool-registry';

/** Loaded when code may make requests: it needs the HTTP modules of Node.js. */
const loadRequests = () => require('../network/requests') as typeof import('../network/requests');

/** The longest timer of Node.js. */
const MAX_MS = 2 ** 31 - 1;

/**
 * The functions of the host that the globals of the option `globals` call, in the form of the native side. They are
 * answered like tool calls, so that a recorded session repeats what they answer.
 */
export function nativeServices({ globals, network }: CheckedOptions, registry: ToolRegistry) {
  const services: Tool[] = [];
  if (globals.includes('timers') || globals.includes('abort')) services.push(service('wake', makeWake()));
  if (globals.includes('fetch')) {
    const { request, cancel } = loadRequests().makeRequests(network);
    services.push(requestTool(request, ['fetch']), service('cancel', cancel));
  }
  return registry.addServices(services);
}

/**
 * Python has no such globals. Its prelude calls a function with a reserved name, which is sent to it as tools are, and
 * is the host's `fetch` otherwise.
 */
export function offerRequests(network: CheckedNetwork, registry: ToolRegistry) {
  const { request } = loadRequests().makeRequests(network);
  registry.addOwn(requestTool(request, [PYTHON_REQUEST]));
}

function service(name: string, fn: Tool['fn']): Tool {
  return { path: [name], fn, self: undefined, isAsync: true, isBlocking: false, isService: true, length: fn.length };
}

/** Requests count as tool calls, unlike the calls of services. */
function requestTool(request: Tool['fn'], path: string[]): Tool {
  return { ...service('fetch', request), path, isService: false, isRequest: true };
}

/**
 * Wakes guests at the time of their first timer. A run has at most one timer here: another call replaces it and answers
 * the call before with false. A negative time only replaces.
 */
function makeWake() {
  const waiting: WeakMap<RunScope, () => void> = new WeakMap();
  return (ms: number): boolean | Promise<boolean> => {
    const scope = currentScope() as RunScope;
    waiting.get(scope)?.();
    if (!(ms >= 0)) return false;
    return new Promise((resolve) => {
      const answer = (isTime: boolean) => {
        waiting.delete(scope);
        clearTimeout(timer);
        forget();
        resolve(isTime);
      };
      const timer = setTimeout(() => answer(true), Math.min(Math.max(ms, 1), MAX_MS));
      // The run is over, so nobody waits for the answer.
      const forget = scope.atEnd(() => clearTimeout(timer));
      waiting.set(scope, () => answer(false));
    });
  };
}

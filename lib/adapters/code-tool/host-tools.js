// @ts-check
'use strict';

const { abortController, onAbort } = require('../../contract/signals');
const { defineMember } = require('../../contract/tool-names');

/**
 * @typedef {ReturnType<typeof import('./definition').callables>[number]} Callable
 *
 * @typedef {object} RunOfTools
 * @property {AbortSignal} [signal] of the caller
 * @property {unknown} [context] handed on to the tools
 * @property {import('./index').Approve} [approve]
 * @property {import('./language').LanguageText} [language] of the code; JavaScript by default
 */

/**
 * The functions that code of one run calls, and what has to be called when it has ended.
 *
 * @param {Callable[]} callable
 * @param {RunOfTools} run
 */
function hostTools(callable, { signal, context, approve, language }) {
  // Tools that nobody waits for any more should know it.
  const ended = abortController();
  const stopListening = signal && onAbort(signal, () => ended.abort(signal.reason));
  const callContext = {
    signal: ended.signal,
    context,
    approve: (/** @type {string} */ name, /** @type {unknown} */ input) =>
      mustBeApproved(approve, { name, input, signal: ended.signal, context }),
  };
  return {
    tools: hostFunctions(callable.map((it) => [it.name, toolOf(it, callContext, language)])),
    end: () => {
      stopListening?.();
      ended.abort();
    },
  };
}

/**
 * Functions as `sendTools` takes them, by names with their namespaces.
 *
 * @param {[name: string, fn: (...args: any[]) => unknown][]} named
 * @returns {import('../../../index').Tools}
 */
function hostFunctions(named) {
  /** @type {import('../../../index').Tools} */
  const tools = {};
  for (const [name, fn] of named) {
    const path = name.split('.');
    const last = /** @type {string} */ (path.pop());
    let holder = tools;
    for (const key of path) {
      if (!Object.hasOwn(holder, key)) defineMember(holder, key, {});
      holder = /** @type {import('../../../index').Tools} */ (holder[key]);
    }
    defineMember(holder, last, fn);
  }
  return tools;
}

/**
 * An `async` function, so that code gets a promise at once.
 *
 * @param {Callable} callable
 * @param {Omit<import('./index').CallContext, 'input'>} context
 * @param {import('./language').LanguageText | undefined} language
 */
function toolOf(callable, context, language) {
  if (callable.takesObject && language?.namesArguments) {
    return async (/** @type {unknown[]} */ ...args) => callable.call(callable.named(args), context);
  }
  if (callable.takesObject) return async (/** @type {unknown} */ input = {}) => callable.call(input, context);
  return async (/** @type {unknown[]} */ ...args) => callable.call(...args);
}

/**
 * @param {import('./index').Approve | undefined} approve
 * @param {import('./index').ApprovalRequest} request
 * @throws {Error} if the call must not be made
 */
async function mustBeApproved(approve, request) {
  const { name } = request;
  if (approve === undefined) {
    throw approvalError(`${name} needs a person's approval, which code cannot get: call the tool itself instead`);
  }
  if ((await approve(request)) !== true) {
    throw approvalError(`a person has refused this call of ${name}: do not try it again unless the person asks for it`);
  }
  // Meanwhile the run may have ended.
  request.signal.throwIfAborted();
}

/** @param {string} message */
function approvalError(message) {
  return Object.assign(new Error(message), { name: 'ApprovalError', code: 'ERR_NOT_APPROVED' });
}

module.exports = { hostTools };

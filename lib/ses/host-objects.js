// @ts-check
'use strict';

/** What to say of objects of the web's classes: their state is not in their properties, so that a copy would be empty. */
const HINTS = /** @type {Record<string, string>} */ ({
  AbortController: '',
  AbortSignal: '',
  Blob: 'give what its `text()` or `arrayBuffer()` resolves to',
  File: 'give what its `text()` or `arrayBuffer()` resolves to',
  FormData: 'give `Object.fromEntries` of it',
  Headers: 'give `Object.fromEntries` of it',
  ReadableStream: 'give what has been read of it',
  Request: 'give what its `text()` or `json()` resolves to',
  Response: 'give what its `text()` or `json()` resolves to',
  TextDecoder: '',
  TextEncoder: '',
  TransformStream: '',
  URL: 'give its `href`',
  URLSearchParams: 'give `Object.fromEntries` of it, or its text',
  WritableStream: '',
});

/** Names of the classes that prototypes belong to; empty: none of these. @type {WeakMap<object, string>} */
const names = new WeakMap();

/** An object that must not be written, such as `process.env`. */
class HostObjectError extends TypeError {
  /** @param {object} object */
  constructor(object) {
    super('an object of the host could not be cloned');
    this.object = object;
  }
}

/**
 * The name of the web's class that `object` is of, or of one that extends it: Node.js writes some of these classes in JavaScript,
 * and V8 takes them for plain objects. Those of packages that bring their own are known, too.
 *
 * @param {object} object no proxy
 * @returns {string | undefined}
 */
function webClassOf(object) {
  for (let at = Object.getPrototypeOf(object); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    let name = names.get(at);
    if (name === undefined) names.set(at, (name = nameOf(at)));
    if (name !== '') return name;
  }
  return undefined;
}

/** @param {any} prototype */
function nameOf(prototype) {
  const name = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value?.name;
  const isOfWeb =
    typeof name === 'string' &&
    Object.hasOwn(HINTS, name) &&
    Object.hasOwn(prototype, Symbol.toStringTag) &&
    prototype[Symbol.toStringTag] === name;
  return isOfWeb ? name : '';
}

/**
 * What to do instead, for the end of a message.
 *
 * @param {string} name of a class of the web
 */
function webClassHint(name) {
  return HINTS[name] === '' ? '' : `; ${HINTS[name]}`;
}

module.exports = { HostObjectError, webClassHint, webClassOf };

import type { Foreign } from '../contract/foreign';

/** Hints for objects of web classes. Their state is not in their properties, so a copy would be empty. */
const HINTS = {
  AbortController: '',
  AbortSignal: '',
  Blob: 'pass what its `text()` or `arrayBuffer()` resolves to',
  File: 'pass what its `text()` or `arrayBuffer()` resolves to',
  FormData: 'pass `Object.fromEntries` of it',
  Headers: 'pass `Object.fromEntries` of it',
  ReadableStream: 'pass what has been read from it',
  Request: 'pass what its `text()` or `json()` resolves to',
  Response: 'pass what its `text()` or `json()` resolves to',
  TextDecoder: '',
  TextEncoder: '',
  TransformStream: '',
  URL: 'pass its `href`',
  URLSearchParams: 'pass `Object.fromEntries` of it, or its text',
  WritableStream: '',
} as Record<string, string>;

/** Class names by prototype. An empty name means that the prototype belongs to none of these classes. */
const names: WeakMap<object, string> = new WeakMap();

/** An object that must not be written, such as `process.env`. */
export class HostObjectError extends TypeError {
  object;

  constructor(object: object) {
    super('an object of the host could not be cloned');
    this.object = object;
  }
}

/**
 * The name of the web class that `object` belongs to, also through a subclass. Node.js implements some of these classes
 * in JavaScript, and V8 treats their instances as plain objects. Classes of packages that bring their own
 * implementation are recognized too.
 *
 * @param object must not be a proxy
 */
export function webClassOf(object: object): string | undefined {
  for (let at = Object.getPrototypeOf(object); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    let name = names.get(at);
    if (name === undefined) names.set(at, (name = nameOf(at)));
    if (name !== '') return name;
  }
  return undefined;
}

function nameOf(prototype: Foreign) {
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
 * @param name of a web class
 */
export function webClassHint(name: string) {
  return HINTS[name] === '' ? '' : `; ${HINTS[name]}`;
}

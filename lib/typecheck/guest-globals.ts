/** The globals that guests have beyond those of the language, by name, as TypeScript declares them. */
export const GUEST_GLOBALS: ReadonlyMap<string, string> = new Map([
  [
    'console',
    `declare const console: {
  log(...values: any[]): void; info(...values: any[]): void; warn(...values: any[]): void; error(...values: any[]): void;
  debug(...values: any[]): void; trace(...values: any[]): void; table(...values: any[]): void; dir(...values: any[]): void;
  dirxml(...values: any[]): void; assert(...values: any[]): void; count(label?: any): void; countReset(label?: any): void;
  time(label?: any): void; timeEnd(label?: any): void; timeLog(...values: any[]): void; group(...values: any[]): void;
  groupCollapsed(...values: any[]): void; groupEnd(): void;
};`,
  ],
  ['final_answer', 'declare function final_answer(answer?: any): never;'],
  ['harden', 'declare function harden<T>(value: T): T;'],
  ['structuredClone', 'declare function structuredClone<T = any>(value: T, options?: any): T;'],
  ['queueMicrotask', 'declare function queueMicrotask(callback: () => void): void;'],
  ['atob', 'declare function atob(text: string): string;'],
  ['btoa', 'declare function btoa(text: string): string;'],
  ['global', 'declare const global: any;'],
  ['self', 'declare const self: any;'],
  [
    'URL',
    `declare class URL {
  constructor(url: any, base?: any);
  hash: string; host: string; hostname: string; href: string; readonly origin: string; password: string; pathname: string;
  port: string; protocol: string; search: string; readonly searchParams: URLSearchParams; username: string;
  toString(): string; toJSON(): string;
  static canParse(url: any, base?: any): boolean; static parse(url: any, base?: any): URL;
}`,
  ],
  [
    'URLSearchParams',
    `declare class URLSearchParams {
  constructor(init?: any);
  readonly size: number;
  append(name: string, value: any): void; delete(name: string, value?: any): void; get(name: string): string;
  getAll(name: string): string[]; has(name: string, value?: any): boolean; set(name: string, value: any): void; sort(): void;
  toString(): string; forEach(callback: (value: string, key: string, parent: URLSearchParams) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>; keys(): IterableIterator<string>; values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}`,
  ],
  [
    'TextEncoder',
    `declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array; encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}`,
  ],
  [
    'TextDecoder',
    `declare class TextDecoder {
  constructor(label?: string, options?: any);
  readonly encoding: string; readonly fatal: boolean; readonly ignoreBOM: boolean;
  decode(bytes?: any, options?: any): string;
}`,
  ],
]);

const EVENT = `interface AbortEvent { readonly type: string; readonly target: AbortSignal }`;
const SIGNAL = `declare class AbortSignal {
  private constructor();
  readonly aborted: boolean; readonly reason: any; onabort: any;
  throwIfAborted(): void;
  addEventListener(type: string, listener: ((event: AbortEvent) => any) | { handleEvent(event: AbortEvent): any }, options?: any): void;
  removeEventListener(type: string, listener: any, options?: any): void;
  static abort(reason?: any): AbortSignal; static timeout(ms: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
}`;
const READ = 'text(): Promise<string>; bytes(): Promise<Uint8Array>; arrayBuffer(): Promise<ArrayBuffer>;';
const BODY = `readonly body: BodyStream; readonly bodyUsed: boolean; json(): Promise<any>; blob(): Promise<Blob>;
  formData(): Promise<FormData>; ${READ}`;
const STREAM = `interface BodyStream extends AsyncIterable<Uint8Array> {
  readonly locked: boolean; cancel(reason?: any): Promise<void>; tee(): [BodyStream, BodyStream];
  values(options?: any): AsyncIterableIterator<Uint8Array>;
  getReader(): {
    read(): Promise<{ done: boolean; value: Uint8Array }>; cancel(reason?: any): Promise<void>; releaseLock(): void;
  };
}`;

/** The globals of each group of the option `globals`, by name. */
export const OPTIONAL_GLOBALS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'timers',
    new Map([
      [
        'setTimeout',
        'declare function setTimeout(callback: (...args: any[]) => any, ms?: number, ...args: any[]): number;',
      ],
      ['clearTimeout', 'declare function clearTimeout(id?: any): void;'],
      [
        'setInterval',
        'declare function setInterval(callback: (...args: any[]) => any, ms?: number, ...args: any[]): number;',
      ],
      ['clearInterval', 'declare function clearInterval(id?: any): void;'],
    ]),
  ],
  [
    'crypto',
    new Map([
      [
        'crypto',
        `declare const crypto: {
  randomUUID(): string; getRandomValues<T>(array: T): T;
  readonly subtle: { digest(algorithm: string | { name: string }, data: ArrayBuffer | ArrayBufferView): Promise<ArrayBuffer> };
};`,
      ],
    ]),
  ],
  [
    'performance',
    new Map([
      ['performance', 'declare const performance: { now(): number; readonly timeOrigin: number; toJSON(): any };'],
    ]),
  ],
  [
    'abort',
    new Map([
      ['AbortController', 'declare class AbortController { readonly signal: AbortSignal; abort(reason?: any): void }'],
      ['AbortSignal', `${EVENT}\n${SIGNAL}`],
    ]),
  ],
  [
    'fetch',
    new Map([
      ['fetch', `${STREAM}\ndeclare function fetch(input: any, init?: any): Promise<Response>;`],
      [
        'Blob',
        `declare class Blob {
  constructor(parts?: Iterable<any>, options?: any);
  readonly size: number; readonly type: string; ${READ}
  stream(): BodyStream; slice(start?: number, end?: number, type?: string): Blob;
}`,
      ],
      [
        'File',
        `declare class File extends Blob {
  constructor(parts: Iterable<any>, name: string, options?: any);
  readonly name: string; readonly lastModified: number;
}`,
      ],
      [
        'FormData',
        `declare class FormData {
  append(name: string, value: any, fileName?: string): void; set(name: string, value: any, fileName?: string): void;
  delete(name: string): void; get(name: string): any; getAll(name: string): any[]; has(name: string): boolean;
  forEach(callback: (value: any, name: string, parent: FormData) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, any]>; keys(): IterableIterator<string>; values(): IterableIterator<any>;
  [Symbol.iterator](): IterableIterator<[string, any]>;
}`,
      ],
      [
        'Headers',
        `declare class Headers {
  constructor(init?: any);
  append(name: string, value: any): void; delete(name: string): void; get(name: string): string; has(name: string): boolean;
  set(name: string, value: any): void; getSetCookie(): string[];
  forEach(callback: (value: string, name: string, parent: Headers) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>; keys(): IterableIterator<string>; values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}`,
      ],
      [
        'Request',
        `declare class Request {
  constructor(input: any, init?: any);
  readonly url: string; readonly method: string; readonly redirect: string; readonly headers: Headers; readonly signal: any;
  ${BODY} clone(): Request;
}`,
      ],
      [
        'Response',
        `declare class Response {
  constructor(body?: any, init?: any);
  readonly status: number; readonly statusText: string; readonly ok: boolean; readonly url: string;
  readonly redirected: boolean; readonly type: string; readonly headers: Headers;
  ${BODY} clone(): Response; static json(data: any, init?: any): Response;
}`,
      ],
    ]),
  ],
]);

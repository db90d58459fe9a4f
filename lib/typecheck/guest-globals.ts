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

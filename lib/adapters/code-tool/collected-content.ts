import { AsyncLocalStorage } from 'node:async_hooks';

import type { ContentBlock } from '../../contract/content';

// Frameworks whose own tool runs code pass on only the value of a program. What the program shows goes past them.

const collectors: AsyncLocalStorage<ContentBlock[]> = new AsyncLocalStorage();

/** Calls a framework's tool. Also returns what the programs show that it runs. */
export async function collecting<T>(call: () => T | PromiseLike<T>): Promise<{ result: T; content: ContentBlock[] }> {
  const content: ContentBlock[] = [];
  return { result: await collectors.run(content, call), content };
}

/** Where programs of the current call put what they show. Undefined if nobody wants it. */
export function collector(): ContentBlock[] | undefined {
  return collectors.getStore();
}

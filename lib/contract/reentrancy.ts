import { AsyncLocalStorage } from 'node:async_hooks';

/** Work that later calls to its owner wait for. */
export interface Work {
  owner: object;
  isOver: boolean;
  /** the work that contains it */
  outer: Work | undefined;
}

const current: AsyncLocalStorage<Work> = new AsyncLocalStorage();

/** @param fn everything that it starts is within the work until the work `isOver` */
export function runNested<T>(owner: object, fn: (work: Work) => T): T {
  const work = { owner, isOver: false, outer: current.getStore() };
  return current.run(work, fn, work);
}

/**
 * Whether the caller is part of unfinished work of the owner. Such a caller cannot wait for that work: it would wait
 * for itself.
 */
export function isNestedIn(owner: object) {
  for (let work = current.getStore(); work !== undefined; work = work.outer) {
    if (work.owner === owner && !work.isOver) return true;
  }
  return false;
}

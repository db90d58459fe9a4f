import { AsyncLocalStorage } from 'node:async_hooks';

/** Work that later calls to its owner wait for. */
export interface Work {
  owner: object;
  isOver: boolean;
  /** that it is done within */
  outer: Work | undefined;
}

const current: AsyncLocalStorage<Work> = new AsyncLocalStorage();

/** @param fn whatever it begins is within the work until this `isOver` */
export function runNested<T>(owner: object, fn: (work: Work) => T): T {
  const work = { owner, isOver: false, outer: current.getStore() };
  return current.run(work, fn, work);
}

/**
 * Whether the caller is a part of work of the owner that has not ended: to wait for its end would be to wait for itself.
 */
export function isNestedIn(owner: object) {
  for (let work = current.getStore(); work !== undefined; work = work.outer) {
    if (work.owner === owner && !work.isOver) return true;
  }
  return false;
}

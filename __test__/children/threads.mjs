// The threads of processes on Linux. Loads no vitest.

import { readFileSync, readdirSync } from 'node:fs';

/**
 * What a file of `/proc/<pid>/task/<id>/` says, for each thread of a process. Threads that end meanwhile are left out.
 *
 * @param {number | 'self'} pid
 * @param {'comm' | 'stat' | 'status'} file
 * @returns {{ id: number, text: string }[]} by number; the first thread of a process has the number of the process
 */
export function threadsOf(pid, file) {
  const ids = readdirSync(`/proc/${pid}/task`)
    .map(Number)
    .sort((a, b) => a - b);
  return ids.flatMap((id) => {
    try {
      return [{ id, text: readFileSync(`/proc/${pid}/task/${id}/${file}`, 'utf8') }];
    } catch (error) {
      if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
      return [];
    }
  });
}

/**
 * Where programs of this package have guest code run that nobody has chosen for them: in a process of its own, but for Windows,
 * where there is none.
 */
export function preferredIsolation(): 'thread' | 'process' {
  return process.platform === 'win32' ? 'thread' : 'process';
}

/**
 * The default isolation of the programs in this package. Guest code runs in its own process, except on Windows, where
 * worker processes are not available.
 */
export function preferredIsolation(): 'thread' | 'process' {
  return process.platform === 'win32' ? 'thread' : 'process';
}

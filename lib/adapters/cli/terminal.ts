/** Settles when a stream is no longer writable, for example because its reader has closed it. */
export function lost(stream: NodeJS.WritableStream) {
  return new Promise((resolve) => stream.once('error', resolve));
}

/**
 * Returns stdout and reserves it for the command. Output of tools to stdout, for example with `console.log`, goes to
 * stderr from now on.
 */
export function ownStdout(): NodeJS.WriteStream {
  const { stdout, stderr } = process;
  // The console of Node.js reads this property on first use.
  Object.defineProperty(process, 'stdout', { value: stderr, configurable: true, enumerable: true });
  return stdout;
}

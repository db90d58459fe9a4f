/** Colours and the like, which a terminal may get, or a control character other than a line break or a tab. */
// eslint-disable-next-line no-control-regex -- these are what it is about
const CONTROL = /\x1b\[[\d;]*m|[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Writes what may be of a guest's making. A terminal obeys control sequences: they rename its window, clear what it shows, or fill the
 * clipboard. There they are shown as pictures (␛), all but those of colours; a file or a pipe gets the text as it is.
 */
export function write(stream: NodeJS.WritableStream & { isTTY?: boolean }, text: string) {
  stream.write(stream.isTTY === true ? visible(text) : text);
}

/** A text with control characters as pictures. */
export function visible(text: string) {
  return text.replace(CONTROL, (found) => (found.length > 1 ? found : picture(found.charCodeAt(0))));
}

/** @param code of a control character; those above DEL have no picture */
function picture(code: number) {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** Settles when a stream cannot be written any more: when nobody reads it, for example. */
export function lost(stream: NodeJS.WritableStream) {
  return new Promise((resolve) => stream.once('error', resolve));
}

/**
 * Stdout, which is for the command only from now on: what tools print there, with `console.log` for example, goes to stderr.
 */
export function ownStdout(): NodeJS.WriteStream {
  const { stdout, stderr } = process;
  // The console of Node.js looks here when it is first used.
  Object.defineProperty(process, 'stdout', { value: stderr, configurable: true, enumerable: true });
  return stdout;
}

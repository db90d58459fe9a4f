/** Matches color sequences, which a terminal may receive, and control characters other than line breaks and tabs. */
// eslint-disable-next-line no-control-regex -- these are what it is about
const CONTROL = /\x1b\[[\d;]*m|[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Writes a string that may contain guest output. Terminals obey control sequences, which can rename the window, clear
 * the screen or fill the clipboard. So on a terminal, control characters are shown as pictures (␛), except those of
 * colors. A file or a pipe receives the string unchanged.
 */
export function write(stream: NodeJS.WritableStream & { isTTY?: boolean }, text: string) {
  stream.write(stream.isTTY === true ? visible(text) : text);
}

/** Replaces control characters in a string with pictures. */
export function visible(text: string) {
  return text.replace(CONTROL, (found) => (found.length > 1 ? found : picture(found.charCodeAt(0))));
}

/** @param code code of a control character; those above DEL have no picture */
function picture(code: number) {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

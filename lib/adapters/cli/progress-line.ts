import { visible, write } from '../../contract/terminal';

/** The progress of a program on stderr: one line that changes on a terminal, and otherwise a line for each report. */
export class ProgressLine {
  #stream;
  #isShown = false;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  /** @param fraction from 0 to 1 */
  report = (message: string, fraction: number | undefined) => {
    const text = progressText(message, fraction);
    if (this.#stream.isTTY !== true) return void this.#stream.write(`${text}\n`);
    this.clear();
    // A longer line would wrap, and could not be cleared.
    this.#stream.write(visible(text).slice(0, Math.max(1, (this.#stream.columns ?? 80) - 1)));
    this.#isShown = true;
  };

  /** Writes a line of the log. */
  log(text: string) {
    this.clear();
    write(this.#stream, text);
  }

  /** Makes room for something else. */
  clear() {
    if (this.#isShown) this.#stream.write('\r\x1b[K');
    this.#isShown = false;
  }
}

/** @param fraction from 0 to 1 */
export function progressText(message: string, fraction: number | undefined): string {
  const percent = fraction === undefined ? '' : ` (${Math.round(fraction * 100)} %)`;
  return `${message.replace(/\s+/g, ' ')}${percent}`;
}

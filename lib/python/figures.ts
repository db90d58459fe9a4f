import type { CodeOutput } from '../contract/executor-types';

/** A figure of matplotlib that a run has left open or shown. */
export interface Figure {
  /** `figure-1.png` and so on. */
  name: string;
  mimeType: 'image/png';
  /** In pixels. */
  width: number;
  height: number;
  /** Length of `data`. */
  bytes: number;
  data: Uint8Array;
}

/** The result of a run. */
export interface PythonOutput extends CodeOutput {
  /** Figures of matplotlib. Absent if there are none. */
  artifacts?: Figure[];
}

/** The tool to which the prelude gives pictures; guest code cannot name it (`prelude/87_figures.py`). */
export const PICTURE_TOOL = '__smolagents_picture__';
/** Maximum number and total bytes of pictures of one run. */
const MAX_FIGURES = 100;
const MAX_BYTES = 64 << 20;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const HEADER_BYTES = 24;

/** The pictures of the run under way. */
export class Figures {
  #made: Figure[] = [];
  #bytes = 0;
  #calls = 0;

  /** Takes the pictures that were made since the last call, and the number of calls that brought them. */
  take(): { figures: Figure[]; calls: number } {
    const taken = { figures: this.#made, calls: this.#calls };
    this.#made = [];
    this.#bytes = this.#calls = 0;
    return taken;
  }

  /** Keeps a picture. Guest code may have made the value. */
  add = (data: unknown): void => {
    this.#calls++;
    if (!(data instanceof Uint8Array) || data.length < HEADER_BYTES || PNG.some((byte, at) => data[at] !== byte)) {
      throw new TypeError('a figure is a PNG picture');
    }
    if (this.#made.length >= MAX_FIGURES || this.#bytes + data.length > MAX_BYTES) {
      throw new RangeError(`the figures of a run are at most ${MAX_FIGURES}, and ${MAX_BYTES} bytes`);
    }
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const [width, height] = [view.getUint32(16), view.getUint32(20)];
    const name = `figure-${this.#made.length + 1}.png`;
    this.#bytes += data.length;
    this.#made.push({ name, mimeType: 'image/png', width, height, bytes: data.length, data });
  };
}

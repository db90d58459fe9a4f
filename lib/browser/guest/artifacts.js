// @ts-check
'use strict';

/**
 * `getCanvas` and `saveArtifact`.
 *
 * @param {import('./language').Language} language
 * @param {import('./page').Page} page
 */
function makeArtifacts(language, page) {
  const { Promise, RangeError, TypeError, apply, attempt, bufferLength, empty, getter, hide, indexOf, isInteger } =
    language;
  const { getPrototypeOf, min, setter, slice, stringify, unbound } = language;
  const G = /** @type {any} */ (globalThis);
  const { ArrayBuffer, Blob, Document, EventTarget, FileReader, HTMLCanvasElement, OffscreenCanvas, document } = G;
  const { isView } = ArrayBuffer;
  const createElement = unbound(Document.prototype.createElement);
  const setWidth = setter(HTMLCanvasElement.prototype, 'width');
  const setHeight = setter(HTMLCanvasElement.prototype, 'height');
  const getWidth = getter(HTMLCanvasElement.prototype, 'width');
  const getHeight = getter(HTMLCanvasElement.prototype, 'height');
  const toDataURL = unbound(HTMLCanvasElement.prototype.toDataURL);
  const offscreenWidth = getter(OffscreenCanvas.prototype, 'width');
  const offscreenHeight = getter(OffscreenCanvas.prototype, 'height');
  const convertToBlob = unbound(OffscreenCanvas.prototype.convertToBlob);
  const blobType = getter(Blob.prototype, 'type');
  const blobSize = getter(Blob.prototype, 'size');
  const readAsDataURL = unbound(FileReader.prototype.readAsDataURL);
  const readerResult = getter(FileReader.prototype, 'result');
  const listen = unbound(EventTarget.prototype.addEventListener);
  const getBody = getter(Document.prototype, 'body');
  const getRoot = getter(Document.prototype, 'documentElement');
  const append = unbound(G.Node.prototype.appendChild);
  const setAttribute = unbound(G.Element.prototype.setAttribute);
  const requestFrame = G.requestAnimationFrame.bind(G);
  const cancelFrame = G.cancelAnimationFrame.bind(G);
  const later = G.setTimeout.bind(G);
  const now = unbound(getPrototypeOf(G.performance).now);
  const drawImage = unbound(G.CanvasRenderingContext2D.prototype.drawImage);
  const clearRect = unbound(G.CanvasRenderingContext2D.prototype.clearRect);

  /**
   * How long the end of a run waits for animations, and for how long and how many frames a picture must stay unchanged.
   */
  const MAX_ANIMATION_MS = 5_000;
  const UNCHANGED_MS = 300;
  const UNCHANGED_FRAMES = 6;
  /** Time after which a frame is no longer waited for. */
  const FRAME_MS = 100;
  /** The largest width and height of the copies that are compared. */
  const SAMPLE_PIXELS = 256;
  const MAX_PIXELS = 64 * 1024 * 1024;
  /** The same number as in run.ts of the host. */
  const MAX_ARTIFACTS = 1_000;
  /** The canvas of the run. @type {any} */
  let canvas;
  let bytesSent = 0;
  let sent = 0;
  /** How many artifacts of the run are still being read. Each run has a new object. */
  let underWay = { count: 0 };
  const clock = G.performance;
  let startedAt = 0;

  const tooMuch = () =>
    new RangeError(
      `the artifacts of the run would take more than maxArtifactBytes (${page.limits().maxArtifactBytes})`,
    );
  const send = (/** @type {string} */ name, /** @type {string} */ url, /** @type {any} */ extra) => {
    const comma = indexOf(url, ',');
    const bytes = slice(url, comma + 1);
    bytesSent += bytes.length * 0.75;
    if (bytesSent > page.limits().maxArtifactBytes) throw tooMuch();
    if (++sent > MAX_ARTIFACTS) throw new RangeError(`a run keeps ${MAX_ARTIFACTS} artifacts at most`);
    const mimeType = slice(url, 5, indexOf(url, ';') === -1 ? comma : indexOf(url, ';'));
    page.say('A', stringify({ __proto__: null, name, mimeType, ...extra }), bytes);
  };
  /** The size of a picture. Throws if a picture of this size cannot be made. */
  const checkedSize = (/** @type {number} */ width, /** @type {number} */ height, prefix = '') => {
    if (width * height > MAX_PIXELS) {
      throw new RangeError(`${prefix}${width} x ${height} is more than 64 megapixels (${MAX_PIXELS})`);
    }
    return { width, height };
  };
  const sendPicture = (/** @type {string} */ name, /** @type {any} */ shown) => {
    const size = checkedSize(getWidth(shown), getHeight(shown));
    const url = toDataURL(shown, 'image/png');
    if (url === 'data:,') throw new RangeError(`the browser cannot make a picture of ${size.width} x ${size.height}`);
    send(name, url, size);
  };

  /** Makes WebGL contexts keep what they have drawn. Without this, the browser discards it between two frames. */
  const keepDrawing = (/** @type {any} */ prototype) => {
    const getContext = unbound(prototype.getContext);
    hide(
      prototype,
      'getContext',
      /** @this {any} */ function (/** @type {string} */ kind, /** @type {any} */ options) {
        const isGl = kind === 'webgl' || kind === 'webgl2' || kind === 'experimental-webgl';
        if (!isGl) return options === undefined ? getContext(this, kind) : getContext(this, kind, options);
        return getContext(this, kind, { ...options, preserveDrawingBuffer: true });
      },
    );
  };
  const contextOf = unbound(HTMLCanvasElement.prototype.getContext);
  keepDrawing(HTMLCanvasElement.prototype);
  keepDrawing(OffscreenCanvas.prototype);

  page.endow('getCanvas', function getCanvas(/** @type {any} */ width = 800, /** @type {any} */ height = 600) {
    if (canvas !== undefined) return canvas;
    if (!isInteger(width) || !isInteger(height) || width < 1 || height < 1) {
      throw new RangeError(`getCanvas: width and height must be positive integers`);
    }
    checkedSize(width, height, 'getCanvas: ');
    canvas = createElement(document, 'canvas');
    setWidth(canvas, width);
    setHeight(canvas, height);
    // Libraries measure the parent element of the canvas.
    const box = createElement(document, 'div');
    setAttribute(box, 'style', `position: relative; width: ${width}px; height: ${height}px`);
    append(box, canvas);
    attempt(() => append(getBody(document) ?? getRoot(document), box), undefined);
    return canvas;
  });

  /** Frames that code has requested and that have not been drawn yet, by id. */
  let frames = empty();
  let frameCount = 0;
  const forget = (/** @type {number} */ id) => {
    if (frames[id] !== true) return;
    delete frames[id];
    frameCount--;
  };
  hide(G, 'requestAnimationFrame', function requestAnimationFrame(/** @type {any} */ callback) {
    if (typeof callback !== 'function') return requestFrame(callback);
    const id = requestFrame((/** @type {number} */ time) => {
      forget(id);
      apply(callback, undefined, [time]);
    });
    frames[id] = true;
    frameCount++;
    return id;
  });
  hide(G, 'cancelAnimationFrame', function cancelAnimationFrame(/** @type {any} */ id) {
    if (typeof id === 'number') forget(id);
    cancelFrame(id);
  });

  /**
   * A copy of a canvas as a string.
   *
   * @param {any} of
   * @param {number} most pixels of each side
   * @param {boolean} [isBlank] the same as if nothing was drawn
   * @returns {string}
   */
  const copyOf = (of, most, isBlank = false) => {
    const copy = createElement(document, 'canvas');
    const [width, height] = [min(getWidth(of), most), min(getHeight(of), most)];
    setWidth(copy, width);
    setHeight(copy, height);
    const context = contextOf(copy, '2d');
    clearRect(context, 0, 0, width, height);
    if (!isBlank) drawImage(context, of, 0, 0, width, height);
    return toDataURL(copy, 'image/png');
  };
  /** A small copy of the run's canvas. Undefined if it cannot be read. */
  const sample = () => copyOf(canvas, SAMPLE_PIXELS);
  /** @param {any} of @param {number} most */
  const isBlankIn = (of, most) => copyOf(of, most) === copyOf(of, most, true);
  /** A small copy may lack what is thin, so it only decides that something was drawn. @param {any} of */
  const isBlank = (of) => isBlankIn(of, SAMPLE_PIXELS) && isBlankIn(of, Infinity);
  /** Resolves to whether a frame was drawn in time. */
  const nextFrame = () =>
    page.pinned(
      new Promise((/** @type {any} */ resolve) => {
        requestFrame(() => resolve(true));
        later(() => resolve(false), FRAME_MS);
      }),
    );

  /** Marks content without a type: the host derives the type from the name. */
  const guess = (/** @type {string} */ mimeType) => ({ mimeType, isGuess: true });
  const sendContent = (/** @type {string} */ name, /** @type {any} */ content) => {
    if (typeof content === 'string') return sendBlob(name, new Blob([content]), guess('text/plain'));
    const isBytes = isView(content) || attempt(bufferLength, content) !== undefined;
    if (isBytes) return sendBlob(name, new Blob([content]), guess('application/octet-stream'));
    if (attempt(blobSize, content) !== undefined) {
      return sendBlob(name, content, blobType(content) === '' ? guess('application/octet-stream') : {});
    }
    throw new TypeError('saveArtifact: the content must be a string, bytes, a Blob or a canvas');
  };
  const sendBlob = async (/** @type {string} */ name, /** @type {any} */ blob, /** @type {any} */ extra) => {
    if (blobSize(blob) + bytesSent > page.limits().maxArtifactBytes) throw tooMuch();
    const mine = page.run();
    const reader = new FileReader();
    await page.pinned(
      new Promise((/** @type {any} */ resolve, /** @type {any} */ reject) => {
        listen(reader, 'load', resolve);
        listen(reader, 'error', reject);
        readAsDataURL(reader, blob);
      }),
    );
    page.checkRun(mine);
    send(name, readerResult(reader), extra);
  };
  const sendOffscreen = async (/** @type {string} */ name, /** @type {any} */ drawn) => {
    const size = checkedSize(offscreenWidth(drawn), offscreenHeight(drawn));
    const mine = page.run();
    const blob = await page.pinned(convertToBlob(drawn));
    page.checkRun(mine);
    await page.pinned(sendBlob(name, blob, size));
  };

  page.endow('saveArtifact', async function saveArtifact(/** @type {any} */ name, /** @type {any} */ content) {
    if (typeof name !== 'string' || name === '')
      throw new TypeError('saveArtifact: the name must be a non-empty string');
    if (attempt(getWidth, content) !== undefined) {
      sendPicture(name, content);
      return name;
    }
    const mine = underWay;
    mine.count++;
    try {
      const isOffscreen = attempt(offscreenWidth, content) !== undefined;
      await page.pinned(isOffscreen ? sendOffscreen(name, content) : sendContent(name, content));
      return name;
    } finally {
      mine.count--;
    }
  });

  return {
    begin() {
      canvas = undefined;
      bytesSent = 0;
      sent = 0;
      underWay = { count: 0 };
      frames = empty();
      frameCount = 0;
      startedAt = now(clock);
    },
    /** Whether code has requested frames in which it may draw on the canvas. */
    isAnimated: () => canvas !== undefined && frameCount > 0,
    /** Waits until the picture of the canvas no longer changes, for as long as the deadline allows. */
    async untilDrawn() {
      const mine = page.run();
      const left = page.limits().timeoutMs - (now(clock) - startedAt);
      const end = now(clock) + min(MAX_ANIMATION_MS, left / 2);
      let last;
      let changedAt = now(clock);
      let unchanged = 0;
      while (page.run() === mine && canvas !== undefined && frameCount > 0) {
        const time = now(clock);
        const next = attempt(sample, undefined);
        if (next !== last) {
          changedAt = time;
          unchanged = 0;
        }
        last = next;
        const isStill = time - changedAt >= UNCHANGED_MS && unchanged >= UNCHANGED_FRAMES;
        if (next !== undefined && isStill) return;
        if (time >= end) {
          page.warn(
            'the canvas was still changing at the end of the run, and its picture is of that moment; turn animations off (such as `animation: false`), or await their end',
          );
          return;
        }
        if (await nextFrame()) unchanged++;
      }
    },
    /** Whether artifacts are still being read. */
    areUnderWay: () => underWay.count > 0,
    /** Sends the host the picture of the run's canvas, if it has one. */
    sendCanvas() {
      if (canvas === undefined) return;
      const shown = canvas;
      canvas = undefined;
      try {
        sendPicture('', shown);
        if (isBlank(shown)) {
          page.warn(
            'nothing was drawn on the canvas before the run ended; await what draws on it, such as a timer or a load',
          );
        }
      } catch (error) {
        const { message } = /** @type {any} */ (error);
        const isEmpty = attempt(getWidth, shown) === 0 || attempt(getHeight, shown) === 0;
        page.warn(
          `the canvas could not be kept: ${message}${isEmpty ? '; leave it in the document, or give it a size' : ''}`,
        );
      }
    },
  };
}

module.exports = { makeArtifacts };

// @ts-check
'use strict';

/**
 * `getCanvas` and `saveArtifact`.
 *
 * @param {import('./language').Language} language
 * @param {import('./page').Page} page
 */
function makeArtifacts(language, page) {
  const { Promise, RangeError, TypeError, attempt, bufferLength, getter, hide, indexOf, isInteger, setter, slice } =
    language;
  const { stringify, unbound } = language;
  const { ArrayBuffer, Blob, Document, EventTarget, FileReader, HTMLCanvasElement, OffscreenCanvas, document } =
    /** @type {any} */ (globalThis);
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

  const MAX_PIXELS = 64 * 1024 * 1024;
  /** As in run.js of the host. */
  const MAX_ARTIFACTS = 1_000;
  /** The one of the run. @type {any} */
  let canvas;
  let bytesSent = 0;
  let sent = 0;
  /** How many of the run are still read: another object for each run. */
  let underWay = { count: 0 };

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
  /** Size of what will be a picture; throws for one that cannot be made. */
  const checkedSize = (/** @type {number} */ width, /** @type {number} */ height, prefix = '') => {
    if (width * height > MAX_PIXELS) {
      throw new RangeError(`${prefix}${width} x ${height} are more than 64 megapixels (${MAX_PIXELS})`);
    }
    return { width, height };
  };
  const sendPicture = (/** @type {string} */ name, /** @type {any} */ shown) => {
    const size = checkedSize(getWidth(shown), getHeight(shown));
    const url = toDataURL(shown, 'image/png');
    if (url === 'data:,') throw new RangeError(`the browser makes no picture of ${size.width} x ${size.height}`);
    send(name, url, size);
  };

  /** Between two frames the browser throws away what WebGL has drawn, unless it is told to keep it. */
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
  keepDrawing(HTMLCanvasElement.prototype);
  keepDrawing(OffscreenCanvas.prototype);

  page.endow('getCanvas', function getCanvas(/** @type {any} */ width = 800, /** @type {any} */ height = 600) {
    if (canvas !== undefined) return canvas;
    if (!isInteger(width) || !isInteger(height) || width < 1 || height < 1) {
      throw new RangeError(`getCanvas: width and height must be integers from 1 on`);
    }
    checkedSize(width, height, 'getCanvas: ');
    canvas = createElement(document, 'canvas');
    setWidth(canvas, width);
    setHeight(canvas, height);
    return canvas;
  });

  /** For content that does not carry its type: the host derives it from the name. */
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
    if (typeof name !== 'string' || name === '') throw new TypeError('saveArtifact: the name must be a non-empty text');
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
    },
    /** Whether some are still read. */
    areUnderWay: () => underWay.count > 0,
    /** Gives the host the picture of the run's canvas, if it has one. */
    sendCanvas() {
      if (canvas === undefined) return;
      const shown = canvas;
      canvas = undefined;
      try {
        sendPicture('', shown);
      } catch (error) {
        page.warn(`the canvas could not be kept: ${/** @type {any} */ (error).message}`);
      }
    },
  };
}

module.exports = { makeArtifacts };

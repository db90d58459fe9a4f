import { randomBytes } from 'node:crypto';

import { setTimeout } from '../contract/clock';
import { ProtocolError } from './connection';
import { startResponsiveTimer } from './responsive-timer';
import { libraryError, scriptOf } from './libraries';
import { documentSource, pageSource, programSource } from './guest';
import { Requests } from './network';
import type { Foreign } from '../contract/foreign';
import type { Watched } from './memory';
import type { Browser } from './browser';
import type { Library } from './libraries';

/** A host name that is reserved and has no address (RFC 6761), so that no server can use it. */
const ORIGIN = 'https://sandbox.invalid';
const URL = `${ORIGIN}/`;
const BINDING = '__smol_tell';
/** Limit for the page's databases and caches, which the browser process holds. 16 MiB. */
const QUOTA_BYTES = 16 << 20;
/** Name of programs in stacks. The number is the number of the run. */
export const SCRIPT = 'agent';

const RUN = 'function(order,source){return this("run",order,source)}';
const END = 'function(text){this("end",text)}';
const DRAW =
  "{const g=document.createElement('canvas').getContext('webgl');g.readPixels(0,0,1,1,g.RGBA,g.UNSIGNED_BYTE,new Uint8Array(4))}";
/** Time limit for code to stop after it was told to. */
const STOP_MS = 5_000;
/** Time limit for code to end by itself after one of its calls was refused. */
const END_WAIT_MS = 200;

export interface TabEvents {
  /** handles a message from the page */
  onTold: (payload: string) => void;
  /** handles a message from the page, which waits for the answer */
  onAsked: (payload: string) => void;
  /** handles a request. undefined: a request that was refused, or another event of the same cost */
  onRequest: (request: Foreign) => void;
  /** called when the document or its process no longer exists */
  onGone: (reason: Loss) => void;
}

/** full: it held too much memory while no run used it */
export type Loss = 'navigated' | 'closed' | 'crashed' | 'full';

/** A page with its own browser context. At first no guest code has run in it. */
export class Tab {
  #browser;
  #connection;
  #context: string | undefined;
  #target: string | undefined;
  #session: string = '';
  /** Marks the dialogs that are calls. Guests never see it. */
  #key = randomBytes(16).toString('hex');
  #kit = '';
  /** Called when the document begins. */
  #onBegun: (value?: unknown) => void = () => {};
  /** Called when the document is complete, including its body. */
  #onParsed: (value?: unknown) => void = () => {};
  /** Called when the page is lost. */
  #onLost: (error: Error) => void = () => {};
  /** Whether the document has begun, so that the page has a process. */
  hasBegun = false;
  #isReady = false;
  /** Why the document or its process was lost. */
  #loss: Loss | undefined;
  /** Watches the page's memory while no run uses it. */
  #resting: Watched | undefined;
  /** Whether code may have begun in it. */
  hasRun = false;
  #isClosed = false;
  #events: TabEvents | undefined;
  /** Whether a call waits for its answer. The page executes no other code in the meantime. */
  #isAsked = false;
  /** Number of messages from the page. */
  #told = 0;
  /** A synchronous call that waits for all earlier messages of the page. */
  #early: { told: number; payload: string } | undefined;
  /** Id of its process, if known. */
  pid: number | undefined;
  /** The requests that the host makes for the page. */
  requests = new Requests(this);

  constructor(browser: Browser) {
    this.#browser = browser;
    this.#connection = browser.connection;
  }

  get memory() {
    return this.#browser.memory;
  }

  /** Whether the document or its process is lost. */
  get isLost() {
    return this.#loss !== undefined;
  }

  /**
   * Creates the page.
   * @param origins that it may send requests to
   * @returns rejects with ProtocolError if it is lost in the meantime
   */
  open(origins: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onLost = reject;
      this.#make(origins).then(resolve, reject);
    });
  }

  async #make(origins: string[]) {
    const browserContextId = await this.#browser.takeContext();
    this.#context = browserContextId;
    this.#browser.expectRenderer(this);
    // The page is attached before it has a document, and waits for the host. One navigation is enough, and no event of
    // it is missed. If the browser does not wait, two navigations are needed.
    const isBlank = this.#browser.navigatesAtOnce;
    const attached = new Promise((resolve: (value?: unknown) => void) => {
      this.#browser.onAttached(browserContextId, ({ sessionId, targetId }) => {
        this.#target = targetId;
        this.#session = sessionId;
        this.#browser.tabs.set(targetId, this);
        resolve();
      });
    });
    await Promise.all([
      attached,
      this.#connection.send('Target.createTarget', { url: isBlank ? 'about:blank' : URL, browserContextId }),
    ]);
    // All waiting callers have been informed.
    if (this.isLost) return;
    const begun = new Promise((resolve) => (this.#onBegun = resolve));
    const parsed = new Promise((resolve) => (this.#onParsed = resolve));
    this.#connection.listen(this.#session, (method, params) => this.#onEvent(method, params, origins));
    await Promise.all([
      this.#send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      this.#send('Page.enable', {}),
      this.#send('Page.addScriptToEvaluateOnNewDocument', { source: documentSource }),
      this.#send('Storage.overrideQuotaForOrigin', { origin: ORIGIN, quotaSize: QUOTA_BYTES }),
      this.#send('Runtime.runIfWaitingForDebugger', {}),
      isBlank || begun,
    ]);
    if (isBlank) {
      await Promise.all([this.#send('Page.navigate', { url: URL }), begun]);
      // This makes the document the first one in the history, as in the other case.
      this.post('Page.resetNavigationHistory', {});
    }
    const expression = pageSource({ binding: BINDING, key: this.#key, isQuick: !isBlank });
    // A binding is created only while the agent is on, but continues to work after the agent is turned off. The agent
    // is then turned off for two reasons: frames receive no binding, and their console output cannot flood the host.
    // The page is prepared while the agent is off. While it is on, the first error that is created causes V8 to parse
    // the whole source again.
    const [, , , { result }] = await Promise.all([
      this.#send('Runtime.enable', {}),
      this.#send('Runtime.addBinding', { name: BINDING }),
      this.#send('Runtime.disable', {}),
      this.#send('Runtime.evaluate', { expression }),
      parsed,
      this.#browser.mapRenderers(),
    ]);
    if (result.type !== 'function') throw new Error(`the page could not be prepared: ${result.description}`);
    this.#kit = result.objectId;
    this.#isReady = true;
  }

  /**
   * Runs scripts of the host, before any code. They do not become programs: their text may be large and deeply nested.
   *
   * @returns rejects with a `LibraryError`
   */
  async load(libraries: Library[]) {
    for (const library of libraries) {
      const params = { expression: scriptOf(library), silent: true };
      const { exceptionDetails } = await this.#send('Runtime.evaluate', params);
      if (exceptionDetails === undefined) continue;
      const { exception, text } = exceptionDetails;
      throw libraryError(library, String(exception?.description ?? text).split('\n')[0]);
    }
  }

  /** @param events of the run that uses the tab */
  serve(events: TabEvents) {
    this.#unwatch();
    this.#events = events;
    // It was lost after it was taken, or after the session's last run. No event would report that.
    if (this.#loss !== undefined) events.onGone(this.#loss);
  }

  /** No run uses the page until the next run of its session, but its timers continue. */
  rest(limitMb: number) {
    if (this.#isClosed || this.isLost) return;
    this.#resting = { tab: this, limitMb, isIdle: true, onExceeded: () => this.lost('full') };
    this.memory.add(this.#resting);
  }

  #unwatch() {
    if (this.#resting !== undefined) this.memory.remove(this.#resting);
    this.#resting = undefined;
  }

  /**
   * Starts a program.
   * @param code a function without parameters
   * @param order data that the page receives, as JSON
   * @returns the error that prevents compilation
   */
  async run(
    run: number,
    code: string,
    order: string,
  ): Promise<{ text: string; line: number; column: number } | undefined> {
    // A page that answers this command also reaches the next one, so its code may have begun.
    this.#send('Runtime.getHeapUsage', {}).then(
      () => (this.hasRun = true),
      () => {},
    );
    const { exceptionDetails } = await this.#call(RUN, order, programSource(code, `${SCRIPT}:${run}`));
    if (exceptionDetails === undefined) return undefined;
    const { exception, lineNumber, columnNumber, text } = exceptionDetails;
    const message = String(exception?.description ?? text).split('\n')[0];
    return { text: message, line: lineNumber, column: columnNumber + 1 };
  }

  /** @param items call, kind and serialized value of each answer */
  answer(items: unknown[]) {
    // The items are part of the function's source: Chrome would compile an argument as another program. Nothing waits
    // for the individual commands to end.
    const functionDeclaration = `function(){return this("answer",${JSON.stringify(items)})}`;
    this.post('Runtime.callFunctionOn', { objectId: this.#kit, functionDeclaration, silent: true, awaitPromise: true });
  }

  /**
   * Reads what exists at a place of the page, for hints.
   * @returns undefined if the page does not answer
   */
  async lookUp(place: {
    path: string[];
    member: string;
  }): Promise<{ kind: string; names: string[]; builtIns: string[] } | undefined> {
    const { result } = await this.#call('function(text){return this("look up",text)}', JSON.stringify(place));
    if (result?.type !== 'string') return undefined;
    const [kind, names, builtIns] = JSON.parse(result.value);
    return { kind, names, builtIns };
  }

  /**
   * Stops the code of a run that is over but still executing. Returns whether that succeeded. If not, the page cannot
   * be used again.
   */
  async interrupt(): Promise<boolean> {
    this.#events = undefined;
    let stopWaiting: (() => void) | undefined;
    const late = new Promise<boolean>((resolve) => (stopWaiting = startResponsiveTimer(STOP_MS, () => resolve(false))));
    try {
      return await Promise.race([late, this.#stop()]);
    } catch {
      return false;
    } finally {
      stopWaiting?.();
    }
  }

  async #stop() {
    const ended = this.#call(END, '');
    // Code that has already ended cannot be stopped, and the command would stop the next code instead.
    const isBusy = await Promise.race([
      ended.then(() => false),
      new Promise((done) => setTimeout(done, END_WAIT_MS, true)),
    ]);
    if (isBusy) {
      await Promise.all([this.#send('Runtime.terminateExecution', {}), ended]);
      await this.#call(END, '');
    }
    return !this.isLost;
  }

  /** Refuses the synchronous call that is waiting, if there is one. */
  refuseCall() {
    if (this.#isAsked) this.#endDialog({ accept: false });
  }

  /** The run is over. Later messages are dropped. */
  end() {
    this.#events = undefined;
    this.#call(END, '').catch(() => {});
  }

  /** Answers the synchronous call that is waiting. */
  respond(text: string) {
    if (this.#isAsked) this.#endDialog({ accept: true, promptText: text });
  }

  #endDialog(answer: { accept: boolean; promptText?: string }) {
    this.#isAsked = false;
    this.#early = undefined;
    this.post('Page.handleJavaScriptDialog', answer);
  }

  /**
   * @param headers names and values, of which each character is a byte
   * @returns settles when the browser has received it; rejects if the browser refuses it
   */
  fulfill(requestId: string, responseCode: number, headers: string[][], body: Buffer): Promise<unknown> {
    // As a string, they would be sent as UTF-8.
    const lines = Buffer.from(headers.map(([name, value]) => `${name}: ${value}`).join('\0'), 'latin1');
    const binaryResponseHeaders = lines.toString('base64');
    const params = { requestId, responseCode, binaryResponseHeaders, body: body.toString('base64') };
    return this.#send('Fetch.fulfillRequest', params);
  }

  /** Settles when the browser has drawn a frame for the page. */
  draw() {
    return this.#send('Runtime.evaluate', { expression: DRAW });
  }

  /** Ends all work of a page that does not end it by itself. */
  abandon() {
    this.close();
    void this.#browser.lookAtGraphics();
  }

  /** Ends all work of the page and frees its resources. */
  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#events = undefined;
    this.#unwatch();
    this.requests.end();
    this.#browser.forgetRenderer(this);
    if (this.#target !== undefined) this.#browser.tabs.delete(this.#target);
    if (this.#session !== '') this.#connection.forget(this.#session);
    if (this.#context === undefined) return;
    const gone = this.#connection.send('Target.disposeBrowserContext', { browserContextId: this.#context });
    this.#browser.expect(gone);
  }

  lost(reason: Loss) {
    this.#loss ??= reason;
    this.#unwatch();
    this.requests.end();
    this.#onLost(new ProtocolError('the process of the page has ended'));
    this.#events?.onGone(reason);
  }

  post(method: string, params: object) {
    this.#connection.post(method, params, this.#session);
  }

  #send(method: string, params: object) {
    return this.#connection.send(method, params, this.#session);
  }

  #call(functionDeclaration: string, ...texts: string[]) {
    const given = texts.map((value) => ({ value }));
    const params = { objectId: this.#kit, functionDeclaration, arguments: given, silent: true };
    return this.#send('Runtime.callFunctionOn', params);
  }

  #onEvent(method: string, params: Foreign, origins: string[]) {
    switch (method) {
      case 'Runtime.bindingCalled':
        this.#told++;
        this.#events?.onTold(params.payload);
        this.#takeEarly();
        break;
      case 'Page.javascriptDialogOpening':
        this.#onDialog(params);
        break;
      case 'Fetch.requestPaused':
        this.#onRequest(params, origins);
        break;
      case 'Page.frameNavigated':
        if (params.frame.url === URL) {
          this.hasBegun = true;
          this.#onBegun();
        }
        if (this.#isReady && params.frame.parentId === undefined) this.lost('navigated');
        break;
      case 'Page.domContentEventFired':
        if (this.hasBegun) this.#onParsed();
        if (this.#isReady) this.#lookForDocument();
        break;
      case 'Inspector.targetCrashed':
        this.lost('crashed');
    }
  }

  /**
   * The document was rewritten, or replaced by the string result of a `javascript:` URL. In the second case the whole
   * page is lost.
   */
  #lookForDocument() {
    this.#send('Runtime.getProperties', { objectId: this.#kit, ownProperties: true }).catch(() =>
      this.lost('navigated'),
    );
  }

  #onRequest(params: Foreign, origins: string[]) {
    const { requestId, request, resourceType, frameId } = params;
    if (!this.#isReady && request.url === URL && resourceType === 'Document') {
      const headers = [
        ['content-type', 'text/html; charset=utf-8'],
        ['content-security-policy', policy(origins)],
      ];
      const body = Buffer.from('<!doctype html><title></title>');
      void this.fulfill(requestId, 200, headers, body).catch(() => {});
      return;
    }
    const isMain = resourceType === 'Document' && frameId === this.#target;
    if (isMain) {
      this.refuse(requestId);
      return this.lost('navigated');
    }
    if (this.#events === undefined || !isAmong(origins, request.url)) {
      this.#events?.onRequest(undefined);
      return this.refuse(requestId);
    }
    this.#events.onRequest(params);
  }

  #onDialog({ message, defaultPrompt = '' }: { message: string; defaultPrompt?: string }) {
    this.#isAsked = true;
    if (this.#events === undefined || !message.startsWith(this.#key)) {
      this.#events?.onRequest(undefined);
      return this.refuseCall();
    }
    this.#early = { told: Number(message.slice(this.#key.length)), payload: defaultPrompt };
    this.#takeEarly();
  }

  /** Dialogs may overtake other messages. A call is handled after all messages that the page sent before it. */
  #takeEarly() {
    if (this.#early === undefined || this.#early.told > this.#told) return;
    const { payload } = this.#early;
    this.#early = undefined;
    if (this.#events === undefined) this.refuseCall();
    else this.#events.onAsked(payload);
  }

  refuse(requestId: string) {
    this.post('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  }
}

/** @param origins also with a wildcard: `https://*.example.com` */
function isAmong(origins: string[], url: string) {
  try {
    const { origin } = new globalThis.URL(url);
    const [scheme, host] = origin.split('//');
    return origins.some((known) => {
      const [start, end] = known.split('//*');
      return known === origin || (end !== undefined && scheme === start && host.endsWith(end));
    });
  } catch {
    return false;
  }
}

/**
 * The content security policy of the document. `sandbox` refuses popups, downloads and navigations of other contexts.
 * Dialogs are allowed for synchronous calls. Forms may be submitted, because `submit` events would not occur otherwise.
 * `form-action` refuses the destination.
 */
function policy(origins: string[]) {
  const local = ['data:', 'blob:', ...origins].join(' ');
  return [
    "default-src 'none'",
    `script-src 'unsafe-inline' 'unsafe-eval' ${local}`,
    'worker-src data: blob:',
    `connect-src ${local}`,
    `style-src 'unsafe-inline' ${local}`,
    `img-src ${local}`,
    `font-src ${local}`,
    `media-src ${local}`,
    'frame-src data: blob:',
    "form-action 'none'",
    "base-uri 'none'",
    "webrtc 'block'",
    'sandbox allow-scripts allow-same-origin allow-modals allow-forms',
  ].join('; ');
}

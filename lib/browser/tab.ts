import { randomBytes } from 'node:crypto';

import { setTimeout } from '../contract/clock';
import { ProtocolError } from './connection';
import { startResponsiveTimer } from './responsive-timer';
import { documentSource, pageSource, programSource } from './guest';
import { Requests } from './network';
import type { Watched } from './memory';
import type { Browser } from './browser';

/** Reserved for what has no address (RFC 6761), so that nobody else can serve it. */
const ORIGIN = 'https://sandbox.invalid';
const URL = `${ORIGIN}/`;
const BINDING = '__smol_tell';
/** What databases and caches of the page may take: they lie in the browser's process. 16 MiB. */
const QUOTA_BYTES = 16 << 20;
/** What programs are called in stacks; the number is that of the run. */
export const SCRIPT = 'agent';

const RUN = 'function(order,source){return this("run",order,source)}';
const END = 'function(text){this("end",text)}';
const DRAW =
  "{const g=document.createElement('canvas').getContext('webgl');g.readPixels(0,0,1,1,g.RGBA,g.UNSIGNED_BYTE,new Uint8Array(4))}";
/** How long code may take to stop when it is told to. */
const STOP_MS = 5_000;
/** How long code that has been refused a call may take to end by itself. */
const PATIENCE_MS = 200;

export interface TabEvents {
  /** what the page says */
  onTold: (payload: string) => void;
  /** what the page says, and waits for the answer */
  onAsked: (payload: string) => void;
  /** a request; undefined: one that was refused, or another thing that costs as much */
  onRequest: (request: any) => void;
  /** the document or its process is no longer there */
  onGone: (reason: Loss) => void;
}

/** full: it has held too much memory while no run had it */
export type Loss = 'navigated' | 'closed' | 'crashed' | 'full';

/** A page with a browser context of its own, in which no guest code has run, and afterwards some has. */
export class Tab {
  #browser;
  #connection;
  #context: string | undefined;
  #target: string | undefined;
  #session: string = '';
  /** Marks the dialogs that are calls. No guest sees it. */
  #key = randomBytes(16).toString('hex');
  #kit = '';
  /** Called when the document begins. */
  #onBegun: (value?: unknown) => void = () => {};
  /** Called when all of the document is there, its body too. */
  #onParsed: (value?: unknown) => void = () => {};
  /** Called when it is lost. */
  #onLost: (error: Error) => void = () => {};
  /** Whether its document is there, so that it has a process. */
  hasBegun = false;
  #isReady = false;
  /** Why its document or its process is gone. */
  #loss: Loss | undefined;
  /** It is watched, while no run has it. */
  #resting: Watched | undefined;
  /** Whether code may have begun in it. */
  hasRun = false;
  #isClosed = false;
  #events: TabEvents | undefined;
  /** Whether a call waits for its answer: the page does nothing else meanwhile. */
  #isAsked = false;
  /** How often the page has told something. */
  #told = 0;
  /** A synchronous call, until all is there that the page has told before it. */
  #early: { told: number; payload: string } | undefined;
  /** Number of its process, if that is known. */
  pid: number | undefined;
  /** Those that it has from the host. */
  requests = new Requests(this);

  constructor(browser: Browser) {
    this.#browser = browser;
    this.#connection = browser.connection;
  }

  get memory() {
    return this.#browser.memory;
  }

  /** Whether its document or its process is gone. */
  get isLost() {
    return this.#loss !== undefined;
  }

  /**
   * Makes the page.
   *
   * @param origins that it may have requests to
   * @returns rejects with ProtocolError if it is lost meanwhile
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
    // It is attached before it has a document, and waits for us: there is one navigation, and nothing of it is missed. Where the
    // browser does not wait with that, there are two.
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
    // Whoever waits knows of it.
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
      // It is the first one there, as otherwise.
      this.post('Page.resetNavigationHistory', {});
    }
    const expression = pageSource({ binding: BINDING, key: this.#key, isQuick: !isBlank });
    // A binding is made as long as the agent is on, and goes on working when it is off: frames get none then, and no console
    // of theirs can flood us. The page is prepared when it is off: as long as it is on, the first error that is made has all of that
    // text parsed once more.
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

  /** @param events of the run that has the tab */
  serve(events: TabEvents) {
    this.#unwatch();
    this.#events = events;
    // It has ended since it was taken, or since the session's last run: nothing of it would be heard.
    if (this.#loss !== undefined) events.onGone(this.#loss);
  }

  /** No run has it until the next one of its session, but its timers go on. */
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
   *
   * @param code a function without parameters
   * @param order what the page gets to know, as JSON
   * @returns what keeps it from being compiled
   */
  async run(
    run: number,
    code: string,
    order: string,
  ): Promise<{ text: string; line: number; column: number } | undefined> {
    // Answered by whoever reaches what follows.
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

  /** @param items call, kind and text of each answer */
  answer(items: unknown[]) {
    // As a part of the function: Chrome takes an argument for one more program, and nobody waits for the end of each command.
    const functionDeclaration = `function(){return this("answer",${JSON.stringify(items)})}`;
    this.post('Runtime.callFunctionOn', { objectId: this.#kit, functionDeclaration, silent: true, awaitPromise: true });
  }

  /**
   * What there is at a place of the page: for hints.
   *
   * @returns undefined if the page does not tell it
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
   * Stops the code of a run that is over, which goes on. Whether that was possible: else the page cannot be used again.
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
    // Code that does not run any more cannot be stopped, and the command would meet what runs next.
    const isBusy = await Promise.race([
      ended.then(() => false),
      new Promise((done) => setTimeout(done, PATIENCE_MS, true)),
    ]);
    if (isBusy) {
      await Promise.all([this.#send('Runtime.terminateExecution', {}), ended]);
      await this.#call(END, '');
    }
    return !this.isLost;
  }

  /** The synchronous call that waits, if one does, gets no answer. */
  refuseCall() {
    if (this.#isAsked) this.#endDialog({ accept: false });
  }

  /** The run is over: nothing of it is heard any more. */
  end() {
    this.#events = undefined;
    this.#call(END, '').catch(() => {});
  }

  /** Answers the synchronous call that waits. */
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
   * @returns settles when the browser has it; rejects if it does not take it
   */
  fulfill(requestId: string, responseCode: number, headers: string[][], body: Buffer): Promise<unknown> {
    // As text they would come as UTF-8.
    const lines = Buffer.from(headers.map(([name, value]) => `${name}: ${value}`).join('\0'), 'latin1');
    const binaryResponseHeaders = lines.toString('base64');
    const params = { requestId, responseCode, binaryResponseHeaders, body: body.toString('base64') };
    return this.#send('Fetch.fulfillRequest', params);
  }

  /** Settles when the browser has drawn something for it. */
  draw() {
    return this.#send('Runtime.evaluate', { expression: DRAW });
  }

  /** Ends whatever it does, which it does not end by itself. */
  abandon() {
    this.close();
    void this.#browser.lookAtGraphics();
  }

  /** Ends whatever it does, and gives back what it has. */
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

  #onEvent(method: string, params: any, origins: string[]) {
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
   * A document is there that was written anew, or that the text of a `javascript:` URL has replaced: then all of the page is gone.
   */
  #lookForDocument() {
    this.#send('Runtime.getProperties', { objectId: this.#kit, ownProperties: true }).catch(() =>
      this.lost('navigated'),
    );
  }

  #onRequest(params: any, origins: string[]) {
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
    if (this.#events === undefined || !origins.includes(originOf(request.url))) {
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

  /** Dialogs may have a way of their own: a call is taken behind what the page has told before it. */
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

function originOf(url: string) {
  try {
    return new globalThis.URL(url).origin;
  } catch {
    return '';
  }
}

/**
 * What the document may do. `sandbox` refuses popups, downloads and navigations of others; dialogs are for synchronous calls. It lets
 * forms be submitted, since there are no `submit` events otherwise; where to is what `form-action` refuses.
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

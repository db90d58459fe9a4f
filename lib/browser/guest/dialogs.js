// @ts-check
'use strict';

/**
 * Makes dialogs return immediately, as in a page that may not open any. Only code that captured `prompt` before can
 * open a dialog: synchronous calls use it to wait for the host. Must be complete in itself, because frames get the
 * source of only this function.
 */
function endDialogs() {
  const { Object, Reflect } = globalThis;
  const answers = { alert: undefined, confirm: false, print: undefined, prompt: null };
  for (const [name, answer] of Object.entries(answers)) {
    // The text of a bound function does not show this source.
    const value = (() => answer).bind(undefined);
    Reflect.defineProperty(value, 'name', { value: name });
    Reflect.defineProperty(globalThis, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

module.exports = { endDialogs };

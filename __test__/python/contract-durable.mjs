// A `DurableSession` of Python as the suite of the contract takes an executor.

import { OpeningSession } from '../contract/opening-session.mjs';
import { pythonOf } from './contract-programs.mjs';
import { IMPORTS, inWordsOfTheSuite, optionsOfPython } from './contract-subject.mjs';

class PythonSession extends OpeningSession {
  /**
   * @param {string} code
   * @param {any} [options]
   */
  async run(code, options) {
    return inWordsOfTheSuite(super.run(pythonOf(code), options));
  }
}

/** @param {any} [options] */
export function makeDurablePython(options) {
  return new PythonSession({ authorized_imports: IMPORTS, ...optionsOfPython(options) }, 'python');
}

// @ts-check
'use strict';

// In a bundle for browsers, in place of what needs the addon or the file system (`browser` in package.json).

const NOT_HERE =
  'a bundle for browsers has no isolates: the addon of this package is not there. Use engine: "host", which runs Python unprotected';

class IsolateEngine {
  constructor() {
    throw new Error(NOT_HERE);
  }
}

/** @returns {Promise<never>} */
async function addPackages() {
  throw new Error(NOT_HERE);
}

/** @returns {never} */
function pyodideFolder() {
  throw new Error(NOT_HERE);
}

module.exports = { IsolateEngine, addPackages, listReleasePackages: addPackages, pyodideFolder };

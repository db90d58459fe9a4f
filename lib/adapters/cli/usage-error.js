// @ts-check
'use strict';

/** The command line was used wrongly: exit status 2. */
class UsageError extends Error {}

module.exports = { UsageError };

#!/usr/bin/env node
'use strict';

const { main } = require('../lib/adapters/cli/main');

main(process.argv.slice(2));

#!/usr/bin/env node
'use strict';

const { main } = require('../build/adapters/cli/main');

main(process.argv.slice(2));

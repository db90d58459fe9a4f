// Programs that are started with `--import` of this file check types with TypeScript 7. The package `typescript` of
// this repository is an older version, which starts slowly.

import checker from '../../build/typecheck/checker.js';

await checker.useTypeScript('typescript-v7');

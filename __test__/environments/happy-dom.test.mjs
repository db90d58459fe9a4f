// @vitest-environment happy-dom

import { describeEnvironment } from './suite.mjs';

describeEnvironment('happy-dom');

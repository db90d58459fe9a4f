// @vitest-environment jsdom

import { describeEnvironment } from './suite.mjs';

describeEnvironment('jsdom');

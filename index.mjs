import commonjs from './index.js';

export const { SESExecutor, ExecutorError, validateCode, prepareProgram, engineStats, blocking, withTimeout } =
  commonjs;

import commonjs from './index.js';

export const {
  SESExecutor,
  ExecutorError,
  validateCode,
  checkTypes,
  prepareProgram,
  engineStats,
  blocking,
  withTimeout,
} = commonjs;

import commonjs from './index.js';

export const {
  SESExecutor,
  ExecutorError,
  validateCode,
  checkTypes,
  prepareProgram,
  npmModules,
  engineStats,
  blocking,
  withTimeout,
} = commonjs;

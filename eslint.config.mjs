import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import globals from 'globals';

const TIMERS = ['clearInterval', 'clearTimeout', 'performance', 'setImmediate', 'setInterval', 'setTimeout'];

export default [
  // Guest code, and what is baked into the snapshot.
  { ignores: ['target/', 'dist/', 'vendor/', 'crates/', 'src/', '__test__/hostile/', 'benchmark/programs/', 'fuzz/'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, globals: { ...globals.node, Float16Array: 'readonly' } },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    rules: {
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' }],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  { files: ['**/*.js', '**/*.cjs'], languageOptions: { sourceType: 'commonjs' } },
  {
    files: ['lib/**'],
    plugins: { regexp },
    rules: {
      // What guests and models write is matched on the host's thread: in time that grows with its length, and no faster.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['lib/**'],
    ignores: [
      'lib/adapters/cli/**',
      'lib/browser/guest/**',
      'lib/contract/clock.js',
      'lib/python/guest.js',
      'lib/python/in-browsers/**',
    ],
    rules: {
      // `lib/contract/clock.js` has those that tests of hosts cannot replace.
      'no-restricted-globals': ['error', ...TIMERS],
    },
  },
  { files: ['lib/sandbox/guest/**'], languageOptions: { globals: { harden: 'readonly' } } },
  // Holes of arrays are values that tests send.
  { files: ['__test__/**'], rules: { 'no-sparse-arrays': 'off' } },
];

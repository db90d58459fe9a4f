import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import globals from 'globals';
import typescript from 'typescript-eslint';

/** A comment that turns a rule off says why: `-- reason`. */
const disableNeedsReason = {
  create: ({ report, sourceCode }) => ({
    Program() {
      for (const comment of sourceCode.getAllComments()) {
        if (!/^\s*eslint-disable/.test(comment.value) || / -- \S/.test(comment.value)) continue;
        report({ loc: comment.loc, message: 'Say why the rule does not hold here: `-- reason`.' });
      }
    },
  }),
};

const local = { rules: { 'disable-needs-reason': disableNeedsReason } };

const TIMERS = ['clearInterval', 'clearTimeout', 'performance', 'setImmediate', 'setInterval', 'setTimeout'];

export default [
  // Guest code, and what is no JavaScript.
  {
    ignores: [
      'target/',
      'build/',
      'dist/',
      '**/*.d.ts',
      '**/*.d.mts',
      '**/*.test-d.ts',
      'vendor/',
      'src/',
      '__test__/hostile/',
      '__test__/prepare/plans/',
      '__test__/typecheck/corpus/correct/',
      '__test__/typecheck/corpus/mistakes/',
      'benchmark/programs/',
      'fuzz/',
    ],
  },
  { ignores: ['crates/*', '!crates/engine', 'crates/engine/*', '!crates/engine/js'] },
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
  // What is baked into the snapshot, with what SES and the build put beside it, and variables that 90_seal.js declares for guests' code.
  {
    files: ['crates/engine/js/**'],
    languageOptions: {
      sourceType: 'script',
      globals: {
        Iterator: 'readonly',
        LATE_BUILT_INS: 'readonly',
        WALK_REALM: 'readonly',
        __smol_budget: 'writable',
        __smol_done: 'writable',
        lockdown: 'readonly',
      },
    },
  },
  {
    files: ['crates/engine/js/90_seal.js'],
    languageOptions: { globals: { __smol_budget: 'off', __smol_done: 'off' } },
    rules: { 'prefer-const': 'off' },
  },
  {
    files: ['lib/**/*.ts'],
    languageOptions: { parser: typescript.parser, sourceType: 'module' },
    plugins: {
      '@typescript-eslint': typescript.plugin,
      local,
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // Values of unknown form are `unknown`, or `Foreign` (lib/contract/foreign.ts).
      '@typescript-eslint/no-explicit-any': 'error',
      'local/disable-needs-reason': 'error',
      // The compiler reports names that do not exist, and knows types.
      'no-undef': 'off',
      'no-redeclare': 'off',
      'no-unused-vars': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    },
  },
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
      'lib/contract/clock.ts',
      'lib/python/guest.js',
      'lib/python/in-browsers/**',
    ],
    rules: {
      // `lib/contract/clock.ts` has those that tests of hosts cannot replace.
      'no-restricted-globals': ['error', ...TIMERS],
    },
  },
  { files: ['lib/sandbox/guest/**'], languageOptions: { globals: { harden: 'readonly' } } },
  {
    files: ['__test__/**'],
    plugins: { local },
    rules: {
      'local/disable-needs-reason': 'error',
      // Holes of arrays are values that tests send.
      'no-sparse-arrays': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression > Identifier.property[name='toEqual']",
          message: 'toEqual ignores keys that are undefined, holes and prototypes: use toStrictEqual.',
        },
      ],
    },
  },
  {
    files: ['lib/**', 'scripts/**', '__test__/**', 'examples/**'],
    // The first lines of attacks are titles of the containment report.
    ignores: ['__test__/hostile/**'],
    rules: {
      'max-len': ['error', { code: 1_000_000, comments: 120, ignorePattern: 'eslint-disable|prettier-ignore' }],
    },
  },
];

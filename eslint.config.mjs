import js from '@eslint/js';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';
import globals from 'globals';

/** The layers of `lib/`, lowest first; a layer may use those before it, the ones in one row not each other. */
const LAYERS = [['contract'], ['ses', 'files'], ['adapters']];

/** What the modules of each folder of `lib/` must not import. */
const ARROWS = LAYERS.flatMap((row, index) =>
  row.map((name) => ({
    target: `./lib/${name}`,
    from: [
      './index.js',
      './index.mjs',
      './bin',
      ...LAYERS.slice(index).flatMap((others) =>
        others.filter((other) => other !== name).map((other) => `./lib/${other}`),
      ),
      ...(name === 'ses' || name === 'files' ? [] : ['./native.cjs']),
    ],
    message: `lib/${name} must not use it: see the code map of ARCHITECTURE.md.`,
  })),
);

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
    plugins: { 'import-x': importX, regexp },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensions: ['.js', '.cjs', '.json'] })] },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones: ARROWS }],
      'import-x/no-unresolved': ['error', { commonjs: true }],
      'import-x/no-cycle': ['error', { commonjs: true }],
      // What guests and models write is matched on the host's thread: in time that grows with its length, and no faster.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  // Holes of arrays are values that tests send.
  { files: ['__test__/**'], rules: { 'no-sparse-arrays': 'off' } },
];

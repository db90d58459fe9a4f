import js from '@eslint/js';
import globals from 'globals';

export default [
  // Guest code, and what is baked into the snapshot.
  { ignores: ['target/', 'dist/', 'vendor/', 'src/', '__test__/hostile/', 'benchmark/programs/', 'fuzz/'] },
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
  // Holes of arrays are values that tests send.
  { files: ['__test__/**'], rules: { 'no-sparse-arrays': 'off' } },
];

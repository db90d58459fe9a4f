/** The layers of `lib/`, lowest first; a layer may use those before it, the ones in one row not each other. */
const LAYERS = [['contract', 'bundled'], ['ses', 'files'], ['browser', 'python', 'sandbox'], ['adapters']];
/** Which of them may load the addon. */
const NATIVE = ['ses', 'files', 'browser'];

/** What the modules of each folder of `lib/` must not import. */
const ARROWS = LAYERS.flatMap((row, index) =>
  row.map((name) => {
    const above = LAYERS.slice(index).flat();
    const folders = above.filter((other) => other !== name).map((other) => `lib/${other}/`);
    const files = ['index\\.m?js$', 'bin/', ...(NATIVE.includes(name) ? [] : ['native\\.cjs$'])];
    return {
      name: `arrow-out-of-${name}`,
      comment: `lib/${name} must not use it: see the code map of ARCHITECTURE.md.`,
      severity: 'error',
      from: { path: `^lib/${name}/` },
      to: { path: `^(${[...folders, ...files].join('|')})` },
    };
  }),
);

export default {
  forbidden: [
    ...ARROWS,
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^native\\.cjs$'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'import', 'node', 'default'] },
    // Types are checked by tsc.
    exclude: { path: '\\.d\\.ts$' },
    moduleSystems: ['cjs', 'es6'],
  },
};

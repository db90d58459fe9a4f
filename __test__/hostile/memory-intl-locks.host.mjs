// attack: threads that are parked while V8 makes what all isolates share: tables of ICU, made at the first use
// outcome: value 'all can be used'
// state: READY
// options: {"timeoutMs":40000,"memoryLimitMb":8,"maxParkedMb":4096}
// peak: 768 ten threads that are parked
const USES = [
  'new Intl.NumberFormat("en").format(1)',
  'new Intl.DateTimeFormat("en").format(0)',
  'new Intl.Collator("en").compare("a", "b")',
  'new Intl.PluralRules("en").select(1)',
  'new Intl.RelativeTimeFormat("en").format(1, "day")',
  'new Intl.ListFormat("en").format(["a", "b"])',
  'new Intl.DisplayNames("en", { type: "region" }).of("US")',
  '[...new Intl.Segmenter("en").segment("a")].length',
  'new Intl.Locale("en").maximize().baseName',
  '"\u00c4".localeCompare("a") + "\u00c4".normalize("NFD") + (1e6).toLocaleString("de")',
];

export const scenario = async ({ SESExecutor, options, outcomeOf }) => {
  for (const use of USES) {
    const flood = new SESExecutor({ ...options, timeoutMs: 1_500 });
    await flood.init();
    // The first use of the process comes when the memory is all but used up, or beyond.
    await outcomeOf(
      flood.run(`
        const all = [Array.from({ length: 150 }, () => new RegExp('a?'.repeat(2e4)))];
        Array(1e5).fill(0).map(() => { const made = ${use}; all.push(made, () => made); return ${use}; });
      `),
    );
    await flood.cleanup();
  }
  const other = new SESExecutor({ ...options, memoryLimitMb: 64 });
  await other.init();
  for (const use of USES) {
    const outcome = await outcomeOf(other.run(`return ${use}`));
    if (!outcome.startsWith('value')) return `${use}: ${outcome}`;
  }
  await other.cleanup();
  return "value 'all can be used'";
};

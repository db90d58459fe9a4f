//! How many cases a test does.

use proptest::prelude::ProptestConfig;

/// As many cases as `PROPTEST_CASES` says, else `default`. A failure prints its smallest input: keep it in the corpus.
pub fn cases(default: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { config.cases } else { default };
    ProptestConfig { cases, max_shrink_iters: 10_000, failure_persistence: None, ..config }
}

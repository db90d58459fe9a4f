//! How many cases a test does.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// As many cases as `PROPTEST_CASES` says, other ones each time; else `default` ones, always the same, so that the gate
/// does not depend on chance. A failure prints its smallest input: keep it in the corpus.
pub fn cases(default: u32) -> ProptestConfig {
    let config = ProptestConfig { max_shrink_iters: 10_000, failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => config,
        None => ProptestConfig { cases: default, rng_seed: RngSeed::Fixed(1), ..config },
    }
}

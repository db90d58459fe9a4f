//! Inputs made of kept ones: spliced, cut, repeated, and with words of a dictionary in them.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use ses_executor_fuzz::corpus;

/// Longer inputs are cut, so that a test does many of them.
const MAX_BYTES: usize = 64 << 10; // 64 KiB

#[derive(Clone, Debug)]
enum Mutation {
    Insert(Index, Vec<u8>),
    Overwrite(Index, u8),
    Delete(Index, Index),
    Repeat(Index, Index, usize),
    Truncate(Index),
    /// What follows the place is that of the other input.
    Splice(Index, Index),
}

/// Checks what is kept for `target`, and mutations of it.
///
/// # Panics
///
/// As `check` does, with the smallest input.
pub fn check_all(target: &str, dictionary: &str, cases: ProptestConfig, check: fn(&[u8])) {
    for (name, bytes) in corpus::inputs(target) {
        println!("{name}");
        check(&bytes);
    }
    let result = TestRunner::new(cases).run(&inputs(target, dictionary), |bytes| {
        check(&bytes);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// Inputs for `target`: pairs of kept ones after some mutations.
fn inputs(target: &str, dictionary: &str) -> impl Strategy<Value = Vec<u8>> {
    let kept: Vec<Vec<u8>> = corpus::inputs(target).into_iter().map(|(_, bytes)| bytes).collect();
    let kept = select(kept);
    (kept.clone(), kept, vec(mutation(corpus::words(dictionary)), 0..10)).prop_map(|(mut bytes, other, mutations)| {
        for mutation in &mutations {
            mutation.apply(&mut bytes, &other);
            bytes.truncate(MAX_BYTES);
        }
        bytes
    })
}

fn mutation(words: Vec<Vec<u8>>) -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    prop_oneof![
        6 => (at(), select(words)).prop_map(|(place, word)| Mutation::Insert(place, word)),
        2 => (at(), any::<u8>()).prop_map(|(place, byte)| Mutation::Overwrite(place, byte)),
        3 => (at(), at()).prop_map(|(from, to)| Mutation::Delete(from, to)),
        2 => (at(), at(), prop_oneof![4 => 1..4usize, 1 => 4..2000usize])
            .prop_map(|(from, to, times)| Mutation::Repeat(from, to, times)),
        1 => at().prop_map(Mutation::Truncate),
        2 => (at(), at()).prop_map(|(place, from)| Mutation::Splice(place, from)),
    ]
}

impl Mutation {
    fn apply(&self, bytes: &mut Vec<u8>, other: &[u8]) {
        // An index of one more than there are bytes is the end.
        let place = |index: &Index| index.index(bytes.len() + 1);
        match self {
            Self::Insert(at, word) => {
                let at = place(at);
                bytes.splice(at..at, word.iter().copied());
            }
            Self::Overwrite(at, byte) => {
                if !bytes.is_empty() {
                    let at = at.index(bytes.len());
                    bytes[at] = *byte;
                }
            }
            Self::Delete(from, to) => {
                let (from, to) = ordered(place(from), place(to));
                // Short ones, mostly: long ones leave little to go on with.
                bytes.drain(from..to.min(from + 16));
            }
            Self::Repeat(from, to, times) => {
                let (from, to) = ordered(place(from), place(to));
                let part = bytes[from..to.min(from + 64)].repeat(*times);
                bytes.splice(to..to, part);
            }
            Self::Truncate(at) => {
                let at = place(at);
                bytes.truncate(at);
            }
            Self::Splice(at, from) => {
                let (at, from) = (place(at), from.index(other.len() + 1));
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
        }
    }
}

fn ordered(left: usize, right: usize) -> (usize, usize) {
    (left.min(right), left.max(right))
}

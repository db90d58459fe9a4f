//! Journals of the corpus and mutations of them: of their bytes, and of their lists of entries. One test per file: heap
//! is measured for the whole process.

mod cases;
mod mutations;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use ses_executor_fuzz::journals::{entries_of, input_of};
use ses_executor_fuzz::{corpus, journals};

#[derive(Clone, Debug)]
enum Mutation {
    Swap(Index, Index),
    Drop(Index),
    Truncate(Index),
    /// An entry of the other journal, or of the same one, at a place.
    Insert(Index, Index, bool),
    /// A byte after the length of an entry.
    Overwrite(Index, Index, u8),
    /// The number of its run.
    Run(Index, u32),
}

#[test]
fn any_journal_is_refused_or_replayed() {
    mutations::check_all("journals", "wire.dict", cases::cases(10_000), journals::check);
    let result = TestRunner::new(cases::cases(20_000)).run(&lists(), |entries| {
        journals::check(&input_of(&entries));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// Entries of pairs of journals after some mutations.
fn lists() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let kept: Vec<_> = corpus::inputs("journals").into_iter().map(|(_, bytes)| entries_of(&bytes)).collect();
    let kept = select(kept);
    (kept.clone(), kept, vec(mutation(), 0..6)).prop_map(|(mut entries, other, mutations)| {
        for mutation in &mutations {
            mutation.apply(&mut entries, &other);
        }
        entries
    })
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    prop_oneof![
        2 => (at(), at()).prop_map(|(one, other)| Mutation::Swap(one, other)),
        2 => at().prop_map(Mutation::Drop),
        1 => at().prop_map(Mutation::Truncate),
        3 => (at(), at(), any::<bool>()).prop_map(|(place, from, is_own)| Mutation::Insert(place, from, is_own)),
        2 => (at(), at(), any::<u8>()).prop_map(|(entry, place, byte)| Mutation::Overwrite(entry, place, byte)),
        1 => (at(), prop_oneof![0..4u32, any::<u32>()]).prop_map(|(entry, run)| Mutation::Run(entry, run)),
    ]
}

impl Mutation {
    /// Bytes of an entry's length, kind and run.
    const HEAD_BYTES: usize = 9;

    fn apply(&self, entries: &mut Vec<Vec<u8>>, other: &[Vec<u8>]) {
        if entries.is_empty() {
            return;
        }
        let count = entries.len();
        match self {
            Self::Swap(one, other) => entries.swap(one.index(count), other.index(count)),
            Self::Drop(at) => drop(entries.remove(at.index(count))),
            Self::Truncate(at) => entries.truncate(at.index(count + 1)),
            Self::Insert(place, from, is_own) => {
                let source = if *is_own { entries.as_slice() } else { other };
                let entry = from.get(source).clone();
                entries.insert(place.index(count + 1), entry);
            }
            Self::Overwrite(entry, place, byte) => {
                let entry = &mut entries[entry.index(count)];
                let length = entry.len().saturating_sub(4).max(1);
                if let Some(at) = entry.get_mut(4 + place.index(length)) {
                    *at = *byte;
                }
            }
            Self::Run(entry, run) => {
                let entry = &mut entries[entry.index(count)];
                if let Some(bytes) = entry.get_mut(5..Self::HEAD_BYTES) {
                    bytes.copy_from_slice(&run.to_le_bytes());
                }
            }
        }
    }
}

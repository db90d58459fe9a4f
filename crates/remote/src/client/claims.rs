//! The claims of a session that looks for a worker, and the answers to them.

use std::time::{Duration, Instant};

use crate::claim::Claimed;

/// The workers that a claim goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    WithRoom,
    WithoutRoom,
}

/// The answer to a claim.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// A worker has taken the session. With the number of the claim.
    Claimed(Claimed, u32),
    /// A worker has no room.
    Full,
    Refused(String),
    /// The broker has reported that no worker has room.
    NoRoom,
    /// The broker has reported that there is no worker.
    NoWorker,
}

/// Numbered claims. An answer may be late, so it counts until the search for a worker is over.
#[derive(Debug, Default)]
pub struct Claims {
    /// The number of the first claim of this search.
    first: u32,
    /// The number of the next claim.
    next: u32,
    /// The last claim to workers without room.
    without_room: Option<u32>,
    answer: Option<Answer>,
    /// When a worker first answered that it has no room.
    full_since: Option<Instant>,
}

impl Claims {
    /// Begins another search. Answers to earlier claims no longer count.
    pub fn restart(&mut self) {
        *self = Self { first: self.next, next: self.next, ..Self::default() };
    }

    /// The number of a new claim.
    pub fn add(&mut self, asked: Asked) -> u32 {
        let number = self.next;
        self.next += 1;
        if asked == Asked::WithoutRoom {
            self.without_room = Some(number);
        }
        number
    }

    /// Whether answers to this claim count.
    pub fn is_current(&self, number: u32) -> bool {
        (self.first..self.next).contains(&number)
    }

    /// Nothing receives this claim.
    pub fn add_unreceived(&mut self, number: u32) {
        self.answer(if self.without_room == Some(number) { Answer::NoWorker } else { Answer::NoRoom });
    }

    /// Takes an answer. One of a worker that has taken the session is kept until [`Self::take`].
    pub fn answer(&mut self, answer: Answer) {
        if answer == Answer::Full {
            self.full_since.get_or_insert_with(Instant::now);
        }
        if !self.is_claimed() {
            self.answer = Some(answer);
        }
    }

    /// Whether the answer of a worker that has taken the session waits for [`Self::take`].
    pub fn is_claimed(&self) -> bool {
        matches!(self.answer, Some(Answer::Claimed(..)))
    }

    pub fn take(&mut self) -> Option<Answer> {
        self.answer.take()
    }

    /// The time since a worker first answered that it has no room.
    pub fn full_for(&self) -> Option<Duration> {
        self.full_since.map(|since| since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(number: u32) -> Answer {
        let name = "a".to_owned();
        Answer::Claimed(Claimed { worker: name.clone(), node: name.clone(), token: name }, number)
    }

    #[test]
    fn late_answers_count_until_the_search_begins_again() {
        let mut claims = Claims::default();
        let numbers = [claims.add(Asked::WithRoom), claims.add(Asked::WithRoom)];
        assert!(numbers.iter().all(|&number| claims.is_current(number)));
        assert!(!claims.is_current(2));
        claims.answer(Answer::Full);
        assert!(claims.full_for().is_some());
        claims.restart();
        let next = claims.add(Asked::WithRoom);
        assert!(claims.is_current(next) && !numbers.contains(&next));
        assert!(!numbers.iter().any(|&number| claims.is_current(number)));
        assert_eq!((claims.take(), claims.full_for()), (None, None));
    }

    #[test]
    fn a_claim_that_nothing_receives_says_whether_there_are_workers_without_room() {
        let mut claims = Claims::default();
        let (open, full) = (claims.add(Asked::WithRoom), claims.add(Asked::WithoutRoom));
        claims.add_unreceived(open);
        assert_eq!(claims.take(), Some(Answer::NoRoom));
        claims.add_unreceived(full);
        assert_eq!(claims.take(), Some(Answer::NoWorker));
        assert_eq!(claims.take(), None);
    }

    #[test]
    fn a_worker_that_has_taken_the_session_is_not_forgotten() {
        let mut claims = Claims::default();
        let number = claims.add(Asked::WithRoom);
        claims.answer(claimed(number));
        claims.answer(Answer::Full);
        claims.add_unreceived(number);
        assert_eq!(claims.take(), Some(claimed(number)));
        assert!(!claims.is_claimed());
    }
}

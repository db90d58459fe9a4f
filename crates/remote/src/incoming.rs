//! The order of numbered messages from the other end.

/// What to do with a numbered message.
#[derive(Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is the next one.
    Next,
    /// It arrived before.
    Repeated,
    /// Messages before it are missing, and this was reported already.
    Early,
    /// Messages before it are missing: ask for them.
    Gap,
}

#[derive(Debug, Default)]
pub struct Incoming {
    /// The number of the next message.
    next: u32,
    /// The number that was asked for.
    asked: Option<u32>,
}

impl Incoming {
    pub fn take(&mut self, number: u32) -> Arrival {
        let distance = number.wrapping_sub(self.next);
        if distance == 0 {
            self.next = self.next.wrapping_add(1);
            self.asked = None;
            Arrival::Next
        } else if distance > u32::MAX / 2 {
            Arrival::Repeated
        } else if self.asked.replace(self.next) == Some(self.next) {
            Arrival::Early
        } else {
            Arrival::Gap
        }
    }

    pub fn next(&self) -> u32 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_is_taken_once_and_in_order() {
        let mut incoming = Incoming::default();
        let taken: Vec<_> = [0, 0, 2, 3, 1, 2, 1, 3, 3].map(|number| incoming.take(number)).into();
        use Arrival::{Early, Gap, Next, Repeated};
        assert_eq!(taken, [Next, Repeated, Gap, Early, Next, Next, Repeated, Next, Repeated]);
        assert_eq!(incoming.next(), 4);
    }

    #[test]
    fn numbers_start_again_after_the_last_one() {
        let mut incoming = Incoming { next: u32::MAX, asked: None };
        assert_eq!(incoming.take(0), Arrival::Gap);
        assert_eq!(incoming.take(u32::MAX), Arrival::Next);
        assert_eq!(incoming.take(0), Arrival::Next);
        assert_eq!(incoming.take(u32::MAX), Arrival::Repeated);
    }
}

//! The order of numbered messages from the other end, and the room that they take until they are consumed.

use std::collections::VecDeque;

use crate::packet::room_of;
use crate::pings::Progress;

/// Room of consumed messages after which they are acknowledged. 256 KiB: a quarter of the window.
const ACK_BYTES: usize = 256 << 10;

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
    /// The number of the first message that is not consumed.
    consumed: u32,
    /// The room of each message that has arrived and is not consumed, and of all of them.
    rooms: VecDeque<usize>,
    held: usize,
    /// The room of messages that were consumed since the last acknowledgement.
    unacknowledged: usize,
}

impl Incoming {
    /// Only the next message is kept. Others come again.
    pub fn take(&mut self, number: u32, payload: &[u8]) -> Arrival {
        let distance = number.wrapping_sub(self.next);
        if distance == 0 {
            self.next = self.next.wrapping_add(1);
            self.asked = None;
            self.rooms.push_back(room_of(payload));
            self.held += room_of(payload);
            Arrival::Next
        } else if distance > u32::MAX / 2 {
            Arrival::Repeated
        } else if self.asked.replace(self.next) == Some(self.next) {
            Arrival::Early
        } else {
            Arrival::Gap
        }
    }

    /// The number of the next message.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// A message was consumed, and all before it. Returns whether this is to be acknowledged now. Several threads
    /// report messages, so an earlier one may be reported later.
    pub fn consume(&mut self, number: u32) -> bool {
        let after = number.wrapping_add(1);
        let count = after.wrapping_sub(self.consumed) as usize;
        if count > self.rooms.len() {
            return false;
        }
        let room: usize = self.rooms.drain(..count).sum();
        self.consumed = after;
        self.held -= room;
        self.unacknowledged += room;
        self.unacknowledged >= ACK_BYTES
    }

    /// The number for an acknowledgement that is sent now.
    pub fn acknowledge(&mut self) -> u32 {
        self.unacknowledged = 0;
        self.consumed
    }

    pub fn progress(&self) -> Progress {
        Progress { arrived: self.next, consumed: self.consumed }
    }

    /// The room of messages that have arrived and are not consumed.
    pub fn held(&self) -> usize {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_is_taken_once_and_in_order() {
        let mut incoming = Incoming::default();
        let taken: Vec<_> = [0, 0, 2, 3, 1, 2, 1, 3, 3].map(|number| incoming.take(number, b"")).into();
        use Arrival::{Early, Gap, Next, Repeated};
        assert_eq!(taken, [Next, Repeated, Gap, Early, Next, Next, Repeated, Next, Repeated]);
        assert_eq!(incoming.next(), 4);
    }

    #[test]
    fn numbers_start_again_after_the_last_one() {
        let mut incoming = Incoming { next: u32::MAX, consumed: u32::MAX, ..Incoming::default() };
        assert_eq!(incoming.take(0, b""), Arrival::Gap);
        assert_eq!(incoming.take(u32::MAX, b""), Arrival::Next);
        assert_eq!(incoming.take(0, b""), Arrival::Next);
        assert_eq!(incoming.take(u32::MAX, b""), Arrival::Repeated);
        incoming.consume(u32::MAX);
        incoming.consume(0);
        assert_eq!(incoming.progress(), Progress { arrived: 1, consumed: 1 });
    }

    #[test]
    fn messages_that_are_consumed_out_of_order_do_not_lower_the_acknowledgement() {
        let mut incoming = Incoming::default();
        incoming.take(0, b"a");
        incoming.take(1, b"b");
        incoming.consume(1);
        incoming.consume(0);
        assert_eq!((incoming.progress().consumed, incoming.held()), (2, 0));
    }

    #[test]
    fn messages_take_room_until_they_are_consumed_also_without_a_payload() {
        let mut incoming = Incoming::default();
        let most = (ACK_BYTES / room_of(b"")) as u32;
        (0..most).for_each(|number| assert_eq!(incoming.take(number, b""), Arrival::Next));
        assert_eq!(incoming.take(most + 1, b"early"), Arrival::Gap);
        assert_eq!(incoming.held(), ACK_BYTES);
        let due: Vec<_> = (0..most).filter(|&number| incoming.consume(number)).collect();
        assert_eq!(due, [most - 1]);
        assert_eq!((incoming.acknowledge(), incoming.held()), (most, 0));
    }
}

//! Numbered messages to the other end. They are kept until they have arrived, and take room until they are consumed.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::packet::{Kind, PART_BYTES, TRAILER_BYTES, packet, room_of};
use crate::pings::Progress;

/// Room of messages that the other end has not consumed. 1 MiB.
pub const WINDOW_BYTES: usize = 1 << 20;
/// The least time between two repeats. Requests for them may be forged, and each is answered by up to a window.
const REPEAT: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
pub struct Outgoing {
    /// The number of the next message.
    next: u32,
    /// The number of the first message of `sent`.
    first: u32,
    /// Messages that may not have arrived yet.
    sent: VecDeque<Bytes>,
    /// The room that these take of the connection.
    sent_room: usize,
    /// The room of each message that is not consumed, and of all of them.
    rooms: VecDeque<usize>,
    window: usize,
    /// Messages for which there is no room yet.
    queued: VecDeque<(Kind, Vec<u8>)>,
    /// The number that the last ping brought, and that of the next message at that moment.
    last_ping: Option<(u32, u32)>,
    /// When messages were last sent again.
    repeated: Option<Instant>,
    /// A request came too soon after the last repeat. The next ping answers it.
    owes_repeat: bool,
}

impl Outgoing {
    /// Adds a message. Its bytes are divided if there are too many.
    pub fn push(&mut self, kind: Kind, bytes: Vec<u8>) {
        if bytes.len() <= PART_BYTES {
            return self.queued.push_back((kind, bytes));
        }
        self.queued.extend(bytes.chunks(PART_BYTES).map(|part| (kind, part.to_vec())));
    }

    /// The next message to send, if there is room for it. `reserve` takes room of all sessions.
    pub fn next_part(&mut self, reserve: impl FnOnce(usize) -> bool) -> Option<Bytes> {
        let room = room_of(&self.queued.front()?.1);
        if (self.window > 0 && self.window + room > WINDOW_BYTES) || !reserve(room) {
            return None;
        }
        let (kind, payload) = self.queued.pop_front()?;
        let part = packet(kind, self.next, payload);
        self.next = self.next.wrapping_add(1);
        self.sent_room += room;
        self.sent.push_back(part.clone());
        self.window += room;
        self.rooms.push_back(room);
        Some(part)
    }

    /// All messages before this number have arrived. Returns the room that they took of the connection. An impossible
    /// number has no effect.
    pub fn arrived(&mut self, number: u32) -> usize {
        let count = number.wrapping_sub(self.first) as usize;
        if count > self.sent.len() {
            return 0;
        }
        let freed = self.sent.drain(..count).map(|part| room_of(payload_of(&part))).sum();
        self.first = number;
        self.sent_room -= freed;
        // The message that was asked for is the first one, which has arrived.
        self.owes_repeat &= count == 0;
        freed
    }

    /// The other end has consumed all messages before this number, so they have also arrived. Returns what
    /// [`Self::arrived`] returns.
    pub fn consumed(&mut self, number: u32) -> usize {
        let first = self.next.wrapping_sub(self.rooms.len() as u32);
        let count = number.wrapping_sub(first) as usize;
        if count <= self.rooms.len() {
            self.window -= self.rooms.drain(..count).sum::<usize>();
        }
        self.arrived(number)
    }

    /// A ping says how far the other end has come. Returns what [`Self::arrived`] returns, and whether messages are
    /// late: none has arrived since the ping before, although some were on their way then, or the other end has asked
    /// for them.
    pub fn on_ping(&mut self, Progress { arrived, consumed }: Progress) -> (usize, bool) {
        let freed = self.arrived(arrived) + self.consumed(consumed);
        let before = self.last_ping.replace((arrived, self.next));
        let is_stuck = before.is_some_and(|(last, next)| last == arrived && next != arrived);
        (freed, (is_stuck || self.owes_repeat) && !self.sent.is_empty())
    }

    /// The messages that may not have arrived, to be sent again. None of them if that was done a moment ago.
    pub fn repeat(&mut self, now: Instant) -> impl Iterator<Item = &Bytes> {
        let is_early = self.repeated.is_some_and(|before| now.saturating_duration_since(before) < REPEAT);
        self.owes_repeat = is_early && !self.sent.is_empty();
        if !is_early {
            self.repeated = Some(now);
        }
        self.sent.iter().filter(move |_| !is_early)
    }

    /// The room of the connection that messages on their way take.
    pub fn sent_room(&self) -> usize {
        self.sent_room
    }

    pub fn has_queued(&self) -> bool {
        !self.queued.is_empty()
    }

    /// Whether all messages have arrived.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.queued.is_empty()
    }
}

/// A message without its trailer.
fn payload_of(part: &Bytes) -> &[u8] {
    &part[..part.len() - TRAILER_BYTES]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Packet;

    fn numbers(outgoing: &mut Outgoing) -> Vec<u32> {
        std::iter::from_fn(|| outgoing.next_part(|_| true))
            .map(|part| Packet::read(part).expect("a message").number)
            .collect()
    }

    fn sent(messages: usize) -> Outgoing {
        let mut outgoing = Outgoing::default();
        (0..messages).for_each(|_| outgoing.push(Kind::Data, vec![1]));
        assert_eq!(numbers(&mut outgoing).len(), messages);
        outgoing
    }

    /// Whether messages are late when the other end has consumed all messages before this number.
    fn is_late(outgoing: &mut Outgoing, number: u32) -> bool {
        outgoing.on_ping(Progress { arrived: number, consumed: number }).1
    }

    #[test]
    fn bytes_are_divided_and_held_back_until_there_is_room() {
        let mut outgoing = Outgoing::default();
        outgoing.push(Kind::Data, vec![1; 16 * PART_BYTES + 1]);
        let part = room_of(&[1; PART_BYTES]);
        assert_eq!(numbers(&mut outgoing), (0..15).collect::<Vec<_>>());
        assert!(outgoing.has_queued());
        assert_eq!(outgoing.consumed(1), part);
        assert_eq!(numbers(&mut outgoing), [15, 16]);
        assert_eq!(outgoing.consumed(17), 15 * part + room_of(&[1]));
        assert!(outgoing.is_empty());
    }

    #[test]
    fn messages_without_a_payload_are_held_back_too() {
        let mut outgoing = Outgoing::default();
        let most = (WINDOW_BYTES / room_of(&[])) as u32;
        (0..=most).for_each(|_| outgoing.push(Kind::Wake, Vec::new()));
        assert_eq!(numbers(&mut outgoing), (0..most).collect::<Vec<_>>());
        outgoing.consumed(1);
        assert_eq!(numbers(&mut outgoing), [most]);
    }

    #[test]
    fn messages_that_have_arrived_take_no_room_of_the_connection_and_some_of_the_session() {
        let mut outgoing = Outgoing::default();
        outgoing.push(Kind::Data, vec![1; 16 * PART_BYTES]);
        numbers(&mut outgoing);
        let part = room_of(&[1; PART_BYTES]);
        assert_eq!(outgoing.arrived(10), 10 * part);
        assert_eq!(outgoing.sent_room(), 5 * part);
        assert!(numbers(&mut outgoing).is_empty(), "none was consumed");
        assert_eq!(outgoing.consumed(2), 0);
        assert_eq!(numbers(&mut outgoing), [15]);
        assert_eq!(outgoing.repeat(Instant::now()).count(), 6);
    }

    #[test]
    fn messages_that_have_arrived_are_not_late_however_slowly_they_are_consumed() {
        let mut outgoing = sent(3);
        for _ in 0..5 {
            assert!(!outgoing.on_ping(Progress { arrived: 3, consumed: 0 }).1);
        }
        outgoing.push(Kind::Data, vec![1]);
        numbers(&mut outgoing);
        assert_eq!(outgoing.on_ping(Progress { arrived: 3, consumed: 0 }), (0, false));
        assert_eq!(outgoing.on_ping(Progress { arrived: 3, consumed: 1 }), (0, true));
    }

    #[test]
    fn many_requests_are_answered_by_one_repeat_and_the_next_ping() {
        let mut outgoing = sent(1);
        let start = Instant::now();
        assert_eq!(outgoing.repeat(start).count(), 1);
        assert!(!is_late(&mut outgoing, 0), "it was just sent again");
        assert_eq!(outgoing.repeat(start + REPEAT / 2).count(), 0);
        assert!(outgoing.on_ping(Progress::default()).1, "the other end has asked for it");
        assert_eq!(outgoing.repeat(start + REPEAT).count(), 1);
        assert!(!is_late(&mut outgoing, 1));
    }

    #[test]
    fn a_request_is_void_when_its_message_has_arrived_or_was_never_sent() {
        let mut outgoing = sent(3);
        let start = Instant::now();
        assert_eq!(outgoing.repeat(start).count(), 3);
        assert_eq!(outgoing.repeat(start).count(), 0);
        outgoing.arrived(1);
        assert!(!is_late(&mut outgoing, 1), "the message that the request named has arrived");
        outgoing.arrived(3);
        assert_eq!(outgoing.repeat(start).count(), 0);
        outgoing.push(Kind::Data, vec![1]);
        numbers(&mut outgoing);
        assert!(!is_late(&mut outgoing, 3), "the request came before the message was sent");
    }

    #[test]
    fn nothing_is_sent_without_room_of_all_sessions() {
        let mut outgoing = Outgoing::default();
        outgoing.push(Kind::Data, vec![1; 10]);
        assert_eq!(outgoing.next_part(|_| false), None);
        assert_eq!(numbers(&mut outgoing), [0]);
    }

    #[test]
    fn messages_are_late_if_no_ping_has_brought_news_of_them() {
        let mut outgoing = Outgoing::default();
        assert!(!is_late(&mut outgoing, 0));
        outgoing.push(Kind::Data, vec![1]);
        numbers(&mut outgoing);
        assert!(!is_late(&mut outgoing, 0), "it was sent after the ping before");
        assert!(is_late(&mut outgoing, 0));
        assert!(!is_late(&mut outgoing, 1));
    }

    #[test]
    fn numbers_of_what_was_not_sent_are_ignored() {
        let mut outgoing = sent(1);
        for number in [2, u32::MAX] {
            assert_eq!(outgoing.on_ping(Progress { arrived: number, consumed: number }).0, 0);
        }
        assert!(!outgoing.is_empty());
        assert_eq!(outgoing.sent_room(), room_of(&[1]));
    }

    #[test]
    fn numbers_start_again_after_the_last_one() {
        let mut outgoing = Outgoing { next: u32::MAX, first: u32::MAX, ..Outgoing::default() };
        (0..2).for_each(|_| outgoing.push(Kind::Data, vec![1]));
        assert_eq!(numbers(&mut outgoing), [u32::MAX, 0]);
        assert_eq!(outgoing.consumed(1), 2 * room_of(&[1]));
        assert!(outgoing.is_empty());
    }
}

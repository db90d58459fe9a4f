//! Numbered messages to the other end, which are kept until they have arrived.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::words::{Kind, PART_BYTES, word};

/// Bytes that may be on their way at the same time. 1 MiB.
pub const WINDOW_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub struct Outgoing {
    /// The number of the next message.
    next: u32,
    /// The number of the first message of `sent`.
    first: u32,
    /// Messages that may not have arrived yet.
    sent: VecDeque<Bytes>,
    sent_bytes: usize,
    /// Messages for which there is no room yet.
    queued: VecDeque<(Kind, Vec<u8>)>,
    /// The number of the last acknowledgement that pings brought, and of the next message at that moment.
    last_ack: Option<(u32, u32)>,
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
        let bytes = self.queued.front()?.1.len();
        if (self.sent_bytes > 0 && self.sent_bytes + bytes > WINDOW_BYTES) || !reserve(bytes) {
            return None;
        }
        let (kind, payload) = self.queued.pop_front()?;
        let part = word(kind, self.next, payload);
        self.next = self.next.wrapping_add(1);
        self.sent_bytes += bytes;
        self.sent.push_back(part.clone());
        Some(part)
    }

    /// All messages before `ack` have arrived. Returns the bytes for which there is room again. An impossible number has
    /// no effect.
    pub fn acked(&mut self, ack: u32) -> usize {
        let count = ack.wrapping_sub(self.first) as usize;
        if count > self.sent.len() {
            return 0;
        }
        let freed = self.sent.drain(..count).map(|part| bytes_of(&part)).sum();
        self.first = ack;
        self.sent_bytes -= freed;
        freed
    }

    /// A ping brought this acknowledgement. Returns whether messages are late: none has arrived since the ping before,
    /// although some were on their way then.
    pub fn is_late(&mut self, ack: u32) -> bool {
        let before = self.last_ack.replace((ack, self.next));
        before.is_some_and(|(last, sent)| last == ack && sent != ack) && !self.sent.is_empty()
    }

    /// The messages that may not have arrived.
    pub fn unacknowledged(&self) -> impl Iterator<Item = &Bytes> {
        self.sent.iter()
    }

    pub fn sent_bytes(&self) -> usize {
        self.sent_bytes
    }

    pub fn has_queued(&self) -> bool {
        !self.queued.is_empty()
    }

    /// Whether all messages have arrived.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.queued.is_empty()
    }
}

/// Bytes of a message without its trailer.
fn bytes_of(part: &Bytes) -> usize {
    part.len() - word(Kind::Ack, 0, Vec::new()).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Word;

    fn numbers(outgoing: &mut Outgoing) -> Vec<u32> {
        std::iter::from_fn(|| outgoing.next_part(|_| true))
            .map(|part| Word::read(part).expect("a message").number)
            .collect()
    }

    #[test]
    fn bytes_are_divided_and_held_back_until_there_is_room() {
        let mut outgoing = Outgoing::default();
        outgoing.push(Kind::Data, vec![1; WINDOW_BYTES + PART_BYTES + 1]);
        assert_eq!(numbers(&mut outgoing), (0..16).collect::<Vec<_>>());
        assert!(outgoing.has_queued());
        assert_eq!(outgoing.acked(1), PART_BYTES);
        assert_eq!(numbers(&mut outgoing), [16]);
        assert_eq!(outgoing.acked(17), WINDOW_BYTES);
        assert_eq!(numbers(&mut outgoing), [17]);
        assert_eq!(outgoing.acked(18), 1);
        assert!(outgoing.is_empty());
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
        assert!(!outgoing.is_late(0));
        outgoing.push(Kind::Data, vec![1]);
        numbers(&mut outgoing);
        assert!(!outgoing.is_late(0), "it was sent after the ping before");
        assert!(outgoing.is_late(0));
        outgoing.acked(1);
        assert!(!outgoing.is_late(1));
    }

    #[test]
    fn acknowledgements_of_what_was_not_sent_are_ignored() {
        let mut outgoing = Outgoing::default();
        outgoing.push(Kind::Data, vec![1; 10]);
        numbers(&mut outgoing);
        assert_eq!(outgoing.acked(2), 0);
        assert_eq!(outgoing.acked(u32::MAX), 0);
        assert_eq!(outgoing.unacknowledged().count(), 1);
    }
}

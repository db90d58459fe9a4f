//! Writes frames.

use super::{LENGTH_BYTES, Malformed};

/// Appends the body of a frame to the buffer.
#[derive(Debug)]
pub struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    /// Appends a frame whose body `write` writes.
    ///
    /// # Errors
    ///
    /// The frame is longer than its length field can express. Nothing was appended.
    pub fn frame(to: &mut Vec<u8>, kind: u8, session: u32, write: impl FnOnce(&mut Writer)) -> Result<(), Malformed> {
        let start = to.len();
        let mut frame = Writer(to);
        frame.u32(0);
        frame.tag(kind);
        frame.u32(session);
        write(&mut frame);
        let body = start + LENGTH_BYTES;
        let Ok(length) = u32::try_from(to.len() - body) else {
            to.truncate(start);
            return Err(Malformed);
        };
        to[start..body].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }

    pub fn tag(&mut self, tag: u8) {
        self.0.push(tag);
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn f64(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    /// Writes the number of items or bytes that follow. If there are more than a frame can contain, they make
    /// [`Self::frame`] fail.
    pub fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend(bytes);
    }

    /// Writes numbers of a fixed width, without a call for each.
    pub fn numbers<const WIDTH: usize>(&mut self, numbers: impl ExactSizeIterator<Item = [u8; WIDTH]>) {
        self.count(numbers.len());
        self.0.reserve(numbers.len() * WIDTH);
        numbers.for_each(|number| self.0.extend(number));
    }
}

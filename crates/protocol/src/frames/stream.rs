//! Reads a sequence of frames.

use std::io::{ErrorKind, Read, Result};

use super::{HEAD_BYTES, Head};

/// Frames up to this size are read together with others. 64 KiB: the capacity of a pipe.
const BUFFER_BYTES: usize = 64 << 10;

/// Room after the bytes of [`Frames::next_bytes`].
const ROOM_BYTES: usize = 8;

/// Reads frames from a peer that may write anything.
pub struct Frames<R> {
    from: R,
    buffer: Box<[u8]>,
    /// Start of the bytes that were read and not returned yet.
    start: usize,
    /// End of these bytes.
    end: usize,
    /// The body of the last frame, if it is too large for the buffer.
    large: Vec<u8>,
}

impl<R: Read> Frames<R> {
    pub fn new(from: R) -> Self {
        Self { from, buffer: vec![0; BUFFER_BYTES].into_boxed_slice(), start: 0, end: 0, large: Vec::new() }
    }

    /// Waits for the next frame, whose body may have up to `most` bytes. `None`: the peer has closed its end between
    /// two frames.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidData`]: the frame is too short or too long.
    /// - [`ErrorKind::UnexpectedEof`]: the peer has closed its end within a frame.
    /// - Any error of the read itself.
    pub fn next(&mut self, most: usize) -> Result<Option<(Head, &[u8])>> {
        self.large = Vec::new();
        if self.start == self.end && !self.fill_some()? {
            return Ok(None);
        }
        self.fill(HEAD_BYTES)?;
        let (head, _) = self.buffer[self.start..self.end].split_first_chunk().ok_or(ErrorKind::UnexpectedEof)?;
        let head = Head::read(*head, most).map_err(|_| ErrorKind::InvalidData)?;
        self.start += HEAD_BYTES;
        let length = head.body_bytes;
        if length > self.buffer.len() {
            // The memory is reserved here. The system provides its pages only as bytes arrive.
            self.large.reserve_exact(length);
            self.large.extend(&self.buffer[self.start..self.end]);
            let rest = length - (self.end - self.start);
            (self.start, self.end) = (0, 0);
            let read = self.from.by_ref().take(rest as u64).read_to_end(&mut self.large)?;
            return if read == rest { Ok(Some((head, &self.large))) } else { Err(ErrorKind::UnexpectedEof.into()) };
        }
        self.fill(length)?;
        let body = self.start..self.start + length;
        self.start = body.end;
        Ok(Some((head, &self.buffer[body])))
    }

    /// Waits for bytes and returns them as they are, with room for a few more. `None`: the peer has closed its end.
    /// Must not be called within a frame.
    ///
    /// # Errors
    ///
    /// Any error of the read itself.
    pub fn next_bytes(&mut self) -> Result<Option<Vec<u8>>> {
        if self.start == self.end && !self.fill_some()? {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(self.end - self.start + ROOM_BYTES);
        bytes.extend_from_slice(&self.buffer[self.start..self.end]);
        self.start = self.end;
        Ok(Some(bytes))
    }

    /// Whether a part of a frame was already read, so that the rest is on its way.
    pub fn has_begun(&self) -> bool {
        self.start < self.end
    }

    /// The source of the frames.
    pub fn source(&self) -> &R {
        &self.from
    }

    /// Reads until the buffer contains `count` bytes that were not returned.
    fn fill(&mut self, count: usize) -> Result<()> {
        if self.start + count > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < count {
            if !self.fill_some()? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }

    /// Reads the bytes that are available. False: the peer has closed its end.
    fn fill_some(&mut self) -> Result<bool> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        loop {
            match self.from.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

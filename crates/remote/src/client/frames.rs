//! Whole frames from bytes that arrive in pieces.

use ses_protocol::frames::{HEAD_BYTES, Head, Malformed};

/// Bytes of a frame that has not arrived as a whole.
#[derive(Debug, Default)]
pub struct FrameBuffer {
    bytes: Vec<u8>,
}

impl FrameBuffer {
    /// Adds bytes and calls `take` with each frame that is whole: its head and its body. A body may have up to `most`
    /// bytes.
    ///
    /// # Errors
    ///
    /// A frame is too short or too long, or `take` has refused one.
    pub fn add<E: From<Malformed>>(
        &mut self,
        mut piece: &[u8],
        most: usize,
        mut take: impl FnMut(Head, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            if self.bytes.is_empty() {
                // The usual case: the piece has whole frames.
                while let Some((head, body, rest)) = frame(piece, most)? {
                    take(head, body)?;
                    piece = rest;
                }
                self.bytes.extend_from_slice(piece);
                return Ok(());
            }
            // First the head, which says how long the frame is.
            let needed = match self.bytes.first_chunk() {
                Some(head) => HEAD_BYTES + Head::read(*head, most)?.body_bytes,
                None => HEAD_BYTES,
            };
            let missing = needed.saturating_sub(self.bytes.len());
            let (part, rest) = piece.split_at(missing.min(piece.len()));
            self.bytes.extend_from_slice(part);
            piece = rest;
            if let Some((head, body, _)) = frame(&self.bytes, most)? {
                take(head, body)?;
                // The memory of a large frame is not kept.
                self.bytes = Vec::new();
            } else if piece.is_empty() {
                return Ok(());
            }
        }
    }
}

/// The head and the body of a frame, and the bytes after it.
type Divided<'a> = (Head, &'a [u8], &'a [u8]);

/// A frame at the beginning of the bytes, and the bytes after it. `None`: it is not whole.
fn frame(bytes: &[u8], most: usize) -> Result<Option<Divided<'_>>, Malformed> {
    let Some((head, rest)) = bytes.split_first_chunk() else { return Ok(None) };
    let head = Head::read(*head, most)?;
    Ok(rest.split_at_checked(head.body_bytes).map(|(body, rest)| (head, body, rest)))
}

#[cfg(test)]
mod tests {
    use ses_protocol::frames::{Control, Message};

    use super::*;

    fn frames() -> Vec<u8> {
        let mut bytes = Vec::new();
        for job in 0..5 {
            Control::Stop(job).write(1, &mut bytes).expect("a small frame");
        }
        bytes
    }

    #[test]
    fn frames_are_whole_however_they_are_cut() {
        let bytes = frames();
        for size in 1..=bytes.len() {
            let mut buffer = FrameBuffer::default();
            let mut jobs = Vec::new();
            for piece in bytes.chunks(size) {
                buffer
                    .add(piece, 64, |head, body| {
                        jobs.push((head.kind, body[0]));
                        Ok::<_, Malformed>(())
                    })
                    .expect("whole frames");
            }
            assert_eq!(jobs, (0..5).map(|job| (8, job)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_frame_that_is_too_long_is_refused_before_its_body_comes() {
        let take = |_: Head, _: &[u8]| Ok::<_, Malformed>(());
        assert!(FrameBuffer::default().add(&[0xFF; HEAD_BYTES], 1 << 20, take).is_err());
        let mut buffer = FrameBuffer::default();
        assert!(buffer.add(&[0xFF; 3], 1 << 20, take).is_ok());
        assert!(buffer.add(&[0xFF; HEAD_BYTES], 1 << 20, take).is_err());
    }
}

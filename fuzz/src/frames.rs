//! `frames`: whatever the bytes, and whichever peer they are said to be from, no panic, and no more memory than their
//! size allows; what is read can be written, and is read as the same then.

use std::time::Duration;

use ses_protocol::frames::{Frames, FromWorker, Message, ToWorker};

use crate::bounds::{Bounds, within};

const BOUNDS: Bounds = Bounds {
    time: Duration::from_millis(50),
    time_per_byte: Duration::from_micros(2),
    heap_bytes: 2 << 20, // 2 MiB
    heap_bytes_per_byte: 64,
};
/// The longest body.
const MOST: usize = 1 << 20;

/// Checks a stream of frames.
///
/// # Panics
///
/// When something that must hold does not.
pub fn check(bytes: &[u8]) {
    within(&BOUNDS, bytes.len(), || {
        let mut frames = Frames::new(bytes);
        while let Ok(Some((head, body))) = frames.next(MOST) {
            check_message::<ToWorker>(head.kind, head.session, body);
            check_message::<FromWorker>(head.kind, head.session, body);
        }
    });
}

fn check_message<M: Message>(kind: u8, session: u32, body: &[u8]) {
    let Ok(message) = M::read(kind, body) else { return };
    let written = frame(&message, session);
    let mut frames = Frames::new(written.as_slice());
    let (head, body) = frames.next(2 * MOST).expect("a frame").expect("a whole one");
    assert_eq!((head.kind, head.session), (kind, session));
    let again = M::read(head.kind, body).expect("what was written");
    assert!(frame(&again, session) == written, "another message was read");
}

fn frame(message: &impl Message, session: u32) -> Vec<u8> {
    let mut frame = Vec::new();
    message.write(session, &mut frame).expect("no more than was read");
    frame
}

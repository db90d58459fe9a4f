//! Frames on their way to a worker. The sender never waits for the worker.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::process::ChildStdin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::process::set_nonblocking;

/// Stack of a thread that only writes.
const STACK_BYTES: usize = 128 << 10;

/// The pipe to a worker, and the frames that did not fit into it.
pub struct Outbox {
    /// Never blocks: a write takes as much as fits.
    pipe: ChildStdin,
    /// Any thread may hold it, for a few instructions and a write that does not block.
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    frames: VecDeque<Vec<u8>>,
    /// A thread writes the waiting frames. Until it is done, other threads only add frames.
    has_writer: bool,
    /// Called when the thread is done.
    then: Vec<Box<dyn FnOnce() + Send>>,
}

impl Outbox {
    /// # Errors
    ///
    /// The system refused to make the pipe non-blocking.
    pub fn new(pipe: ChildStdin) -> io::Result<Arc<Self>> {
        set_nonblocking(&pipe)?;
        Ok(Arc::new(Self { pipe, waiting: Mutex::default() }))
    }

    /// Writes a frame, or as much of it as the pipe takes. A thread writes the rest. Frames for a worker that no longer
    /// reads are dropped: the code that reads from the worker learns that it has ended.
    ///
    /// # Errors
    ///
    /// No thread is available, so the rest of the frame would never be written.
    pub fn send(self: &Arc<Self>, frame: Vec<u8>) -> io::Result<()> {
        let mut waiting = self.waiting();
        if waiting.has_writer {
            waiting.frames.push_back(frame);
            return Ok(());
        }
        let mut written = 0;
        while written < frame.len() {
            match (&self.pipe).write(&frame[written..]) {
                Ok(count) => written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return Ok(()),
            }
        }
        if written == frame.len() {
            return Ok(());
        }
        waiting.has_writer = true;
        drop(waiting);
        let outbox = self.clone();
        let write = move || outbox.write_all(frame, written);
        thread::Builder::new().name("ses-outbox".to_owned()).stack_size(STACK_BYTES).spawn(write).map(drop)
    }

    /// Calls `then` when everything that was sent is in the pipe: immediately if no thread is writing. Returns whether
    /// it was called.
    pub fn when_written(&self, then: impl FnOnce() + Send + 'static) -> bool {
        let mut waiting = self.waiting();
        if waiting.has_writer {
            waiting.then.push(Box::new(then));
            return false;
        }
        drop(waiting);
        then();
        true
    }

    /// Writes the rest of a frame from byte `written` on, and then the frames that were added meanwhile.
    fn write_all(&self, mut frame: Vec<u8>, mut written: usize) {
        loop {
            while written < frame.len() {
                match (&self.pipe).write(&frame[written..]) {
                    Ok(count) => written += count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait_for_room(),
                    // The pipe has no reader any more. Frames that wait and frames that follow are dropped here.
                    Err(_) => written = frame.len(),
                }
            }
            let mut waiting = self.waiting();
            match waiting.frames.pop_front() {
                Some(next) => (frame, written) = (next, 0),
                None => {
                    waiting.has_writer = false;
                    let then = std::mem::take(&mut waiting.then);
                    drop(waiting);
                    then.into_iter().for_each(|then| then());
                    return;
                }
            }
        }
    }

    fn wait_for_room(&self) {
        let mut pipe = libc::pollfd { fd: self.pipe.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
        // SAFETY: `pipe` is one entry, valid for the call. If a signal interrupts the call, the next write only comes
        // too early.
        unsafe { libc::poll(&raw mut pipe, 1, -1) };
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, pipe};
    use std::os::fd::OwnedFd;
    use std::sync::mpsc::{TryRecvError, channel};

    use super::*;

    /// More than a pipe holds.
    const LARGE: usize = 1 << 20;

    #[test]
    fn what_is_to_follow_all_frames_follows_those_that_wait_for_the_reader() {
        let (mut reader, writer) = pipe().unwrap();
        let outbox = Outbox::new(ChildStdin::from(OwnedFd::from(writer))).unwrap();
        let (called, calls) = channel();
        let (idle, was_idle) = channel();
        outbox.when_written(move || idle.send(()).unwrap());
        was_idle.try_recv().unwrap();
        outbox.send(vec![1; LARGE]).unwrap();
        outbox.send(vec![2]).unwrap();
        outbox.when_written(move || called.send(()).unwrap());
        let mut frames = vec![0; LARGE];
        reader.read_exact(&mut frames[..1]).unwrap();
        assert_eq!(calls.try_recv(), Err(TryRecvError::Empty));
        reader.read_exact(&mut frames).unwrap();
        assert_eq!(frames.last(), Some(&2));
        calls.recv().unwrap();
        outbox.send(vec![3]).unwrap();
        drop(outbox);
        reader.read_to_end(&mut frames).unwrap();
        assert_eq!(frames.last(), Some(&3));
    }
}

//! Frames on their way to a worker. The sender never waits for the worker.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::process::ChildStdin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::process::set_nonblocking;

/// Stack of a thread that does nothing but write.
const STACK_BYTES: usize = 128 << 10;

/// The pipe and what did not fit it.
pub struct Outbox {
    /// Does not wait: it takes what fits.
    pipe: ChildStdin,
    /// Held for a few instructions and a write that does not wait, by any thread.
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    frames: VecDeque<Vec<u8>>,
    /// A thread writes what waits; until it is done, others only add to that.
    has_writer: bool,
    /// Called when it is.
    then: Option<Box<dyn FnOnce() + Send>>,
}

impl Outbox {
    /// # Errors
    ///
    /// The system refused to have the pipe not wait.
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

    /// Calls `then` when all that was sent is in the pipe, in place of what an earlier call gave, if a thread still writes that.
    pub fn when_written(&self, then: impl FnOnce() + Send + 'static) {
        let mut waiting = self.waiting();
        if waiting.has_writer {
            waiting.then = Some(Box::new(then));
        }
    }

    /// Writes a frame from `written` on, and then what has come meanwhile.
    fn write_all(&self, mut frame: Vec<u8>, mut written: usize) {
        loop {
            while written < frame.len() {
                match (&self.pipe).write(&frame[written..]) {
                    Ok(count) => written += count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait_for_room(),
                    // Nobody reads any more. What waits and what comes is dropped here.
                    Err(_) => written = frame.len(),
                }
            }
            let mut waiting = self.waiting();
            match waiting.frames.pop_front() {
                Some(next) => (frame, written) = (next, 0),
                None => {
                    waiting.has_writer = false;
                    let then = waiting.then.take();
                    drop(waiting);
                    if let Some(then) = then {
                        then();
                    }
                    return;
                }
            }
        }
    }

    fn wait_for_room(&self) {
        let mut pipe = libc::pollfd { fd: self.pipe.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
        // SAFETY: `pipe` is one entry, valid for the call. An interruption is a look that comes too early.
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
        outbox.when_written(|| unreachable!("nothing is written"));
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

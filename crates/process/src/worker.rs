//! The host's end of a worker process. Frames are sent without waiting. A thread starts the process, reads its frames,
//! and waits for its end.

use std::io::ErrorKind;
use std::mem;
use std::process::ChildStdout;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use ses_peer::{Connection, INVALID_MESSAGE, WorkerEvent};
use ses_protocol::Failure;
use ses_protocol::frames::{Frames, FromWorker, Head, Hello, Message, Status, VERSION};
use ses_session::Folders;
use ses_sync::is_readable;

use crate::engine_cache::fill_cache;
use crate::launch::{Installation, Kind, Task};
use crate::outbox::Outbox;
use crate::process::{Process, end_of};

/// How long a worker may take until its isolate is ready. Many times the time that this takes on a heavily overloaded
/// machine.
const BOOT: Duration = Duration::from_secs(30);
/// Stack of the thread. The only nested input that it reads from the worker is JSON of limited depth.
const STACK_BYTES: usize = 512 << 10;
/// The longest body that a worker without a session may send: that of its greeting.
const GREETING_BYTES: usize = 64;

/// Receives all events, on the thread that reads from the worker. An error ends the worker, with this reason.
pub type Listener = Box<dyn FnMut(WorkerEvent) -> Result<(), &'static str> + Send>;

/// An event of a worker whose frames are passed on as they are.
pub enum Bytes {
    /// The isolate is ready, for any session.
    Ready(Hello),
    /// What the worker has written, in pieces that need not be whole frames. There is room for a few bytes at the end.
    Some(Vec<u8>),
    /// See [`WorkerEvent::Lost`].
    Lost(String),
    /// See [`WorkerEvent::Unstarted`].
    Unstarted(Failure),
}

/// Like [`Listener`]. May block until there is room for more: then the worker waits too.
pub type ByteListener = Box<dyn FnMut(Bytes) -> Result<(), &'static str> + Send>;

/// How the messages of a worker with a session are read.
pub enum Intake {
    /// As frames with bodies of up to `most` bytes.
    Frames { most: usize, listener: Listener },
    /// Not at all.
    Bytes(ByteListener),
}

impl Intake {
    /// Reports the end of the worker.
    fn end(&mut self, end: Result<String, Failure>) {
        // The process has ended already, so an error has no effect.
        let _ = match (self, end) {
            (Self::Frames { listener, .. }, Ok(reason)) => listener(WorkerEvent::Lost(reason)),
            (Self::Frames { listener, .. }, Err(failure)) => listener(WorkerEvent::Unstarted(failure)),
            (Self::Bytes(listener), Ok(reason)) => listener(Bytes::Lost(reason)),
            (Self::Bytes(listener), Err(failure)) => listener(Bytes::Unstarted(failure)),
        };
    }

    fn greet(&mut self, hello: Hello) -> Result<(), &'static str> {
        match self {
            Self::Frames { listener, .. } => listener(WorkerEvent::Ready(hello)),
            Self::Bytes(listener) => listener(Bytes::Ready(hello)),
        }
    }
}

/// Called when a process is ready for a session.
type Ready = Box<dyn FnOnce() + Send>;

type Then = Box<dyn FnOnce() + Send>;

/// A worker process. It is killed when this is dropped.
pub struct Worker(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Any thread may hold it, for a few instructions and for writes that do not block.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The session's. The thread takes it when it has an event.
    intake: Option<Intake>,
    process: Option<Arc<Process>>,
    outbox: Option<Arc<Outbox>>,
    /// Frames for a process that has not started yet.
    early: Vec<Vec<u8>>,
    /// Called when the process has been sent these frames.
    when_early_written: Vec<Then>,
    hello: Option<Hello>,
    /// The folders before the process was started. The process may have opened other ones.
    folders: Folders,
    /// The first frame for a process that is to replace this one, because this one has not answered.
    replacement: Option<Vec<u8>>,
    is_given_up: bool,
    /// The reason why the worker was given up. Absent: it was no longer needed.
    verdict: Option<&'static str>,
    has_ended: bool,
}

impl Worker {
    /// Starts a process. Calls `ready` when the process is ready for a session, if it ever is.
    ///
    /// # Errors
    ///
    /// No thread is available.
    pub fn start(
        installation: Arc<Installation>,
        kind: Kind,
        ready: impl FnOnce(Self) + Send + 'static,
    ) -> std::io::Result<()> {
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        let ready = Box::new(move || ready(Self(own)));
        spawn(move || shared.run(&installation, kind, Some(ready)))
    }

    /// Starts a process that has a session from the start.
    ///
    /// # Errors
    ///
    /// No thread is available.
    pub fn start_attached(installation: Arc<Installation>, kind: Kind, intake: Intake) -> std::io::Result<Self> {
        let state = State { intake: Some(intake), ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state) });
        let own = shared.clone();
        spawn(move || own.run(&installation, kind, None))?;
        Ok(Self(shared))
    }

    /// Gives the worker its session. `folders`: the folders that the worker must have. Returns the worker's greeting,
    /// which the listener does not receive.
    ///
    /// # Errors
    ///
    /// The process has already ended, does not belong to the host, or has other folders. Returns the intake.
    pub fn attach(&self, intake: Intake, folders: &Folders) -> Result<Hello, Intake> {
        let mut state = self.0.state();
        // The thread may not have noticed the end of the process yet.
        let is_there = !state.has_ended
            && state.process.as_ref().is_some_and(|process| !process.has_ended() && process.is_of_host());
        let Some(hello) = state.hello.filter(|_| is_there && state.folders == *folders) else { return Err(intake) };
        state.intake = Some(intake);
        Ok(hello)
    }

    /// Calls `then` when everything that was sent is in the pipe, at the latest when the process has ended.
    pub fn when_written(&self, then: impl FnOnce() + Send + 'static) {
        let mut state = self.0.state();
        match state.outbox.clone() {
            Some(outbox) => {
                drop(state);
                outbox.when_written(then);
            }
            None if state.is_given_up || state.has_ended => {
                drop(state);
                then();
            }
            None => state.when_early_written.push(Box::new(then)),
        }
    }

    /// The number of frames that wait for the process.
    #[cfg(test)]
    pub fn early_frames(&self) -> usize {
        self.0.state().early.len()
    }
}

impl Connection for Worker {
    fn send(&self, frame: Vec<u8>) {
        let mut state = self.0.state();
        let Some(outbox) = state.outbox.clone() else {
            if !state.is_given_up && !state.has_ended {
                state.early.push(frame);
            }
            return;
        };
        // Under the lock, so that frames keep their order.
        let sent = outbox.send(frame);
        drop(state);
        if sent.is_err() {
            self.end("no thread is available for a command");
        }
    }

    fn wake(&self) {
        let state = self.0.state();
        let (Some(process), Some(outbox)) = (&state.process, &state.outbox) else { return };
        let (process, outbox) = (process.clone(), outbox.clone());
        drop(state);
        let again = process.clone();
        // Frames that do not fit into the pipe arrive after the process has read some, so it must be woken twice.
        if !outbox.when_written(move || again.wake()) {
            process.wake();
        }
    }

    fn replace(&self, frame: Vec<u8>) {
        let mut state = self.0.state();
        if state.is_given_up || state.has_ended {
            return;
        }
        state.replacement = Some(frame);
        state.outbox = None;
        if let Some(process) = &state.process {
            process.kill();
        }
    }

    fn kill(&self) {
        self.0.kill(None);
    }

    fn end(&self, reason: &'static str) {
        self.0.kill(Some(reason));
    }

    fn pid(&self) -> Option<u32> {
        let state = self.0.state();
        state.process.as_ref().filter(|_| !state.has_ended).map(|process| process.pid())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts the thread of a worker. If the thread ends, the system ends the process too.
fn spawn(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name("ses-worker".to_owned()).stack_size(STACK_BYTES).spawn(work).map(drop)
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self, reason: Option<&'static str>) {
        let mut state = self.state();
        state.is_given_up = true;
        state.verdict = state.verdict.or(reason);
        state.early.clear();
        let written = mem::take(&mut state.when_early_written);
        if let Some(process) = &state.process {
            process.kill();
        }
        // Closing the pipe also ends a process that the system does not let the host kill.
        state.outbox = None;
        drop(state);
        written.into_iter().for_each(|then| then());
    }

    /// The body of the thread.
    fn run(&self, installation: &Installation, kind: Kind, ready: Option<Ready>) {
        let mut reading = Reading { shared: self, intake: None, ready, is_ready: false };
        let mut end = reading.serve(installation, kind);
        while reading.begins_again() {
            end = reading.serve(installation, kind);
        }
        let end = end.map(|end| self.state().verdict.map_or(end, str::to_owned)).map_err(Failure::init);
        let intake = reading.intake.take();
        // Drops `ready`, so that the pool learns that this worker will not be ready.
        drop(reading);
        let mut state = self.state();
        state.has_ended = true;
        // Frames that wait to be written are dropped too.
        state.outbox = None;
        let intake = intake.or_else(|| state.intake.take());
        let written = mem::take(&mut state.when_early_written);
        drop(state);
        written.into_iter().for_each(|then| then());
        if let Some(mut intake) = intake {
            intake.end(end);
        }
    }

    /// Makes the process available to code that sends to it or kills it.
    fn publish(&self, process: Arc<Process>, outbox: Arc<Outbox>) {
        let mut state = self.state();
        let early = mem::take(&mut state.early);
        let is_sent = early.into_iter().all(|frame| outbox.send(frame).is_ok());
        if state.is_given_up || !is_sent {
            process.kill();
        }
        state.process = Some(process);
        state.outbox = Some(outbox.clone());
        let written = mem::take(&mut state.when_early_written);
        drop(state);
        outbox.when_written(move || written.into_iter().for_each(|then| then()));
    }
}

/// State of the thread while the process lives.
struct Reading<'a> {
    shared: &'a Shared,
    intake: Option<Intake>,
    /// Reports that the process is ready, if the worker has no session yet.
    ready: Option<Ready>,
    is_ready: bool,
}

impl Reading<'_> {
    /// Whether another process replaces the one that has ended.
    fn begins_again(&mut self) -> bool {
        let mut state = self.shared.state();
        if state.is_given_up {
            return false;
        }
        let Some(frame) = state.replacement.take() else { return false };
        state.process = None;
        state.outbox = None;
        state.hello = None;
        state.early.insert(0, frame);
        self.is_ready = false;
        true
    }

    /// Starts a process, reads its frames, and waits for its end. Returns the reason for its end.
    ///
    /// # Errors
    ///
    /// The process could not be started, for this reason.
    fn serve(&mut self, installation: &Installation, kind: Kind) -> Result<String, String> {
        fill_cache(installation);
        self.shared.state().folders = Folders::now(&installation.engine);
        let arguments = installation.arguments(Task::Serve(kind));
        let started = arguments.and_then(|arguments| Process::start(&installation.program, &arguments));
        let (process, commands, events, last_words) = match started {
            Ok(started) => started,
            Err(error) => return Err(format!("{} cannot be started: {error}", installation.program.display())),
        };
        let process = Arc::new(process);
        let read = match Outbox::new(commands) {
            Ok(outbox) => {
                self.shared.publish(process.clone(), outbox);
                if is_readable(&events, BOOT) {
                    self.read(&mut Frames::new(events))
                } else {
                    Err("the worker process was not ready in time")
                }
            }
            Err(_) => Err("the worker process has no pipe that does not wait"),
        };
        // The process may have closed its pipe without ending.
        process.kill();
        let status = process.wait();
        Ok(match read {
            Ok(()) => end_of(last_words, status),
            Err(reason) => reason.to_owned(),
        })
    }

    /// Reads until the process has ended, or has written something that violates the protocol.
    fn read(&mut self, frames: &mut Frames<ChildStdout>) -> Result<(), &'static str> {
        self.read_greeting(frames)?;
        // A process from the pool has no session yet, and says nothing until it has one.
        if self.intake.is_none() && !frames.has_begun() {
            is_readable(frames.source(), Duration::MAX);
        }
        let Some(intake) = self.take_intake() else { return Err(INVALID_MESSAGE) };
        match intake {
            Intake::Frames { most, listener } => {
                let most = *most;
                while let Some((head, body)) = next(frames, most)? {
                    match FromWorker::read(head.kind, body).map_err(|_| INVALID_MESSAGE)? {
                        FromWorker::Event(event) => listener(WorkerEvent::Event(event))?,
                        FromWorker::Status(Status::Hello(_)) => return Err(INVALID_MESSAGE),
                    }
                }
            }
            Intake::Bytes(listener) => {
                // A process that is killed ends the pipe.
                while let Ok(Some(bytes)) = frames.next_bytes() {
                    listener(Bytes::Some(bytes))?;
                }
            }
        }
        Ok(())
    }

    /// Reads the first message, which is the greeting.
    fn read_greeting(&mut self, frames: &mut Frames<ChildStdout>) -> Result<(), &'static str> {
        let Some((head, body)) = next(frames, GREETING_BYTES)? else { return Ok(()) };
        match FromWorker::read(head.kind, body).map_err(|_| INVALID_MESSAGE)? {
            FromWorker::Status(Status::Hello(hello)) if hello.version == VERSION => {
                self.is_ready = true;
                self.shared.state().hello = Some(hello);
                if let Some(ready) = self.ready.take() {
                    ready();
                    return Ok(());
                }
                self.take_intake().ok_or(INVALID_MESSAGE)?.greet(hello)
            }
            FromWorker::Status(Status::Hello(_)) => Err("the worker process is of another version of ses-executor"),
            FromWorker::Event(_) => Err(INVALID_MESSAGE),
        }
    }

    fn take_intake(&mut self) -> Option<&mut Intake> {
        if self.intake.is_none() {
            self.intake = self.shared.state().intake.take();
        }
        self.intake.as_mut()
    }
}

/// The next frame. `None`: the process has ended. A process that is killed may leave an incomplete frame.
fn next(frames: &mut Frames<ChildStdout>, most: usize) -> Result<Option<(Head, &[u8])>, &'static str> {
    match frames.next(most) {
        Ok(frame) => Ok(frame),
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(INVALID_MESSAGE),
        Err(_) => Ok(None),
    }
}

//! The host's end of a worker process: frames to it without waiting, and a thread that starts it, reads what comes from it,
//! and waits for its end.

use std::io::ErrorKind;
use std::mem;
use std::process::ChildStdout;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use ses_protocol::Event;
use ses_protocol::frames::{Frames, FromWorker, Hello, Message, Status, VERSION};
use ses_session::Folders;
use ses_sync::is_readable;

use crate::engine_cache::fill_cache;
use crate::launch::{Installation, Kind, Task};
use crate::outbox::Outbox;
use crate::process::{Process, end_of};

/// How long a worker may take until its isolate is ready. Many times what it takes on a machine that has far too much to do.
const BOOT: Duration = Duration::from_secs(30);
/// Stack of the thread. The only nested input that it reads from the worker is JSON of limited depth.
const STACK_BYTES: usize = 512 << 10;
/// The longest body of a worker that has no session: that of its greeting.
const GREETING_BYTES: usize = 64;

/// What comes from a worker that has a session.
pub enum News {
    /// The isolate is ready, for any session.
    Ready(Hello),
    Event(Event),
    /// The process has ended, or was ended; why, for people. The last one.
    Lost(String),
    /// There is no process, and why. The only one.
    Unstarted(String),
}

/// Told of everything that comes, on the thread that reads it. An error ends the worker, with this reason.
pub type Listener = Box<dyn FnMut(News) -> Result<(), &'static str> + Send>;

/// Told that a process is ready for a session.
type Ready = Box<dyn FnOnce() + Send>;

/// A worker process. It is killed when this is dropped.
pub struct Worker(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Held for a few instructions and writes that do not wait, by any thread.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The session's. Taken by the thread when it has something to tell.
    listener: Option<Listener>,
    /// The longest body that the session expects.
    most: usize,
    process: Option<Arc<Process>>,
    outbox: Option<Arc<Outbox>>,
    /// Frames for a process that is not there yet.
    early: Vec<Vec<u8>>,
    hello: Option<Hello>,
    /// As they were before the process was started, which may have opened others.
    folders: Folders,
    /// The first frame for a process that is to take the place of this one, which has not answered.
    replacement: Option<Vec<u8>>,
    is_given_up: bool,
    /// Why it was given up, if not because nobody wants it.
    verdict: Option<&'static str>,
    has_ended: bool,
}

impl Worker {
    /// Has a process started. Calls `ready` when the process is ready for a session, if it ever is.
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

    /// Has a process started that has its session from the start. `most`, `listener`: as for [`Self::attach`].
    ///
    /// # Errors
    ///
    /// No thread is available.
    pub fn start_attached(
        installation: Arc<Installation>,
        kind: Kind,
        listener: Listener,
        most: usize,
    ) -> std::io::Result<Self> {
        let state = State { listener: Some(listener), most, ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state) });
        let own = shared.clone();
        spawn(move || own.run(&installation, kind, None))?;
        Ok(Self(shared))
    }

    /// Gives the worker its session. `most`: bytes of the longest body that it may write; `folders`: those that it must have.
    /// Returns what the worker is, which the listener is not told.
    ///
    /// # Errors
    ///
    /// The process has ended already, is not of the host, or has other folders. The listener comes back.
    pub fn attach(&self, listener: Listener, most: usize, folders: &Folders) -> Result<Hello, Listener> {
        let mut state = self.0.state();
        // The thread may not know yet.
        let is_there = !state.has_ended
            && state.process.as_ref().is_some_and(|process| !process.has_ended() && process.is_of_host());
        let Some(hello) = state.hello.filter(|_| is_there && state.folders == *folders) else { return Err(listener) };
        state.most = most;
        state.listener = Some(listener);
        Ok(hello)
    }

    /// Sends a message, without waiting. One that cannot be sent ends the worker.
    pub fn send(&self, session: u32, message: &impl Message) {
        let mut frame = Vec::new();
        if message.write(session, &mut frame).is_err() {
            return self.end("a command does not fit a frame");
        }
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

    /// Has the process look at what it was sent, also while guest code runs.
    pub fn wake(&self) {
        let state = self.0.state();
        let (Some(process), Some(outbox)) = (&state.process, &state.outbox) else { return };
        // What does not fit the pipe comes when it has looked, perhaps as soon as it is nudged.
        let again = process.clone();
        outbox.when_written(move || again.wake());
        process.wake();
    }

    /// Kills a process that was started ahead of need and does not answer, and has another one started in its place. That one
    /// greets the listener, and gets this message first.
    pub fn replace(&self, session: u32, message: &impl Message) {
        let mut frame = Vec::new();
        if message.write(session, &mut frame).is_err() {
            return self.end("a command does not fit a frame");
        }
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

    /// Ends the process at once, whatever it does.
    pub fn kill(&self) {
        self.0.kill(None);
    }

    /// As [`Self::kill`], for a reason that the listener is told.
    pub fn end(&self, reason: &'static str) {
        self.0.kill(Some(reason));
    }

    /// Frames that wait for the process.
    #[cfg(test)]
    pub fn early_frames(&self) -> usize {
        self.0.state().early.len()
    }

    /// The process's number, as long as it is there.
    pub fn pid(&self) -> Option<u32> {
        let state = self.0.state();
        state.process.as_ref().filter(|_| !state.has_ended).map(|process| process.pid())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts the thread of a worker, which the system ends the process with.
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
        if let Some(process) = &state.process {
            process.kill();
        }
        // At the end of its pipe also one ends that the system does not let the host kill.
        state.outbox = None;
    }

    /// The thread.
    fn run(&self, installation: &Installation, kind: Kind, ready: Option<Ready>) {
        let mut reading = Reading { shared: self, listener: None, ready, is_ready: false };
        let mut end = reading.serve(installation, kind);
        while reading.begins_again() {
            end = reading.serve(installation, kind);
        }
        let news = match end {
            Ok(end) => News::Lost(self.state().verdict.map_or(end, str::to_owned)),
            Err(reason) => News::Unstarted(reason),
        };
        let listener = reading.listener.take();
        // Drops `ready`, by which the pool learns that this worker will not be a spare.
        drop(reading);
        let mut state = self.state();
        state.has_ended = true;
        // What waits to be written is dropped with it.
        state.outbox = None;
        let listener = listener.or_else(|| state.listener.take());
        drop(state);
        if let Some(mut listener) = listener {
            // There is nothing left to end.
            let _ = listener(news);
        }
    }

    /// Lets others send to the process and kill it.
    fn publish(&self, process: Arc<Process>, outbox: Arc<Outbox>) {
        let mut state = self.state();
        let early = mem::take(&mut state.early);
        let is_sent = early.into_iter().all(|frame| outbox.send(frame).is_ok());
        if state.is_given_up || !is_sent {
            process.kill();
        }
        state.process = Some(process);
        state.outbox = Some(outbox);
    }
}

/// What the thread knows while the process lives.
struct Reading<'a> {
    shared: &'a Shared,
    listener: Option<Listener>,
    /// Reports that the process is ready, if it has no session yet.
    ready: Option<Ready>,
    is_ready: bool,
}

impl Reading<'_> {
    /// Whether another process is to take the place of the one that has ended.
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

    /// Starts a process, reads what comes from it, and waits for its end. Returns why it has ended, or could not be started.
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
        // It may have closed its pipe and live.
        process.kill();
        let status = process.wait();
        Ok(match read {
            Ok(()) => end_of(last_words, status),
            Err(reason) => reason.to_owned(),
        })
    }

    /// Reads until the process has ended, or writes what it must not.
    fn read(&mut self, frames: &mut Frames<ChildStdout>) -> Result<(), &'static str> {
        loop {
            let most = self.shared.state().most.max(GREETING_BYTES);
            let (head, body) = match frames.next(most) {
                Ok(Some(frame)) => frame,
                Err(error) if error.kind() == ErrorKind::InvalidData => return Err(NONSENSE),
                // A process that is killed may leave a part of a frame.
                Ok(None) | Err(_) => return Ok(()),
            };
            self.tell(FromWorker::read(head.kind, body).map_err(|_| NONSENSE)?)?;
        }
    }

    /// Passes a message on. The first one is the greeting, and the only one before there is a session.
    fn tell(&mut self, message: FromWorker) -> Result<(), &'static str> {
        let news = match (self.is_ready, message) {
            (false, FromWorker::Status(Status::Hello(hello))) if hello.version == VERSION => {
                self.is_ready = true;
                self.shared.state().hello = Some(hello);
                if let Some(ready) = self.ready.take() {
                    ready();
                    return Ok(());
                }
                News::Ready(hello)
            }
            (false, FromWorker::Status(Status::Hello(_))) => {
                return Err("the worker process is of another version of ses-executor");
            }
            (false, _) | (true, FromWorker::Status(Status::Hello(_))) => return Err(NONSENSE),
            (true, FromWorker::Event(event)) => News::Event(event),
        };
        if self.listener.is_none() {
            self.listener = self.shared.state().listener.take();
        }
        self.listener.as_mut().ok_or(NONSENSE)?(news)
    }
}

/// Why a worker is ended that does not keep to the protocol.
pub const NONSENSE: &str = "the worker process wrote what no worker writes";
